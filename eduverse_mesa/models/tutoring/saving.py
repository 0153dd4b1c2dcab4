"""A learner as it is saved between two sessions: to be resumed, or copied and taught in another way."""

from __future__ import annotations

import msgspec

from eduverse_mesa.agents.tutor import Notes
from eduverse_mesa.memory.three_levels import Memory, read_written


class Saved(msgspec.Struct):
    """Memory, the tutor's notes, and how far on the agenda they are."""

    name: str
    memory: Memory = msgspec.field(default_factory=Memory)
    notes: Notes = msgspec.field(default_factory=Notes)
    session: int = 1
    """The session that comes next, counted from 1."""

    def copy(self) -> Saved:
        """Another one of the same, which goes its own way."""
        return read_saved(write_saved(self))


def write_saved(saved: Saved) -> bytes:
    """A saved learner as JSON."""
    return msgspec.json.encode(saved)


def read_saved(text: bytes | str, where: str = "") -> Saved:
    """A saved learner from JSON; what is none is refused with its place."""
    return read_written(text, Saved, "saved learner", where)
