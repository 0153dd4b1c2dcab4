"""What a dialogue leaves on paper: the answer log, and the tidy rows that measures read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from eduverse_mesa.decisions import Answer, Decision
from eduverse_mesa.models.classroom.journal import LoggedAnswer


class MessageRow(NamedTuple):
    """One thing said in the group."""

    problem: str
    arm: str
    turn: int
    now: float
    stage: str
    speaker: str
    role: str
    """person, limited or advanced."""
    text: str
    act: str
    """One of the stage, or other; harm or private where somebody's words were about that, for the teacher to see."""
    topic: str
    stance: str
    addressed: str
    asks: bool
    lost: bool
    clear: bool
    source: str


class StageRow(NamedTuple):
    """What the monitor said after a message, and what came of it."""

    problem: str
    arm: str
    turn: int
    stage: str
    finished: bool
    """What was answered."""
    closed: bool
    """What the laws of the stages made of it."""
    reason: str
    source: str


class RevisionRow(NamedTuple):
    """A variable of a peer's schema that it changed its mind about."""

    problem: str
    arm: str
    turn: int
    peer: str
    variable: str
    before: str
    after: str
    right: bool
    """It is the right value now; nobody in the group is told."""
    reason: str
    by: str
    carried: str
    """Variables that changed with it, parted by ;"""


class ErrorRow(NamedTuple):
    """What happened to an error, seen with the solution in hand."""

    problem: str
    arm: str
    turn: int
    event: str
    """introduced, adopted, noticed, corrected, or dropped: for another wrong value, or taken back as a joke."""
    variable: str
    value: str
    of: str
    """Whose error it is."""
    by: str
    """Who introduced, adopted or noticed it; or who was listened to when it was corrected or
    dropped."""
    words: str
    """The sentence in which this was said."""


class EndRow(NamedTuple):
    """How a dialogue ended."""

    problem: str
    arm: str
    seed: int
    turns: int
    stage: str
    """The stage it has come to."""
    solved: bool
    """All stages are closed."""
    right: bool
    """The answer that the group holds in the end is right."""
    answer: str


@dataclass(slots=True)
class CollaborationJournal:
    """Rows of one dialogue, in the order in which things happened."""

    answers: list[LoggedAnswer] = field(default_factory=list)
    messages: list[MessageRow] = field(default_factory=list)
    stages: list[StageRow] = field(default_factory=list)
    revisions: list[RevisionRow] = field(default_factory=list)
    errors: list[ErrorRow] = field(default_factory=list)
    ends: list[EndRow] = field(default_factory=list)

    def note(self, round_name: str, decisions: Sequence[Decision], answers: Sequence[Answer]) -> None:
        """Log the answers of a round; an answer's place is that of its decision."""
        log = self.answers
        for decision, answer in zip(decisions, answers, strict=True):
            at = decision.at
            log.append(LoggedAnswer(at.lesson, at.step, len(log), round_name, at.agent, decision.kind, answer))
