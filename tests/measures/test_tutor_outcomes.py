"""What a tutor has done for a cohort, on tables small enough to reckon by hand."""

from __future__ import annotations

import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.measures.tutor_outcomes import (
    OUTCOMES,
    gains_by_profile,
    learner_outcomes,
    outcome_means,
    paired_outcomes,
    profile_gaps,
    retained,
    thirds,
)


def marked(**scores: tuple[float | None, float | None, float | None]) -> pd.DataFrame:
    rows = [
        (learner, exam, "u", "a", score, "u" if (learner, exam) == ("Ann", "post") else "")
        for learner, three in scores.items()
        for exam, score in zip(("pre", "post", "delayed"), three, strict=True)
    ]
    return pd.DataFrame(rows, columns=["learner", "exam", "unit", "item", "score", "leaks"])


EPISODES = pd.DataFrame(
    [
        ("Ann", 2, "u", 0.4, 6), ("Ann", 3, "v", 0.9, 4), ("Ann", 4, "u", 0.8, 5), ("Ann", 5, "v", 0.2, 5),
        ("Bo", 2, "u", 0.1, 8), ("Bo", 3, "v", 0.1, 8), ("Bo", 4, "u", 0.1, 8), ("Bo", 5, "v", 0.1, 8),
    ],
    columns=["learner", "session", "unit", "shown", "turns"],
)  # fmt: skip
LINES = pd.DataFrame(
    [
        ("Ann", 2, "tutor", "", False, False), ("Ann", 2, "learner", "", False, False),
        ("Ann", 2, "tutor", "", True, True), ("Ann", 2, "learner", "x;y", False, True),
        ("Bo", 2, "tutor", "", True, False), ("Bo", 2, "learner", "", False, False),
    ],
    columns=["learner", "session", "speaker", "leaks", "told", "tried"],
)  # fmt: skip


def outcomes() -> pd.DataFrame:
    tests = marked(Ann=(1, 10, 5.5), Bo=(10, 10, None), Cy=(None, None, None))
    return learner_outcomes(["Ann", "Bo", "Cy"], tests, EPISODES, LINES, 2)


def of(learner: str, *names: str) -> list[float]:
    rows = outcomes().set_index("learner").to_dict("index")
    return [float(rows[learner][name]) for name in names]


def test_gain_is_the_share_of_marks_won_and_normalised_the_share_of_what_was_left_to_win() -> None:
    assert of("Ann", "pre", "post", "delayed", "gain", "delayed_gain", "kept") == [0, 1, 0.5, 1, 0.5, 0.5]
    assert of("Ann", "normalised_gain", "left_behind") == [1, 0]
    assert of("Bo", "gain") == [0]
    assert all(map(math.isnan, of("Bo", "normalised_gain", "delayed"))), "who had everything could gain nothing"
    assert set(map(math.isnan, of("Cy", *(set(OUTCOMES) - {"test_leaks"})))) == {True}, "of whom nothing is known"


def test_who_had_nothing_to_gain_is_not_left_behind() -> None:
    tests = marked(Ann=(1, 1, 1), Bo=(10, 10, 10), Cy=(9.5, 9.5, 9.5))
    found = learner_outcomes(["Ann", "Bo", "Cy"], tests, EPISODES, LINES, 2)["left_behind"]
    assert found[0] == 1
    assert found[1:].isna().all()


def test_a_test_whose_low_answers_nobody_could_score_shows_no_gain() -> None:
    both = pd.concat([marked(Ann=(1, None, None)), marked(Ann=(10, 10, 10)).assign(item="b")])
    (row,) = learner_outcomes(["Ann"], both, EPISODES, LINES, 2).to_dict("records")
    assert (row["pre"], row["post"], row["gain"]) == (1, 1, 0)


def test_mastery_counts_the_dialogues_that_it_took_and_never_is_one_more() -> None:
    assert of("Ann", "mastered", "dialogues_to_mastery", "turns") == [1, 1.5, 5]
    assert of("Bo", "mastered", "dialogues_to_mastery", "turns") == [0, 3, 8]


def test_leaks_are_the_learners_and_telling_is_the_tutors() -> None:
    assert of("Ann", "leaks", "told", "told_first") == [0.5, 0.5, 0]
    assert of("Bo", "leaks", "told", "told_first") == [0, 1, 1]
    assert of("Ann", "test_leaks") == [pytest.approx(1 / 3)]
    assert of("Bo", "test_leaks") == [0]


def test_means_leave_out_what_was_not_measured() -> None:
    means = outcome_means(outcomes())
    assert set(means) == set(OUTCOMES)
    assert (means["gain"].mean, means["gain"].n) == (0.5, 2)


def test_retention_is_the_share_of_the_cohorts_gain_that_is_left() -> None:
    gained = pd.DataFrame({"gain": [0.4, 0.4, 0.6, 0.2], "delayed_gain": [0.2, 0.2, 0.3, 0.1]})
    assert retained(gained)[:3] == pytest.approx((0.5, 0.5, 0.5)), "everybody keeps half of it"
    uneven = gained.assign(delayed_gain=[0.3, 0.1, 0.4, -0.1])
    found = retained(uneven)
    assert found.mean == pytest.approx(0.7 / 1.6)
    assert found.low < 0.4 < 0.5 < found.high
    assert math.isnan(retained(gained.assign(gain=[0.2, -0.2, 0.1, -0.1])).mean), "nothing was gained to be kept"


def cohort(**gains: float) -> pd.DataFrame:
    table = pd.DataFrame({"learner": list(gains), "gain": list(gains.values())})
    return table.assign(left_behind=(table["gain"] < 0.1).astype(float))


def test_groups_are_thirds_and_small_ones_are_said_to_be_small() -> None:
    table = cohort(**{f"L{number}": number / 30 for number in range(30)})
    profiles = {f"L{number}": {"ability": number / 30, "motivation": 0.5} for number in range(30)}
    low, middle, high = gains_by_profile(table, profiles)
    assert [one.gain.n for one in (low, middle, high)] == [10, 10, 10]
    assert low.gain.high < middle.gain.mean < high.gain.low
    assert (low.left_behind, high.left_behind, low.too_small) == (0.3, 0.0, False)
    assert set(profile_gaps(table, profiles)) == {"ability"}, "all are equally motivated"
    assert profile_gaps(table, profiles)["ability"].low > 0
    few = gains_by_profile(table[:9], profiles)
    assert all(one.too_small for one in few)


@given(st.lists(st.floats(0, 1), max_size=40))
def test_thirds_keep_equals_together_and_their_order(values: list[float]) -> None:
    groups = thirds(values)
    ranked = [("low", "middle", "high").index(group) for _, group in sorted(zip(values, groups, strict=True)) if group]
    assert ranked == sorted(ranked)
    assert len({(value, group) for value, group in zip(values, groups, strict=True)}) == len(set(values))
    assert ("" in groups) == (len(set(values)) == 1)


def test_two_tutors_are_compared_learner_by_learner() -> None:
    first = pd.DataFrame({"learner": ["A", "B", "C"], **{name: [0.1, 0.5, 0.9] for name in OUTCOMES}})
    second = first.assign(gain=[0.2, 0.6, 1.0], delayed=[math.nan, 0.5, 0.9])
    found = {row.outcome: row for row in paired_outcomes(first, second)}
    gain = found["gain"]
    assert gain.difference.n == 3
    assert [gain.first, gain.second] == pytest.approx([0.5, 0.6])
    assert gain.difference.low == pytest.approx(gain.difference.high), "every learner gains the same"
    assert gain.effect == pytest.approx(0.1 / 0.4 * 0.8)
    assert found["delayed"].difference.n == 2
    assert gain.clear
    assert not found["delayed"].clear
    with pytest.raises(ValueError, match="same learners"):
        paired_outcomes(first, second.assign(learner=["A", "C", "B"]))


def test_a_difference_among_fifteen_is_clear_only_where_it_would_be_among_fifteen_by_chance() -> None:
    first = pd.DataFrame({"learner": list("ABCDEFGH"), **dict.fromkeys(OUTCOMES, 0.0)})
    second = first.assign(gain=[0.0, 0.2, 0.0, 0.2, 0.0, 0.2, 0.1, 0.1], kept=[0.1, 0.2, 0.1, 0.2, 0.1, 0.2, 0.1, 0.2])
    found = {row.outcome: row for row in paired_outcomes(first, second)}
    assert found["gain"].difference.low > 0, "an interval for this outcome alone leaves out zero"
    assert not found["gain"].clear
    assert found["kept"].clear
