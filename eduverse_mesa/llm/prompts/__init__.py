"""What is said around a question: one folder a language."""
