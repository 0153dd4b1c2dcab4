"""Contingency of talk: how answers and follow-ups depend on the turn before. Turns shuffled within a lesson give about
0, so no tuning of overall shares can fake these.

Each side of a gap needs three turns (MIN_REPLIES): teachers press for reasoning seldom, and a share of one turn is 0
or 1.
"""

from __future__ import annotations

from collections.abc import Callable

from eduverse_mesa.measures.codes import FOLLOW_UP_MOVES, STUDENT, TEACHER
from eduverse_mesa.measures.discourse import coded, initiates, is_substantive
from eduverse_mesa.measures.tables import NAN, mean, share
from eduverse_mesa.measures.turns import Lesson, Turn

MIN_REPLIES = 3
Test = Callable[[Turn], bool]


def presses_reasoning(turn: Turn) -> bool:
    """A teacher turn that presses for reasoning."""
    return "press-reasoning" in turn.moves


def presses_accuracy_only(turn: Turn) -> bool:
    """A teacher turn that presses for accuracy and not for reasoning too: else one answer would count on both sides."""
    return "press-accuracy" in turn.moves and not presses_reasoning(turn)


def share_after(lesson: Lesson, role: str, before: Test, after: Test) -> float:
    """Of the replies to this role's turns that pass `before`, the share that passes `after`."""
    return share((after(reply) for turn, reply in lesson.replies(role) if before(turn)), at_least=MIN_REPLIES)


def gives_evidence(turn: Turn) -> bool:
    """A student turn with evidence."""
    return "evidence" in turn.moves


@coded(TEACHER, STUDENT)
def r_evidence_given_press_reasoning(lesson: Lesson) -> float:
    """Of the student turns after a press for reasoning, the share with evidence."""
    return share_after(lesson, TEACHER, presses_reasoning, gives_evidence)


@coded(TEACHER, STUDENT)
def r_evidence_given_press_accuracy(lesson: Lesson) -> float:
    """Of the student turns after a press for accuracy alone, the share with evidence."""
    return share_after(lesson, TEACHER, presses_accuracy_only, gives_evidence)


@coded(TEACHER, STUDENT)
def gap_evidence_reasoning_vs_accuracy(lesson: Lesson) -> float:
    """Evidence after a press for reasoning minus after a press for accuracy alone."""
    return r_evidence_given_press_reasoning(lesson) - r_evidence_given_press_accuracy(lesson)


@coded(TEACHER, STUDENT)
def gap_substantive_reply_i_vs_not(lesson: Lesson) -> float:
    """Substantive answers after an initiating turn minus after any other."""
    after_other = share_after(lesson, TEACHER, lambda turn: not initiates(turn), is_substantive)
    return share_after(lesson, TEACHER, initiates, is_substantive) - after_other


@coded(TEACHER, STUDENT)
def gap_restate_after_claim_vs_other(lesson: Lesson) -> float:
    """Restating or revoicing after a claim or evidence minus after any other student turn."""

    def claims(turn: Turn) -> bool:
        return turn.does(frozenset({"claim", "evidence"}))

    def follows(turn: Turn) -> bool:
        return turn.does(FOLLOW_UP_MOVES)

    after_other = share_after(lesson, STUDENT, lambda turn: not claims(turn), follows)
    return share_after(lesson, STUDENT, claims, follows) - after_other


@coded(TEACHER, STUDENT)
def gap_relate_get_relate_vs_none(lesson: Lesson) -> float:
    """Relating after a teacher turn that gets students to relate minus after one without any move."""

    def relates(turn: Turn) -> bool:
        return "relate" in turn.moves

    after_none = share_after(lesson, TEACHER, lambda turn: turn.moves <= {"none"}, relates)
    return share_after(lesson, TEACHER, lambda turn: "get-to-relate" in turn.moves, relates) - after_none


@coded(TEACHER)
def ratio_answer_length_reasoning_vs_accuracy(lesson: Lesson) -> float:
    """Mean words of the answer to a press for reasoning over those to a press for accuracy alone."""

    def length_after(before: Test) -> float:
        return mean((answer.words for turn, answer in lesson.replies(TEACHER) if before(turn)), at_least=MIN_REPLIES)

    accuracy = length_after(presses_accuracy_only)
    return length_after(presses_reasoning) / accuracy if accuracy else NAN
