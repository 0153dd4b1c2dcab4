"""Measures of whose voices a lesson holds: talk from student to student, and how unequal the named students' shares
are."""

from __future__ import annotations

import math
from collections import Counter

from eduverse_mesa.measures.codes import STUDENT
from eduverse_mesa.measures.equity import gini
from eduverse_mesa.measures.tables import NAN, share
from eduverse_mesa.measures.turns import Lesson, is_named

# Inequality among fewer is no property of a class.
MIN_NAMED = 5
TOP_SHARE = 0.2


def p_s_to_s_turn(lesson: Lesson) -> float:
    """Of the times a student gives up the floor, the share in which another student takes it."""
    passes = zip(lesson.floor, lesson.floor[1:], strict=False)
    return share(taker.role == STUDENT for giver, taker in passes if giver.role == STUDENT)


def named_sentences(lesson: Lesson) -> dict[str, int]:
    """Sentences of each student whom the transcript names."""
    said = Counter(sentence.speaker for turn in lesson.of(STUDENT) for sentence in turn.sentences)
    return {speaker: count for speaker, count in said.items() if is_named(speaker)}


def gini_named_sentences(lesson: Lesson) -> float:
    """Gini over named students who spoke: a lower bound, since the silent are invisible; NaN with fewer than five."""
    said = named_sentences(lesson)
    return gini(said.values()) if len(said) >= MIN_NAMED else NAN


def top20_share(lesson: Lesson) -> float:
    """The share of named sentences that the most talkative fifth says (a fifth of the names, rounded); NaN with fewer
    than five."""
    said = sorted(named_sentences(lesson).values(), reverse=True)
    if len(said) < MIN_NAMED:
        return NAN
    top = math.floor(TOP_SHARE * len(said) + 0.5)
    return sum(said[:top]) / sum(said)
