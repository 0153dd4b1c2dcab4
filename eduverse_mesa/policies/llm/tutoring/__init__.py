"""Learners, tutors and judges on a language model."""

from eduverse_mesa.policies.llm.tutoring.telling import TutoringTelling

__all__ = ["TutoringTelling"]
