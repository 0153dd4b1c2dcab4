"""What is written when a lesson ends and loaded when the next begins (C.5.3, C.5.4)."""

from __future__ import annotations

import msgspec

from eduverse_mesa.decisions import Mind, Remembered, Summarised
from eduverse_mesa.memory.forgetting import retention

STUDENT_EVENTS = ("plan", "monitoring", "regulation", "behaviour")
TEACHER_EVENTS = ("planning", "feedback")


class StudentEvent(msgspec.Struct, frozen=True, gc=False):
    """One entry of a student's long-term memory."""

    student: str
    event: str
    content: str
    step: int


class TeacherEvent(msgspec.Struct, frozen=True, gc=False):
    """One entry of the teacher's long-term memory."""

    phase: str
    event: str
    content: str
    step: int


class StudentRecord(msgspec.Struct, frozen=True, gc=False):
    """What a student takes from one lesson into the next, in words and in numbers."""

    student: str
    remembered: Remembered
    mind: Mind
    goals: tuple[str, ...]
    """Ids of the goals that the mind's understanding speaks of."""
    understanding: dict[str, float]
    """Understanding of every goal met so far, as it was when last met."""
    closeness: dict[str, float]
    last: tuple[str, str, str]
    """Last behaviour, emotion and cognition."""


class LessonMemory(msgspec.Struct, frozen=True, gc=False):
    """All that a lesson leaves behind, written in one transaction."""

    records: tuple[StudentRecord, ...]
    student_events: tuple[StudentEvent, ...] = ()
    teacher_events: tuple[TeacherEvent, ...] = ()


def remember(outcome: Summarised | None, evaluation: str, rating: float) -> Remembered:
    """The record in words. A summary that failed leaves the words empty; what others said of the student stays."""
    if outcome is None:
        return Remembered(evaluation=evaluation, rating=rating)
    return Remembered(outcome.summary, outcome.portrait, outcome.regulation, outcome.strategy, evaluation, rating)


def carried_understanding(
    record: StudentRecord, goal: str, needs: tuple[str, ...], days: float, fresh: float, transfer: float
) -> float:
    """What is left of a goal met before, or what its prerequisites lend to a new one.

    Forgetting falls towards what the student would know unprepared, not below it.
    """
    kept = retention(days)
    if goal in record.understanding:
        return fresh + (record.understanding[goal] - fresh) * kept if record.understanding[goal] > fresh else fresh
    known = [record.understanding[need] for need in needs if need in record.understanding]
    if not known:
        return fresh
    lent = transfer * kept * sum(known) / len(known)
    return max(fresh, lent)
