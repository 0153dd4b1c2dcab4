"""Answers from language models: any OpenAI-compatible endpoint, or a small model in this process."""

from eduverse_mesa.policies.llm.setup import make_llm, make_local, settle_llm, settle_local

__all__ = ["make_llm", "make_local", "settle_llm", "settle_local"]
