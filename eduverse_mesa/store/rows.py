"""The rows of a study, as they go in and come out."""

from __future__ import annotations

from typing import NamedTuple


class RunRow(NamedTuple):
    """One run: everything but its answers."""

    id: str
    name: str
    seed: int
    scenario: str
    """The whole scenario as JSON."""
    policy: str
    changes: str = "[]"
    """Interventions as JSON."""
    parent: str | None = None
    forked_at: tuple[int, int] | None = None
    version: str = ""
    status: str = "running"


class AnswerRow(NamedTuple):
    """One answer of the log. What depends on the clock is not part of the canonical log."""

    lesson: int
    step: int
    seq: int
    round: str
    agent: str
    kind: str
    content: str
    """The outcome as JSON."""
    source: str
    status: str = "ok"
    reason: str = ""
    attempts: int = 1
    latency_ms: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None


class MemoryRow(NamedTuple):
    """One entry of a student's long-term memory, or of the teacher's: `who` is the student, or the phase."""

    who: str
    event: str
    content: str
    step: int


class SummaryRow(NamedTuple):
    """What a student takes into the next lesson, as JSON."""

    student: str
    record: str
