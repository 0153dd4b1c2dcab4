"""What a language model is told: templates a person can read, edit and override, and the blocks that fill them."""
