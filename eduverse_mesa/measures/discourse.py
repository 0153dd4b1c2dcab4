"""Measures of a lesson's talk: initiation, response, feedback, and the exchange they make together, from its coded
moves, and as words alone show it.

Without codes the first are NaN: a move that was never coded is not a move that was never made.
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
from eduverse_mesa.measures.language import Language
from eduverse_mesa.measures.tables import NAN, mean, share
from eduverse_mesa.measures.turns import Lesson, Turn

Measure = Callable[[Lesson], float]
SHORT_TURN_WORDS = 3


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


# --- words alone ---


def teacher_talk_ratio_words(lesson: Lesson) -> float:
    """The teacher's share of all words."""
    teacher = sum(turn.words for turn in lesson.of(TEACHER))
    everyone = sum(turn.words for turn in lesson.turns)
    return teacher / everyone if everyone else NAN


def words_per_t_turn_mean(lesson: Lesson) -> float:
    """Mean words of a teacher's turn."""
    return mean(turn.words for turn in lesson.of(TEACHER))


def words_per_s_turn_mean(lesson: Lesson) -> float:
    """Mean words of a student's turn; one that nobody could make out has none, and counts."""
    return mean(turn.words for turn in lesson.of(STUDENT))


def s_turn_share_le3w(lesson: Lesson) -> float:
    """The share of student turns of at most three words."""
    return share(turn.words <= SHORT_TURN_WORDS for turn in lesson.of(STUDENT))


def i_question_rate(lesson: Lesson) -> float:
    """The share of teacher turns that hold a question mark."""
    return share(turn.asks for turn in lesson.of(TEACHER))


def student_question_turn_rate(lesson: Lesson) -> float:
    """The share of student turns that hold a question mark. (The coded move "ask" means asking for information, and
    is rarer.)"""
    return share(turn.asks for turn in lesson.of(STUDENT))


def f_eval_rate_after_s(lesson: Lesson) -> float:
    """Of the teacher turns after a student's, the share whose opening words evaluate."""
    language = lesson.language
    if language is None:
        return NAN
    return share(language.evaluates(reply.text) for _, reply in lesson.replies(STUDENT))


def follows_up(answer: Turn, reply: Turn, language: Language) -> bool:
    """Return True if the teacher's reply evaluates, or repeats a content word of the answer."""
    if language.evaluates(reply.text):
        return True
    return not language.content(answer.text).isdisjoint(language.content(reply.text))


def _lexical_exchanges(lesson: Lesson, language: Language) -> int:
    return sum(first.asks and follows_up(answer, reply, language) for first, answer, reply in lesson.exchanges())


def irf_lex_per_t(lesson: Lesson) -> float:
    """Question, student turn, evaluation or repetition: such exchanges over all teacher turns."""
    turns = len(lesson.of(TEACHER))
    if lesson.language is None or not turns:
        return NAN
    return _lexical_exchanges(lesson, lesson.language) / turns


def irf_lex_given_i(lesson: Lesson) -> float:
    """The same over the teacher turns with a question mark."""
    questions = sum(turn.asks for turn in lesson.of(TEACHER))
    if lesson.language is None or not questions:
        return NAN
    return _lexical_exchanges(lesson, lesson.language) / questions
