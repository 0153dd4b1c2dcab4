"""Learners, tutors and judges on a language model."""

from eduverse_mesa.policies.llm.tutoring.questions import TutoringTelling

__all__ = ["TutoringTelling"]
