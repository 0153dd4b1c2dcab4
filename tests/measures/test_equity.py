from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.measures import (
    gini,
    gini_speaking_turns,
    gini_teacher_attention,
    participation,
    participation_by_seat,
    seat_zones,
)
from tests.measures.tables import cells, student_steps, teacher_steps, transcript

amounts = st.lists(st.integers(0, 10**6), min_size=1).filter(any)


def test_gini_by_hand():
    assert gini([1, 1, 1]) == 0
    assert gini([0, 0, 0, 8]) == 0.75
    assert gini([1, 3]) == 0.25
    assert math.isnan(gini([0, 0]))
    with pytest.raises(ValueError, match="negative"):
        gini([-1, 2])


@given(amounts, st.floats(1e-3, 1e3), st.randoms(use_true_random=False))
def test_gini_is_bounded_and_blind_to_order_and_scale(values, factor, random):
    shuffled = random.sample(values, len(values))
    assert 0 <= gini(values) <= 1
    assert gini(shuffled) == pytest.approx(gini(values))
    assert gini([factor * value for value in values]) == pytest.approx(gini(values))


@given(st.integers(1, 10**6), st.integers(1, 50))
def test_gini_of_equals_is_nothing(value, count):
    assert gini([value] * count) == pytest.approx(0)


def test_speaking_turns_count_the_silent_who_are_named():
    talk = transcript("T: Who knows?\nS:Ana: Me.\nS:Ana: Four.\nS:Bo: Five.\nT: Ana?\nS:Ana: Four!")
    assert gini_speaking_turns(talk) == pytest.approx(gini([2, 1]))
    assert gini_speaking_turns(talk, ["Ana", "Bo", "Cy"]) == pytest.approx(gini([2, 1, 0]))
    assert math.isnan(gini_speaking_turns(talk.assign(channel="peer"), ["Ana", "Bo"]))


def test_attention_adds_calls_and_feedback():
    table = student_steps(
        {"step": 0, "student": "Ana", "called": True, "feedback": "positive"},
        {"step": 0, "student": "Bo"},
        {"step": 1, "student": "Ana", "feedback": "negative"},
        {"step": 1, "student": "Bo", "called": True},
    )
    assert gini_teacher_attention(table) == pytest.approx(gini([3, 1]))


def test_zones_of_rows_before_a_board():
    seats = {f"{row}{column}": (float(4 * column), float(5 * row)) for row in range(3) for column in range(5)}
    zones = seat_zones(seats, board=(8.0, -20.0)).set_index("student")
    assert cells(zones, "02", ["depth", "side"]) == ["front", "centre"]
    assert zones.loc["12", "depth"] == "middle"
    assert zones.loc["22", "depth"] == "back"
    assert zones.loc[["00", "04", "20"], "side"].tolist() == ["side"] * 3
    assert zones.loc["21", "side"] == "centre"


def test_a_ring_around_the_board_has_no_side_and_no_back():
    zones = seat_zones({"a": (1, 0), "b": (-1, 0), "c": (0, 1), "d": (0, -1)}, board=(0, 0))
    assert set(zones["depth"]) == {"front"}
    assert set(zones["side"]) == {"centre"}


def test_participation_by_seat_shows_who_takes_part():
    table = student_steps(
        {"step": 0, "student": "Ana", "behaviour": "hand_raise", "addressee": "teacher", "y": 1.0},
        {"step": 1, "student": "Ana", "behaviour": "ask_question", "addressee": "teacher", "y": 1.0},
        {"step": 0, "student": "Bo", "behaviour": "group_discussion", "addressee": "group", "y": 9.0},
        {"step": 1, "student": "Bo", "behaviour": "ask_question", "addressee": "Ana", "y": 9.0},
    )
    assert participation(table) == {"Ana": 1.0, "Bo": 0.0}
    organised = teacher_steps({"act": "organising_discussion"}, {})
    assert participation(table, organised) == {"Ana": 1.0, "Bo": 0.5}
    zones = participation_by_seat(table, (0.0, 0.0), organised)
    assert (zones["front"], zones["back"]) == (1.0, 0.5)
    assert math.isnan(zones["middle"])


def test_without_seats_there_are_no_zones():
    table = student_steps({"step": 0, "student": "Ana", "x": math.nan})
    assert all(math.isnan(rate) for rate in participation_by_seat(table, (0.0, 0.0)).values())
