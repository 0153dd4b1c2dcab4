"""Measures of a lesson that need no codes: who talks how much, what is asked, and the exchange as words alone show
it."""

from __future__ import annotations

from eduverse_mesa.measures.codes import STUDENT, TEACHER
from eduverse_mesa.measures.language import Language
from eduverse_mesa.measures.tables import NAN, mean, share
from eduverse_mesa.measures.turns import Lesson, Turn

SHORT_TURN_WORDS = 3


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
