"""Prompts for a language model: templates that a person can read, edit and override, and the blocks that fill them."""
