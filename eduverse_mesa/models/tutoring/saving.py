"""A learner as it is saved between two sessions: to be resumed, or copied and taught in another way."""

from __future__ import annotations

from pathlib import Path

import msgspec

from eduverse_mesa.agents.tutor import Notes
from eduverse_mesa.errors import StudyError
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


def read_saved(text: bytes | str | Path, where: str = "") -> Saved:
    """A saved learner from JSON, or from the file at a path; what is none is refused with its place. Text is never
    taken for a path: who hands it in may come from outside."""
    if isinstance(text, Path):
        try:
            return read_written(text.read_bytes(), Saved, "saved learner", where or str(text))
        except OSError as error:
            raise StudyError(
                f"the file cannot be read: {error.strerror}.", where=str(text), mend="Check the path."
            ) from None
    if isinstance(text, str) and text.endswith(".json"):
        raise StudyError(
            f"'{text[-80:]}' is the name of a file, and text is read as a saved learner itself.",
            where=where,
            mend="Give the file as a pathlib.Path.",
        )
    return read_written(text, Saved, "saved learner", where)
