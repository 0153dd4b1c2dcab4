"""The null of contingency: shares stay, what follows what is lost."""

from __future__ import annotations

from collections import Counter

import pandas as pd
import pytest

from eduverse_mesa.experiments.realism.measures import GAPS, shuffle_turns, shuffled_gaps
from eduverse_mesa.measures import Lesson, lesson_of
from eduverse_mesa.randomness import Address

REPLIES = [("press-reasoning", "evidence", "restate"), ("press-accuracy", "claim", "none"), ("none", "none", "none")]


def contingent_lesson() -> Lesson:
    """A lesson in which the reply always follows from the move."""
    rows = []
    for turn in range(60):
        asked, answered, _ = REPLIES[turn % 3]
        follow_up = REPLIES[(turn - 1) % 3][2]
        rows.append({"role": "T", "speaker": "T", "text": f"Well {turn}?", "move": follow_up})
        rows.append({"role": "T", "speaker": "T", "text": "So?", "move": asked})
        rows.append({"role": "S", "speaker": f"S{turn % 7}", "text": "Because it is.", "move": answered})
    return lesson_of(pd.DataFrame(rows))


def test_the_same_turns_by_the_same_roles_in_another_order() -> None:
    lesson = contingent_lesson()
    mixed = shuffle_turns(lesson, Address(1, 0, 0, "realism"))
    assert [turn.role for turn in mixed.turns] == [turn.role for turn in lesson.turns]
    assert Counter(turn.text for turn in mixed.turns) == Counter(turn.text for turn in lesson.turns)
    assert mixed.turns != lesson.turns


def test_gaps_of_a_wholly_contingent_lesson_are_gone_in_any_order() -> None:
    lesson = contingent_lesson()
    evidence = GAPS["gap_evidence_reasoning_vs_accuracy"]
    assert evidence(lesson) == pytest.approx(1.0)
    nulls = [shuffled_gaps(lesson, seed) for seed in range(8)]
    for name in ("gap_evidence_reasoning_vs_accuracy", "gap_substantive_reply_I_vs_not"):
        mean = sum(null[name] for null in nulls) / len(nulls)
        assert abs(mean) < 0.06


def test_a_gap_that_no_order_can_tell_is_not_a_number() -> None:
    null = shuffled_gaps(contingent_lesson(), 1)
    assert null["gap_relate_get_relate_vs_none"] != null["gap_relate_get_relate_vs_none"]
    assert null == pytest.approx(shuffled_gaps(contingent_lesson(), 1), nan_ok=True)
