"""Hearing by a language model."""

from eduverse_mesa.policies.llm.hearing.questions import HEARING, HearingTelling, WithHearing

__all__ = ["HEARING", "HearingTelling", "WithHearing"]
