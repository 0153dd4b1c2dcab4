"""What a person is asked, in one form where one will do, and what it may reply."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal, TypeAlias

from eduverse_mesa.decisions import Decision, GiveFeedback, Pace, Plan, React, Request, ScoreRequest, TakeTurn
from eduverse_mesa.errors import EduverseError

Form = Literal["requests", "act", "turn", "feedback", "pace"]

FORMS: dict[type[Decision], Form] = {
    ScoreRequest: "requests",
    Plan: "act",
    React: "act",
    TakeTurn: "turn",
    GiveFeedback: "feedback",
    Pace: "pace",
}
"""The decisions that a person is asked, and the form for each. Words, style and mood come with the act."""


class ReplyError(EduverseError):
    """A reply cannot be taken as it is; the question stays open."""

    def __init__(self, field: str, message: str, *, mend: str = "") -> None:
        super().__init__(message, mend=mend)
        self.field = field
        """Which part of the reply it is about."""


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What is asked of a seat: `decisions` carry exactly what its agent may know."""

    id: int
    form: Form
    decisions: tuple[Decision, ...]
    asked: float
    """By time.monotonic()."""
    deadline: float | None
    """The same clock; None: as long as it takes."""

    @property
    def decision(self) -> Decision:
        """The one decision; of several requests the first."""
        return self.decisions[0]

    @property
    def agent(self) -> str:
        """Who is asked."""
        return self.decision.agent

    @property
    def place(self) -> tuple[int, int]:
        """(lesson, step)"""
        return self.decision.at.lesson, self.decision.at.step

    @property
    def remaining(self) -> float | None:
        """Seconds until the seat acts by itself."""
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())

    @property
    def permitted(self) -> tuple[str, ...]:
        """The behaviours, or the teacher's acts, to choose from."""
        decision = self.decision
        return decision.permitted if isinstance(decision, Plan | React | TakeTurn) else ()

    @property
    def partners(self) -> tuple[str, ...]:
        """The classmates whom a student can turn to."""
        decision = self.decision
        return decision.partners if isinstance(decision, Plan | React) else ()

    @property
    def request(self) -> Request | None:
        """The classmate's request that was taken up and comes first."""
        decision = self.decision
        return decision.request if isinstance(decision, Plan | React) else None

    @property
    def requests(self) -> tuple[Request, ...]:
        """The classmates' requests to choose from."""
        return tuple(one.request for one in self.decisions if isinstance(one, ScoreRequest))

    @property
    def names(self) -> tuple[str, ...]:
        """Everybody whom a teacher can name."""
        decision = self.decision
        if isinstance(decision, TakeTurn | GiveFeedback | Pace):
            return tuple(pupil.name for pupil in decision.view.group.pupils)
        return ()


@dataclass(frozen=True, slots=True)
class Requests:
    """Which classmate's request is taken up, by its id; None turns all of them down."""

    accept: int | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Act:
    """What a student does, to whom, and what it says; if it likes, how it feels and what it thinks of itself."""

    behaviour: str
    partner: str = ""
    words: str = ""
    mood: str = ""
    thought: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """What the teacher does and says: `called` have to answer, `addressed` are only spoken to."""

    act: str
    words: str
    called: tuple[str, ...] = ()
    addressed: tuple[str, ...] = ()
    tone: str = "neutral"


@dataclass(frozen=True, slots=True)
class FeedbackWords:
    """A word to one student."""

    student: str
    polarity: str
    words: str


@dataclass(frozen=True, slots=True)
class Feedback:
    """Words to some of the students; to none where it is empty."""

    items: tuple[FeedbackWords, ...] = ()


@dataclass(frozen=True, slots=True)
class Pacing:
    """Stay with the plan, extend the phase, or move on."""

    move: str
    reason: str = ""


Reply: TypeAlias = Requests | Act | Turn | Feedback | Pacing
