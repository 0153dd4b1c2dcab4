"""Measures of a lesson from its coded moves: initiation, response, feedback, and the exchange they make together.

Without codes they are NaN: a move that was never coded is not a move that was never made.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from eduverse_mesa.measures.codes import (
    FOLLOW_UP_MOVES,
    INITIATING_MOVES,
    STUDENT,
    SUBSTANTIVE_MOVES,
    TEACHER,
)
from eduverse_mesa.measures.tables import NAN, share
from eduverse_mesa.measures.turns import Lesson, Turn

Measure = Callable[[Lesson], float]


def coded(*roles: str) -> Callable[[Measure], Measure]:
    """A measure that is NaN for a lesson in which one of these roles carries no codes."""

    def wrap(measure: Measure) -> Measure:
        @wraps(measure)
        def guarded(lesson: Lesson) -> float:
            return measure(lesson) if lesson.coded_roles.issuperset(roles) else NAN

        return guarded

    return wrap


def initiates(turn: Turn) -> bool:
    """A teacher turn that presses for an answer or gets students to relate."""
    return turn.does(INITIATING_MOVES)


def is_substantive(turn: Turn) -> bool:
    """A student turn that relates, asks, claims or gives evidence."""
    return turn.does(SUBSTANTIVE_MOVES)


@coded(TEACHER)
def i_rate(lesson: Lesson) -> float:
    """The share of teacher turns that initiate."""
    return share(initiates(turn) for turn in lesson.of(TEACHER))


@coded(TEACHER)
def f_tag_rate(lesson: Lesson) -> float:
    """Teacher turns that restate or revoice what a student has just said, over all teacher turns."""
    turns = len(lesson.of(TEACHER))
    followed = sum(reply.does(FOLLOW_UP_MOVES) for _, reply in lesson.replies(STUDENT))
    return followed / turns if turns else NAN


@coded(TEACHER, STUDENT)
def r_substantive_given_i(lesson: Lesson) -> float:
    """Of the student turns after an initiating teacher turn, the share that is substantive."""
    return share(is_substantive(answer) for turn, answer in lesson.replies(TEACHER) if initiates(turn))


@coded(TEACHER, STUDENT)
def r_substantive_given_not_i(lesson: Lesson) -> float:
    """Of the student turns after any other teacher turn, the share that is substantive."""
    return share(is_substantive(answer) for turn, answer in lesson.replies(TEACHER) if not initiates(turn))


@coded(STUDENT)
def s_turn_claim_or_evidence(lesson: Lesson) -> float:
    """The share of student turns with a claim or evidence."""
    return share(turn.does(frozenset({"claim", "evidence"})) for turn in lesson.of(STUDENT))


@coded(STUDENT)
def s_turn_evidence(lesson: Lesson) -> float:
    """The share of student turns with evidence."""
    return share("evidence" in turn.moves for turn in lesson.of(STUDENT))


def _exchanges(lesson: Lesson) -> float:
    """Teacher turns that initiate, are answered, and followed up by a restating, a revoicing or an evaluation."""
    language = lesson.language
    if language is None:  # an evaluation could not be seen
        return NAN
    return sum(
        initiates(first) and (reply.does(FOLLOW_UP_MOVES) or language.evaluates(reply.text))
        for first, _, reply in lesson.exchanges()
    )


@coded(TEACHER)
def irf_per_t(lesson: Lesson) -> float:
    """Complete exchanges over all teacher turns."""
    turns = len(lesson.of(TEACHER))
    return _exchanges(lesson) / turns if turns else NAN


@coded(TEACHER)
def irf_given_i(lesson: Lesson) -> float:
    """Complete exchanges over the teacher turns that initiate."""
    initiations = sum(initiates(turn) for turn in lesson.of(TEACHER))
    return _exchanges(lesson) / initiations if initiations else NAN
