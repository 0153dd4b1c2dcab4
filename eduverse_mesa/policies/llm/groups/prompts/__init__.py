"""Prompts of groups: a folder for each language."""
