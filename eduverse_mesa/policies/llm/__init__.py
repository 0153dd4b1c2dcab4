"""Answers from language models: any OpenAI-compatible endpoint, or a small model in this process."""
