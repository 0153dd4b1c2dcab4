"""Seats from patterns: whole cells, ids, opposites, and what cannot be."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.layout import ArcPattern, CirclePattern, RowsPattern, Seat, Thing, expand_seats, rows_for
from eduverse_mesa.space import seat_graph
from tests.space.rooms import School, layout


def circle(**more: object) -> CirclePattern:
    return CirclePattern.model_validate({"pattern": "circle", "centre": (14, 9), "seats": 6, **more})


def test_rows_are_numbered_from_the_board() -> None:
    rows = RowsPattern(pattern="rows", origin=(10, 6), rows=2, columns=3, spacing=(2, 3), group="A")
    seats = expand_seats(layout(patterns=(rows,)))
    assert [(seat.id, seat.at, seat.row) for seat in seats] == [
        ("r1_1", (10, 6), 1),
        ("r1_2", (12, 6), 1),
        ("r1_3", (14, 6), 1),
        ("r2_1", (10, 9), 2),
        ("r2_2", (12, 9), 2),
        ("r2_3", (14, 9), 2),
    ]
    assert {seat.group for seat in seats} == {"A"}


def test_six_seats_around_a_table_lie_symmetrically_and_know_who_is_opposite() -> None:
    seats = {seat.id: seat for seat in expand_seats(layout(patterns=(circle(),)))}
    assert {seat.at for seat in seats.values()} == {(17, 9), (16, 12), (12, 12), (11, 9), (12, 6), (16, 6)}
    for seat in seats.values():
        facing = seats[str(seat.opposite)]
        assert facing.opposite == seat.id
        assert (seat.at[0] + facing.at[0], seat.at[1] + facing.at[1]) == (28, 18)


def test_an_odd_circle_has_no_opposites() -> None:
    assert {seat.opposite for seat in expand_seats(layout(patterns=(circle(seats=5),)))} == {None}


def test_an_arc_opens_towards_the_board_and_is_mirrored_on_its_axis() -> None:
    arc = ArcPattern(pattern="arc", centre=(15, 3), radius=9, seats=10, from_angle=15, to_angle=165)
    seats = expand_seats(layout(patterns=(arc,)))
    cells = [seat.at for seat in seats]
    assert all(y > 3 for _, y in cells)
    assert [(30 - x, y) for x, y in reversed(cells)] == cells
    assert [seat.id for seat in seats] == [f"a{number}" for number in range(1, 11)]
    assert {seat.row for seat in seats} == {1}


def test_a_single_seat_of_an_arc_is_in_its_middle() -> None:
    arc = ArcPattern(pattern="arc", centre=(15, 3), radius=8, seats=1)
    assert expand_seats(layout(patterns=(arc,)))[0].at == (15, 11)


@given(st.integers(2, 12), st.floats(3, 9), st.floats(-360, 360))
def test_circle_seats_are_within_half_a_cell_of_the_circle(count: int, radius: float, start: float) -> None:
    pattern = circle(seats=count, radius=radius, start_angle=start, centre=(14, 10))
    try:
        seats = expand_seats(layout(patterns=(pattern,)))
    except ScenarioError:
        reject()  # too many for this radius
    for seat in seats:
        assert abs(math.dist(seat.at, (14, 10)) - radius) <= math.sqrt(0.5) + 1e-6
        if count % 2 == 0:
            facing = next(other for other in seats if other.id == seat.opposite)
            assert (seat.at[0] - 14, seat.at[1] - 10) == (14 - facing.at[0], 10 - facing.at[1])


@pytest.mark.parametrize(
    ("given_layout", "message", "mend"),
    [
        (layout(patterns=(circle(radius=1, seats=12),)), r"in cell .* is seat 'c2' already", "larger radius"),
        (
            layout(patterns=(RowsPattern(pattern="rows", origin=(4, 4), rows=1, columns=2, spacing=(0, 2)),)),
            "seat 'r1_2'.*in cell",
            "larger spacing",
        ),
        (
            layout(seats=(Seat(id="a", at=(3, 3)), Seat(id="b", at=(3, 3)))),
            r"seat 'b': in cell \(3, 3\) is seat 'a'",
            "Move",
        ),
        (layout(seats=(Seat(id="a", at=(3, 3)), Seat(id="a", at=(4, 3)))), "two seats of this id", "prefix"),
        (layout(seats=(Seat(id="a", at=(30, 3)),)), "outside the grid", "enlarge"),
        (layout(seats=(Seat(id="a", at=(3, -1)),)), "outside the grid", "enlarge"),
        (layout(Thing(name="desk", at=(3, 3)), seats=(Seat(id="a", at=(3, 3)),)), "the object 'desk'", "Move"),
        (layout(seats=(Seat(id="a", at=(0, 0)),)), "is the teacher", "Move"),
        (layout(seats=(Seat(id="a", at=(3, 3), opposite="b"),)), "opposite is 'b'", "leave `opposite` out"),
        (layout(seats=(Seat(id="a", at=(3, 3), opposite="a"),)), "opposite is 'a'", "leave `opposite` out"),
        (layout(patterns=(circle(prefix="x" * 79),)), "prefix is longer", "Shorten"),
    ],
    ids=[
        "circle",
        "rows",
        "listed",
        "same id",
        "beyond the grid",
        "before the grid",
        "object",
        "teacher",
        "no opposite",
        "own opposite",
        "long prefix",
    ],
)
def test_seats_that_cannot_be_are_refused_with_a_mend(given_layout: object, message: str, mend: str) -> None:
    with pytest.raises(ScenarioError, match=message) as caught:
        expand_seats(given_layout)  # type: ignore[arg-type]
    assert mend in caught.value.mend
    assert caught.value.where.startswith("layout 'test'")


@pytest.mark.parametrize("students", [1, 2, 3, 6, 7, 29, 30, 31, 97, 600, 2000])
def test_rows_for_any_class(students: int) -> None:
    made = rows_for(students)
    seats = expand_seats(made)
    assert made.name == f"rows_{students}"
    assert students <= len(seats) < students + math.ceil(math.sqrt(1.5 * students))
    room = School(made).room
    assert {room.arena_at(seat.at).name for seat in seats} == {"instruction"}  # type: ignore[union-attr]
    graph = seat_graph(made)
    assert all(seat.row == 1 or seat.at[1] > seats[0].at[1] for seat in seats)
    for one, other in graph.edges:
        assert graph.nodes[one]["row"] == graph.nodes[other]["row"]
    assert students < 2 or graph.number_of_edges() > 0


def test_rows_for_small_classes_have_the_room_of_the_paper() -> None:
    assert (rows_for(30).grid.width, rows_for(30).grid.height) == (30, 20)


@pytest.mark.parametrize("students", [0, -3, 10**6])
def test_no_rows_for_impossible_classes(students: int) -> None:
    with pytest.raises(ScenarioError, match=str(students)):
        rows_for(students)
