"""Who sits face to face."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.space import face_to_face

POINTS = st.tuples(st.integers(0, 29), st.integers(0, 19))


def faced(layout: str) -> list[int]:
    """How many each student of a six faces, of those it perceives."""
    model = ClassroomModel(load_scenario("first_lesson", layout=layout), seed=1)
    model.step()
    return [student.facing for student in model.students]


def test_in_rows_nobody_faces_a_classmate() -> None:
    assert faced("lecture") == [0] * 6


def test_at_a_table_of_three_everybody_faces_the_others_it_perceives() -> None:
    assert set(faced("collab")) <= {1, 2}  # five things are perceived, and a bag may be nearer than a classmate
    assert sum(faced("collab")) > 6


def test_in_a_ring_everybody_faces_more_than_at_a_small_table() -> None:
    assert sum(faced("round")) > sum(faced("collab"))


@pytest.mark.parametrize(("layout", "grouped"), [("lecture", False), ("round", False), ("collab", True)])
def test_only_seats_of_a_group_are_grouped(layout: str, grouped: bool) -> None:
    model = ClassroomModel(load_scenario("first_lesson", layout=layout), seed=1)
    model.step()
    assert {student.grouped for student in model.students} == {grouped}


def test_a_move_changes_whom_one_faces() -> None:
    model = ClassroomModel(load_scenario("first_lesson", layout="collab"), seed=1)
    model.step()
    student = model.students[0]
    model.placing.move(student, (2, 18))
    model.step()
    assert student.facing == 0
    assert not student.grouped


@given(one=POINTS, other=POINTS, at=POINTS)
def test_facing_is_mutual(one: tuple[int, int], other: tuple[int, int], at: tuple[int, int]) -> None:
    assert face_to_face(one, at, other, at) == face_to_face(other, at, one, at)


@given(one=POINTS, other=POINTS)
def test_those_who_look_at_each_other_face_each_other(one: tuple[int, int], other: tuple[int, int]) -> None:
    assert face_to_face(one, other, other, one) == (one != other)
