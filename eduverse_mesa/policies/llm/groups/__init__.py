"""Peers, and who leads a group, on a language model."""

from eduverse_mesa.policies.llm.groups.questions import CollaborationTelling

__all__ = ["CollaborationTelling"]
