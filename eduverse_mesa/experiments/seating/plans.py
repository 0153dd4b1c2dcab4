"""Seating plans: who sits where, in which room."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from eduverse_mesa.scenarios import Scenario
from eduverse_mesa.scenarios.base import Place
from eduverse_mesa.scenarios.drafting.opening import write_out
from eduverse_mesa.scenarios.drafting.seating import place_students
from eduverse_mesa.scenarios.layout import Layout, Seat, SeatRule
from eduverse_mesa.scenarios.people import Student
from eduverse_mesa.scenarios.seats import all_things, expand_seats
from eduverse_mesa.space import student_graph

SeatName = str | Place
"""The id of a seat, or the cell of somebody who sits beside all seats."""
_BANDS = 3


@dataclass(frozen=True)
class Plan:
    """A layout's name, and a seat for each student in the order of the class."""

    layout: str
    seats: tuple[SeatName, ...]

    def of(self, students: Iterable[Student]) -> dict[str, SeatName]:
        """Who sits where."""
        return {student.name: seat for student, seat in zip(students, self.seats, strict=True)}


class Hall:
    """A room, and what a plan has to know of its seats: which are linked, and which are in front."""

    def __init__(self, layout: Layout, cells: Iterable[Place] = ()) -> None:
        self.layout = layout
        self.seats: dict[SeatName, Seat] = {seat.id: seat for seat in expand_seats(layout)}
        self.seats |= {cell: Seat(id=f"cell {cell[0]},{cell[1]}", at=cell) for cell in cells}
        self.front = self._front()

    @property
    def name(self) -> str:
        """The layout's name."""
        return self.layout.name

    def linked(self, one: SeatName, other: SeatName, groups: tuple[str | None, str | None] = (None, None)) -> bool:
        """Whether two students in these seats could easily turn to each other; a student's own group counts before the
        seat's."""
        pair = tuple(_grouped(self.seats[seat], group) for seat, group in zip((one, other), groups, strict=True))
        return _linked(pair[0], pair[1], self.layout.seat_graph)

    def _front(self) -> frozenset[SeatName]:
        """The seats in the nearest of three equal bands of distance from the board, as in measures.seat_zones."""
        board = next((thing.at for _, thing in all_things(self.layout) if thing.kind == "board"), self.layout.teacher)
        distances = {name: math.dist(seat.at, board) for name, seat in self.seats.items()}
        nearest, furthest = min(distances.values()), max(distances.values())
        limit = nearest + (furthest - nearest) / _BANDS
        return frozenset(name for name, distance in distances.items() if distance <= limit)


def _grouped(seat: Seat, group: str | None) -> Seat:
    return seat if group is None else seat.model_copy(update={"group": group})


@lru_cache(maxsize=65536)
def _linked(one: Seat, other: Seat, rules: tuple[SeatRule, ...]) -> bool:
    # Every rule speaks of pairs: whether two are linked does not depend on anybody else.
    return student_graph({"one": one, "other": other}, rules).has_edge("one", "other")


def present_plan(scenario: Scenario) -> Plan:
    """Who sits where when the lesson begins, wished for or not."""
    sitting = place_students(write_out(scenario))
    placed = (sitting[student.name] for student in scenario.roll.students)
    return Plan(scenario.layout.name, tuple(seat.id if real else seat.at for seat, real in placed))


def with_plan(scenario: Scenario, plan: Plan, halls: Mapping[str, Hall]) -> Scenario:
    """The scenario with another plan, every seat written down."""
    students = tuple(student.model_copy(update={"seat": None}) for student in scenario.roll.students)
    return scenario.model_copy(
        update={
            "layout": halls[plan.layout].layout,
            "roll": scenario.roll.model_copy(update={"students": students}),
            "seating": plan.of(students),
        }
    )
