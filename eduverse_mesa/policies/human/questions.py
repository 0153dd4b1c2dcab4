"""Questions to a person, in one form for several decisions if one will do, the replies, and the check of a reply."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from eduverse_mesa.decisions import Decision, GiveFeedback, Pace, Plan, React, Request, ScoreRequest, TakeTurn
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.policies.safe_text import clean
from eduverse_mesa.vocabulary import EMOTIONS, PACE_MOVES, PEER_REQUESTS, POLARITIES, SPOKEN, TO_CLASS, TONES

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
        """The part of the reply that the error is about."""


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A question to a seat: `decisions` carry exactly what its agent may know."""

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
        """The agent who is asked."""
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
    """The id of the classmate's request that is taken up; None turns all of them down."""

    accept: int | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Act:
    """A student's behaviour, partner and words; if they like, their mood and what they think of themselves."""

    behaviour: str
    partner: str = ""
    words: str = ""
    mood: str = ""
    thought: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """The teacher's act and words: `called` have to answer, `addressed` are only spoken to."""

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


LONGEST = 1000
"""Characters that a person can say at once."""
WORDLESS = frozenset({"refuse_reply", "read_aloud"})
"""Spoken behaviours for which the agent finds words where a person gives none."""


def check(question: Question, reply: Reply) -> Reply:
    """The reply, cleaned; ReplyError says which part of it cannot be taken."""
    wanted, checker = _CHECKS[question.form]
    if type(reply) is not wanted:
        raise ReplyError("", f"this answers another question than '{question.form}'.", mend="Look at it once more.")
    for field in fields(reply):
        value = getattr(reply, field.name)
        if field.type in ("str", str) and not isinstance(value, str):
            raise ReplyError(field.name, f"'{field.name}' has to be text.")
    return checker(question, reply)


def texts_of(reply: Reply | FeedbackWords) -> list[str]:
    """Return all texts of a reply, for whatever purpose: it comes from a browser, and is not checked yet."""
    found: list[str] = []
    for field in fields(reply):
        value = getattr(reply, field.name)
        parts = value if isinstance(value, tuple | list) else (value,)
        for part in parts:
            found += texts_of(part) if isinstance(part, FeedbackWords) else [part] if isinstance(part, str) else []
    return found


def _requests(question: Question, reply: Requests) -> Requests:
    known = [request.id for request in question.requests]
    if reply.accept is not None and (type(reply.accept) is not int or reply.accept not in known):
        raise ReplyError("accept", "there is no such request.", mend="Choose one of those that are shown.")
    return replace(reply, reason=_text("reason", reply.reason))


def _act(question: Question, reply: Act) -> Act:
    _one_of("behaviour", reply.behaviour, question.permitted)
    partner = _partner(question, reply)
    if reply.mood:
        _one_of("mood", reply.mood, EMOTIONS)
    words = _text("words", reply.words)
    if reply.behaviour not in SPOKEN:
        words = ""
    elif not words and reply.behaviour not in WORDLESS:
        raise ReplyError("words", "there is nothing said yet.", mend="Type what you say.")
    return replace(reply, partner=partner, words=words, thought=_text("thought", reply.thought))


def _partner(question: Question, reply: Act) -> str:
    """Return the partner of an act, which follows from most acts; what a form has left over there is not an error."""
    behaviour = reply.behaviour
    if question.request is not None:
        return question.request.sender
    if behaviour == "ask_question":
        _one_of("partner", reply.partner or "teacher", ("teacher", *question.partners))
        return reply.partner or "teacher"
    if behaviour in PEER_REQUESTS:
        _one_of("partner", reply.partner, question.partners)
        return reply.partner
    return "teacher" if behaviour in TO_CLASS else ""


def _turn(question: Question, reply: Turn) -> Turn:
    _one_of("act", reply.act, question.permitted)
    _one_of("tone", reply.tone, TONES)
    words = _text("words", reply.words)
    if not words:
        raise ReplyError("words", "there is nothing said yet.", mend="Type what you say to the class.")
    called, addressed = _names("called", reply.called, question), _names("addressed", reply.addressed, question)
    return replace(reply, words=words, called=called, addressed=addressed)


def _feedback(question: Question, reply: Feedback) -> Feedback:
    items: list[FeedbackWords] = []
    if not isinstance(reply.items, tuple | list):
        raise ReplyError("items", "'items' has to be a list.")
    for item in reply.items:
        if not isinstance(item, FeedbackWords) or not all(
            isinstance(part, str) for part in (item.student, item.polarity, item.words)
        ):
            raise ReplyError("items", "feedback is a student, a polarity and words.")
        _one_of("student", item.student, question.names)
        _one_of("polarity", item.polarity, POLARITIES)
        words = _text("words", item.words)
        if not words:
            raise ReplyError("words", f"there is nothing said to {item.student} yet.", mend="Type it, or take it out.")
        if any(item.student == other.student for other in items):
            raise ReplyError("student", f"{item.student} is there twice.", mend="Put both into one.")
        items.append(replace(item, words=words))
    return Feedback(tuple(items))


def _pacing(question: Question, reply: Pacing) -> Pacing:
    decision = question.decision
    may_extend = isinstance(decision, Pace) and decision.may_extend
    _one_of("move", reply.move, PACE_MOVES if may_extend else tuple(move for move in PACE_MOVES if move != "extend"))
    return replace(reply, reason=_text("reason", reply.reason))


def _one_of(field: str, value: str, known: Collection[str]) -> None:
    if value not in known:
        shown = clean(value)[:40] or "nothing"
        raise ReplyError(field, f"'{shown}' cannot be chosen now.", mend=f"There are {', '.join(known) or 'none'}.")


def _names(field: str, names: Any, question: Question) -> tuple[str, ...]:
    if not isinstance(names, tuple | list) or not all(isinstance(name, str) for name in names):
        raise ReplyError(field, f"'{field}' has to be a list of names.")
    for name in names:
        _one_of(field, name, question.names)
    return tuple(dict.fromkeys(names))


def _text(field: str, text: str) -> str:
    if len(text) > LONGEST:
        raise ReplyError(field, f"this has {len(text)} characters; {LONGEST} are the most.", mend="Say it shorter.")
    return clean(text)


_CHECKS: Mapping[Form, tuple[type[Reply], Callable[[Question, Any], Reply]]] = MappingProxyType(
    {
        "requests": (Requests, _requests),
        "act": (Act, _act),
        "turn": (Turn, _turn),
        "feedback": (Feedback, _feedback),
        "pace": (Pacing, _pacing),
    }
)
