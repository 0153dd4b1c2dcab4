"""Hand out a round of decisions, and log what comes back."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING

from eduverse_mesa.decisions import Answer, Decision, Round

if TYPE_CHECKING:
    from eduverse_mesa.models.classroom.model import ClassroomModel

Asking = Generator[Round, Sequence[Answer], Sequence[Answer]]


def ask(model: ClassroomModel, name: str, decisions: Sequence[Decision]) -> Asking:
    """Hand out a round and log its answers. A round with nothing to ask is none."""
    if not decisions:
        return ()
    answers = yield Round(name, decisions)
    model.journal.note(model.state.step, name, decisions, answers)
    return answers
