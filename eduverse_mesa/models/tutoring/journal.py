"""The records of tutoring: the answer log, and the tidy rows that measures read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from eduverse_mesa.models.classroom.journal import AnswerJournal


class LineRow(NamedTuple):
    """One thing said."""

    learner: str
    session: int
    day: float
    grade: int
    unit: str
    turn: int
    speaker: str
    text: str
    kind: str
    """The tutor's move, or the kind of the learner's reply."""
    hedged: bool
    leaks: str
    """Units that are out of the learner's reach, and whose idea it says all the same, parted by ;"""


class EpisodeRow(NamedTuple):
    """One dialogue as a whole, and what stays of it."""

    learner: str
    session: int
    day: float
    grade: int
    unit: str
    concept: str
    turns: int
    finished: bool
    """The tutor closed it; otherwise the turns were used up."""
    grasp_before: float
    grasp_after: float
    shown: float
    emotion: float
    concepts: str
    """Concepts that the episode recorded, parted by ;"""
    planned: str
    """Concepts that the unit was meant for, parted by ;"""
    summary: str
    source: str


class AnswerRow(NamedTuple):
    """One answer in a test."""

    learner: str
    session: int
    day: float
    exam: str
    grade: int
    unit: str
    unit_grade: int
    concept: str
    item: str
    text: str
    kind: str
    hedged: bool
    score: int | None
    leaks: str


class ConceptRow(NamedTuple):
    """A concept in a learner's memory at the end of a grade."""

    learner: str
    grade: int
    day: float
    concept: str
    subject: str
    mastery: float
    met: bool
    familiar: bool
    expected: bool
    """The standard has taught it by now."""


@dataclass(slots=True)
class TutoringJournal(AnswerJournal):
    """Rows of all learners, in the order in which things happened."""

    lines: list[LineRow] = field(default_factory=list)
    episodes: list[EpisodeRow] = field(default_factory=list)
    tests: list[AnswerRow] = field(default_factory=list)
    concepts: list[ConceptRow] = field(default_factory=list)
