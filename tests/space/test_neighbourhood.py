"""Perception: the nearest few things, the same whichever way they are found, and new when something moves."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.scenarios.layout import Thing, expand_seats, rows_for
from eduverse_mesa.space import Percept, perceive
from eduverse_mesa.space.neighbourhood import _by_rings, _by_things
from tests.space.rooms import Person, School, layout

PLACES = st.tuples(st.integers(0, 29), st.integers(0, 19))


def names(percepts: tuple[Percept, ...]) -> list[str]:
    return [percept.name for percept in percepts]


def test_nearest_first_and_no_more_than_the_capacity() -> None:
    desk = Thing(name="desk", kind="desk", at=(6, 4), items=("pen",))
    school = School(layout(desk), {"me": (4, 4), "near": (4, 5), "far": (4, 11), "out": (4, 13)})
    seen = perceive(school.room, school.people["me"], 8.0, 5)
    assert seen == (
        Percept("student", "near", 1.0, (4, 5)),
        Percept("desk", "desk", 2.0, (6, 4), ("pen",)),
        Percept("student", "far", 7.0, (4, 11)),
    )
    assert names(perceive(school.room, school.people["me"], 8.0, 2)) == ["near", "desk"]
    assert names(perceive(school.room, school.people["me"], 1.5, 5)) == ["near"]
    assert perceive(school.room, school.people["me"], 8.0, 0) == ()


def test_the_equally_near_come_in_a_fixed_order() -> None:
    things = (Thing(name="a chair", kind="other", at=(4, 6)), Thing(name="z", kind="board", at=(6, 4)))
    school = School(layout(*things), {"me": (4, 4), "Zhang": (2, 4)})
    teacher = Person(school, "A", "teacher")
    assert school.room.move(teacher, (4, 2)) is None
    assert names(perceive(school.room, school.people["me"], 8.0, 5)) == ["Zhang", "A", "z", "a chair"]


def test_a_ring_that_overflows_is_cut_by_the_fixed_order() -> None:
    around = {"d": (5, 4), "c": (3, 4), "b": (4, 5), "a": (4, 3)}
    school = School(layout(), {"me": (4, 4), **around})
    assert names(perceive(school.room, school.people["me"], 8.0, 3)) == ["a", "b", "c"]


@given(st.sets(PLACES, min_size=1, max_size=120), st.floats(0.5, 40), st.integers(0, 12))
def test_both_ways_of_looking_find_what_a_plain_sort_finds(
    cells: set[tuple[int, int]], radius: float, capacity: int
) -> None:
    occupied = {cell: Person(SCHOOL, f"n{number}") for number, cell in enumerate(sorted(cells))}
    centre = min(cells)
    plain = sorted(
        (math.dist(cell, centre), person.name, cell)
        for cell, person in occupied.items()
        if cell != centre and math.dist(cell, centre) <= radius
    )
    expected = [(name, cell) for _, name, cell in plain[:capacity]]
    if capacity:
        for look in (_by_rings, _by_things):
            assert [(seen.name, seen.cell) for seen in look(occupied, centre, radius, capacity)] == expected


SCHOOL = School(layout())


def test_the_answer_is_kept_until_something_moves() -> None:
    school = School(layout(), {"me": (4, 4), "a": (4, 5), "b": (20, 15)})
    me, room = school.people["me"], school.room
    first = perceive(room, me, 8.0, 5)
    assert perceive(room, me, 8.0, 5) is first
    assert room.move(school.people["b"], (4, 6)) is None
    assert names(perceive(room, me, 8.0, 5)) == ["a", "b"]
    school.people["a"].move_relative((1, 0))
    assert names(perceive(room, me, 8.0, 5)) == ["a", "b"]
    assert perceive(room, me, 8.0, 5)[0].cell == (5, 5)
    school.people["a"].remove()
    assert names(perceive(room, me, 8.0, 5)) == ["b"]


class Counting(dict[Any, Any]):
    """What is where, counting how often somebody looks."""

    looks = 0

    def get(self, *key: Any) -> Any:
        self.looks += 1
        return super().get(*key)

    def items(self) -> Any:
        self.looks += len(self)
        return super().items()


def test_a_seat_in_a_class_of_600_costs_no_more_than_one_in_a_small_class() -> None:
    looks = []
    for size in (60, 600):
        made = rows_for(size)
        seats = [seat.at for seat in expand_seats(made)][:size]
        school = School(made, {f"s{number}": cell for number, cell in enumerate(seats)})
        grid = school.room.grid
        counting = grid.occupied = Counting(grid.occupied)
        for person in school.people.values():
            perceive(school.room, person, 8.0, 5)
        looks.append(counting.looks / size)
    assert looks[1] <= looks[0]
