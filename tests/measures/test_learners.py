"""What learners have, show and keep: tiny tables counted by hand, and what must hold of any."""

from __future__ import annotations

import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.errors import TableError
from eduverse_mesa.measures.learners import (
    answer_kinds,
    concept_alignment,
    coverage,
    exam_means,
    gain_kept,
    leak_rate,
    learning_gain,
    mastery_map,
    scores_by_unit_grade,
    share_above,
    trait_recovery,
)

CONCEPTS = pd.DataFrame(
    [
        ("Ann", 1, "a", "P", 0.5, True, True),
        ("Ann", 1, "b", "P", 0.1, False, True),
        ("Ann", 1, "c", "P", 0.4, True, False),
        ("Bo", 1, "a", "P", 0.3, True, True),
        ("Bo", 1, "b", "P", 0.2, False, True),
        ("Bo", 1, "c", "P", 0.0, False, False),
    ],
    columns=["learner", "grade", "concept", "subject", "mastery", "familiar", "expected"],
)


def test_who_knows_what_is_taught_later_covers_more_than_what_is_expected() -> None:
    rows = coverage(CONCEPTS).set_index("learner")
    assert rows.loc["Ann", "coverage"] == 1.0  # a and c, of the two that are expected
    assert rows.loc["Ann", "within"] == 0.5
    assert rows.loc["Bo", "coverage"] == 0.5


def test_coverage_of_a_standard_that_expects_nothing_is_not_a_number() -> None:
    assert math.isnan(coverage(CONCEPTS.assign(expected=False))["coverage"].iloc[0])


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=20))
def test_coverage_is_never_less_than_what_it_covers_of_the_expected(marks: list[tuple[bool, bool]]) -> None:
    table = pd.DataFrame(marks, columns=["familiar", "expected"]).assign(learner="Ann", grade=1)
    row = coverage(table).iloc[0]
    if row["expected"]:
        assert 0 <= row["within"] <= min(1.0, row["coverage"])


def test_the_map_holds_the_mean_over_learners() -> None:
    cell = mastery_map(CONCEPTS).set_index("concept").loc["a"]
    assert cell["mastery"] == pytest.approx(0.4)
    assert cell["familiar"] == 1.0
    assert cell["n"] == 2


def test_one_learner_above_another_in_cells_that_either_has_met() -> None:
    # a: .5 above .3; b: .1 below .2; c: .4 above nothing
    assert share_above(CONCEPTS, "Ann", "Bo") == pytest.approx(2 / 3)
    assert share_above(CONCEPTS, "Bo", "Ann") == pytest.approx(1 / 3)
    nothing = CONCEPTS.assign(mastery=0.0)
    assert math.isnan(share_above(nothing, "Ann", "Bo"))


def test_scores_go_by_the_grade_of_what_was_asked_and_unscored_answers_are_counted() -> None:
    answers = pd.DataFrame({"unit_grade": [2, 1, 1, 1], "score": [1, 8, 6, None]})
    rows = scores_by_unit_grade(answers)
    assert rows["unit_grade"].tolist() == [1, 2]
    assert rows["score"].tolist() == [7.0, 1.0]
    assert rows["unscored"].tolist() == [1, 0]


def test_alignment_falls_with_what_was_missed_and_with_what_was_added() -> None:
    episodes = pd.DataFrame({"planned": ["a", "a", "a;b", "a"], "concepts": ["a", "a;c", "a", ""]})
    found = concept_alignment(episodes)
    assert found.accuracy == pytest.approx((1 + 1 / 2 + 1 / 2 + 0) / 4)
    assert found.precision == pytest.approx((1 + 1 / 2 + 1 + 0) / 4)
    assert found.recall == pytest.approx((1 + 1 + 1 / 2 + 0) / 4)
    assert found.episodes == 4


SETS = st.lists(st.sets(st.sampled_from("abcd"), min_size=1), min_size=1, max_size=8)


@given(SETS, SETS)
def test_alignment_is_no_better_than_its_parts(planned: list[set[str]], recorded: list[set[str]]) -> None:
    pairs = list(zip(planned, recorded, strict=False))
    table = pd.DataFrame([(";".join(one), ";".join(two)) for one, two in pairs], columns=["planned", "concepts"])
    found = concept_alignment(table)
    assert 0 <= found.accuracy <= min(found.precision, found.recall) + 1e-12
    turned = concept_alignment(table.rename(columns={"planned": "concepts", "concepts": "planned"}))
    assert turned.accuracy == pytest.approx(found.accuracy)
    assert turned.precision == pytest.approx(found.recall)
    assert turned.recall == pytest.approx(found.precision)


LINES = pd.DataFrame(
    [
        ("tutor", "question", ""),
        ("learner", "right", "u1;u2"),
        ("learner", "guess", ""),
        ("learner", "guess", ""),
        ("learner", "follow", ""),
    ],
    columns=["speaker", "kind", "leaks"],
)


def test_leaks_and_kinds_are_those_of_learners() -> None:
    assert leak_rate(LINES) == 0.25
    kinds = answer_kinds(LINES).set_index("kind")["share"]
    assert kinds.to_dict() == {"guess": pytest.approx(2 / 3), "right": pytest.approx(1 / 3)}
    assert leak_rate(LINES[:1]) != leak_rate(LINES[:1])  # no reply, no rate


def test_labels_are_averaged_over_traits_and_over_high_and_low() -> None:
    labels = pd.DataFrame(
        [("o", "high", "high"), ("o", "high", "high"), ("o", "high", "low"), ("o", "low", "low")],
        columns=["trait", "truth", "found"],
    )
    found = trait_recovery(labels)
    assert found.recall == pytest.approx((2 / 3 + 1) / 2)
    assert found.precision == pytest.approx((1 + 1 / 2) / 2)
    assert found.f1 == pytest.approx((0.8 + 2 / 3) / 2)


def test_who_always_says_high_gains_nothing_where_most_are() -> None:
    labels = pd.DataFrame({"trait": "o", "truth": ["high"] * 9 + ["low"], "found": "high"})
    found = trait_recovery(labels)
    assert found.recall == 0.5
    assert found.f1 < 0.5


LABELLED = st.lists(st.tuples(st.sampled_from(["high", "low"]), st.sampled_from(["high", "low"])), min_size=1)


@given(LABELLED)
def test_recovery_is_perfect_exactly_where_all_labels_are_right(pairs: list[tuple[str, str]]) -> None:
    found = trait_recovery(pd.DataFrame(pairs, columns=["truth", "found"]).assign(trait="n"))
    assert 0 <= found.f1 <= 1
    assert (found.recall == 1) == all(truth == given for truth, given in pairs)


COLUMNS = ["learner", "exam", "unit", "item", "score"]


def answers(**scores: float | None) -> pd.DataFrame:
    return pd.DataFrame([("Ann", exam, "u", "a", score) for exam, score in scores.items()], columns=COLUMNS)


def test_tests_are_compared_on_the_items_that_were_scored_in_both() -> None:
    rows = [
        ("Ann", "before", "u", "a", 1), ("Ann", "before", "u", "b", 10), ("Ann", "before", "v", "a", 10),
        ("Ann", "after", "u", "a", None), ("Ann", "after", "u", "b", 10),
        ("Bo", "before", "u", "a", 1), ("Bo", "after", "u", "a", 10),
    ]  # fmt: skip
    gained = learning_gain(pd.DataFrame(rows, columns=COLUMNS), "before", "after").set_index("learner")["gain"]
    assert gained.to_dict() == {"Ann": 0, "Bo": 1}, "the item that nobody could score after is left out before"


def test_a_gain_is_seen_against_what_was_missing_and_what_of_it_is_left_later() -> None:
    table = answers(before=1, after=7, later=4)
    assert exam_means(table).loc["Ann", "after"] == pytest.approx(2 / 3)
    gained = learning_gain(table, "before", "after").iloc[0]
    assert (gained["gain"], gained["normalised"]) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert gain_kept(table, "before", "after", "later")["kept"].iloc[0] == pytest.approx(0.5)


def test_a_loss_is_seen_against_what_was_there_and_leaves_nothing_to_keep() -> None:
    table = answers(before=10, after=5.5, later=5.5)
    assert learning_gain(table, "before", "after")["normalised"].iloc[0] == pytest.approx(-0.5)
    assert math.isnan(gain_kept(table, "before", "after", "later")["kept"].iloc[0])


def test_where_nothing_can_be_gained_there_is_no_share_of_it() -> None:
    assert math.isnan(learning_gain(answers(before=10, after=10), "before", "after")["normalised"].iloc[0])


def test_a_test_that_was_not_held_is_told() -> None:
    with pytest.raises(TableError, match="'later'"):
        gain_kept(answers(before=1, after=2), "before", "after", "later")
