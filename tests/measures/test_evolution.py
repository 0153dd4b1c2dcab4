from __future__ import annotations

import math
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.measures import class_means, evolution, gain, load_reference, student_gains
from eduverse_mesa.measures.evolution import TRANSITION_COLUMNS, positive_transition_rate
from tests.measures.tables import cells, student_steps

REFERENCE = files("eduverse_mesa").joinpath("scenarios", "reference")


def test_transitions_by_hand():
    assert positive_transition_rate([0, 1, 1, 3, 2]) == 2 / 5
    assert math.isnan(positive_transition_rate([]))


def two_lessons():
    return student_steps(
        {"step": 1, "student": "Ana", "behaviour": "side_talk", "emotion": "confused"},
        {"step": 0, "student": "Ana", "behaviour": "sleep", "cognition": "apply"},
        {"lesson": "two", "step": 0, "student": "Ana", "behaviour": "ask_question"},
        {"lesson": "two", "step": 1, "student": "Ana", "behaviour": "answer_question", "cognition": "create"},
    )


def test_rates_and_gain_by_hand():
    table = evolution(two_lessons()).set_index("lesson")
    assert cells(table, "one", ["b_pos", "e_pos", "c_pos"]) == [0.5, 0.5, 0.5]
    assert cells(table, "one", ["b_up", "e_up", "c_up"]) == [0.5, 0.0, 0.0]  # steps in order of their numbers
    assert table.loc["two", "overall"] == pytest.approx((1 + 1 + 0.5) / 3)
    gained = gain(evolution(two_lessons()))
    assert gained["delta_b_pos"] == 0.5
    assert gained["delta_overall"] == pytest.approx(2.5 / 3 - 0.5)
    assert student_gains(evolution(two_lessons())).loc[0, "delta_b_pos"] == 0.5


def test_a_student_who_never_changes_stays_positive_all_the_time():
    """What tells that the paper's Table A13 holds states and no transitions."""
    table = evolution(student_steps(*({"step": step, "student": "Ana"} for step in range(5))))
    assert table.loc[0, "e_pos"] == 1.0
    assert table.loc[0, "e_up"] == 0.0


def test_one_lesson_gains_nothing_that_could_be_said():
    assert all(math.isnan(value) for value in gain(evolution(two_lessons().iloc[:2])).values())


def test_the_papers_gain_is_the_class_mean_of_its_students():
    table = load_reference(REFERENCE / "evolution.csv").rename(columns={"session": "lesson"})
    gained = gain(table.assign(**dict.fromkeys(TRANSITION_COLUMNS, 0.0)))
    published = load_reference(REFERENCE / "regulate_ablation.csv").set_index("variant").loc["full"]
    for ours, theirs in (("b_pos", "b_pos"), ("e_pos", "e_pos"), ("c_pos", "c_pos"), ("overall", "all")):
        assert gained[f"delta_{ours}"] == pytest.approx(published[f"delta_{theirs}"], abs=0.003)


@given(st.lists(st.integers(0, 3), min_size=1))
def test_rates_lie_between_none_and_all(levels):
    assert 0 <= positive_transition_rate(levels) < 1
    assert positive_transition_rate(sorted(levels)) == (len(set(levels)) - 1) / len(levels)


def test_means_keep_the_order_of_the_lessons():
    table = two_lessons().replace({"lesson": {"one": "zebra", "two": "ant"}})
    assert class_means(evolution(table))["lesson"].tolist() == ["zebra", "ant"]
