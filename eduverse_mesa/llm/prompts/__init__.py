"""Texts around a question: one folder for each language."""
