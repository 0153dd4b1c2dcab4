"""Lesson plans from a teacher's outline."""

from eduverse_mesa.scenarios.drafts.outlines.outline import Outline, Understood, read_outline, settled

__all__ = ["Outline", "Understood", "read_outline", "settled"]
