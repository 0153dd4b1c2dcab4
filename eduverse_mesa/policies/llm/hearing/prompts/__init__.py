"""Prompts of tutoring: a folder for each language."""
