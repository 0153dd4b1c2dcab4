"""Seating plans: the seat of each student in a room, constraints on plans, and the rules that draw and check plans."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from random import Random
from typing import Literal, NamedTuple

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.scenarios import Scenario
from eduverse_mesa.scenarios.base import Place
from eduverse_mesa.scenarios.drafts.origin import write_out
from eduverse_mesa.scenarios.drafts.placement import place_students
from eduverse_mesa.scenarios.layout import Layout, Seat, all_things, expand_seats
from eduverse_mesa.scenarios.layout_rules import SeatRule
from eduverse_mesa.scenarios.people import Student
from eduverse_mesa.scenarios.problems import suggest
from eduverse_mesa.space import student_graph

SeatName = str | Place
"""The id of a seat, or the cell of somebody who sits beside all seats."""
_BANDS = 3


@dataclass(frozen=True)
class SeatingPlan:
    """A layout's name, and a seat for each student in the order of the class."""

    layout: str
    seats: tuple[SeatName, ...]

    def of(self, students: Iterable[Student]) -> dict[str, SeatName]:
        """Return the seat of each student by name."""
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
        """Return True if two students in these seats could easily turn to each other; a student's own group counts
        before the seat's."""
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


def present_plan(scenario: Scenario) -> SeatingPlan:
    """Return the seats that the students have when the lesson begins, wished for or not."""
    sitting = place_students(write_out(scenario))
    placed = (sitting[student.name] for student in scenario.roll.students)
    return SeatingPlan(scenario.layout.name, tuple(seat.id if real else seat.at for seat, real in placed))


def with_plan(scenario: Scenario, plan: SeatingPlan, halls: Mapping[str, Hall]) -> Scenario:
    """The scenario with another plan, every seat written down."""
    students = tuple(student.model_copy(update={"seat": None}) for student in scenario.roll.students)
    return scenario.model_copy(
        update={
            "layout": halls[plan.layout].layout,
            "roll": scenario.roll.model_copy(update={"students": students}),
            "seating": plan.of(students),
        }
    )


Demand = Literal["apart", "together", "front", "fixed"]
_MOST_TRIES = 20_000
_NEED = {"apart": 2, "together": 2, "front": 1, "fixed": 1}


@dataclass(frozen=True)
class Constraint:
    """One demand on some students.

    apart: none of them are neighbours, that is, linked in the seat graph. together: each is linked with another of
    them. front: they sit in the third of the room that is nearest to the board. fixed: they stay where they are.
    """

    demand: Demand
    students: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.demand} {', '.join(self.students)}"


class ImpossibleError(EduverseError):
    """`those` cannot be kept at once, if this is `proven`; else no plan that keeps them was found."""

    def __init__(self, those: Sequence[Constraint], layout: str, proven: bool = True) -> None:
        self.those = tuple(those)
        self.proven = proven
        listed = "; ".join(map(str, those))
        super().__init__(
            f"no seating plan keeps: {listed}."
            if proven
            else f"no seating plan was found in {_MOST_TRIES:,} tries that keeps: {listed}; there may be one.",
            where=f"layout '{layout}'",
            mend="Take one of them back." if len(those) > 1 else "Take it back, or choose another layout.",
        )


class _Solved(NamedTuple):
    """The result of looking for seats."""

    seats: dict[int, SeatName] | None
    proven: bool
    """True, where there are no seats, if all was tried."""


def read_constraint(demand: Demand, text: str, scenario: Scenario) -> Constraint:
    """`A,B` as a constraint on students of the scenario."""
    known = [student.name for student in scenario.roll.students]
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    for name in names:
        if name not in known:
            raise EduverseError(
                f"there is no student '{name[:80]}'.",
                where=f"{demand}={text[:80]}",
                mend=f"{suggest(name, known)}Students: {', '.join(known[:30])}.",
            )
    if len(set(names)) < max(_NEED[demand], len(names)):
        need = "two names" if _NEED[demand] > 1 else "a name"
        raise EduverseError(
            f"{demand} needs {need}, each once.", where=f"{demand}={text[:80]}", mend=f"Write {demand} as NAME,NAME."
        )
    return Constraint(demand, names)


class Rules:
    """All constraints of a search, ready to be asked."""

    def __init__(self, students: Sequence[Student], constraints: Iterable[Constraint], present: SeatingPlan) -> None:
        self.students = tuple(students)
        self.constraints = tuple(dict.fromkeys(constraints))
        self.present = present
        self._place = {student.name: place for place, student in enumerate(self.students)}
        self._groups = [student.group for student in self.students]

    def broken(self, plan: SeatingPlan, hall: Hall) -> list[Constraint]:
        """The constraints that a plan does not keep."""
        return [one for one in self.constraints if not self._keeps(dict(enumerate(plan.seats)), one, hall)]

    def draw(self, hall: Hall, luck: Random) -> SeatingPlan:
        """A plan at random that keeps every constraint, or the present one if no other was found and it does; else an
        ImpossibleError names those that stand against each other."""
        seats = list(hall.seats)
        luck.shuffle(seats)
        drawn, proven = self._solve(self.constraints, hall, seats)
        if drawn is None:
            if hall.name == self.present.layout and not self.broken(self.present, hall):
                return self.present
            raise self._refusal(hall, seats, proven)
        taken = set(drawn.values())
        free = iter([seat for seat in seats if seat not in taken])
        chosen = (drawn[place] if place in drawn else next(free) for place in range(len(self.students)))
        return SeatingPlan(hall.name, tuple(chosen))

    def neighbour(self, plan: SeatingPlan, hall: Hall, luck: Random) -> SeatingPlan | None:
        """A plan in which two students have changed places, or one has moved to a free seat; None where there is
        none that keeps the constraints, as far as a few tries can tell."""
        free = [seat for seat in hall.seats if seat not in plan.seats]
        for _ in range(64):
            seats = list(plan.seats)
            one = luck.randrange(len(seats))
            other = luck.randrange(len(seats) + len(free))
            if other < len(seats):
                seats[one], seats[other] = seats[other], seats[one]
            else:
                seats[one] = free[other - len(seats)]
            found = SeatingPlan(plan.layout, tuple(seats))
            if found != plan and not self.broken(found, hall):
                return found
        return None

    # --- finding ---

    def _keeps(self, seats: dict[int, SeatName], constraint: Constraint, hall: Hall) -> bool:
        """Return True if a constraint holds; while some have no seat yet, if it still can."""
        places = [self._place[name] for name in constraint.students]
        seated = [place for place in places if place in seats]
        if constraint.demand == "front":
            return all(seats[place] in hall.front for place in seated)
        if constraint.demand == "fixed":
            at_home = hall.name == self.present.layout
            return at_home and all(seats[place] == self.present.seats[place] for place in seated)
        if constraint.demand == "apart":
            return not any(self._linked(seats, one, other, hall) for one, other in combinations(seated, 2))
        waiting = len(places) - len(seated)
        alone = [
            one for one in seated if not any(self._linked(seats, one, other, hall) for other in seated if other != one)
        ]
        if not waiting or not alone:
            return not alone
        missing = [place for place in places if place not in seats]
        beside = [self._beside(seats, one, missing, hall) for one in alone]
        return all(beside) and (waiting > 1 or bool(frozenset.intersection(*beside)))

    def _beside(self, seats: dict[int, SeatName], one: int, missing: Sequence[int], hall: Hall) -> frozenset[SeatName]:
        """The free seats in which somebody who has none yet would be linked with one who has."""
        taken = set(seats.values())
        groups = {self._groups[other] for other in missing}
        return frozenset(
            seat
            for seat in hall.seats
            if seat not in taken and any(hall.linked(seats[one], seat, (self._groups[one], group)) for group in groups)
        )

    def _linked(self, seats: dict[int, SeatName], one: int, other: int, hall: Hall) -> bool:
        return hall.linked(seats[one], seats[other], (self._groups[one], self._groups[other]))

    def _solve(self, constraints: Sequence[Constraint], hall: Hall, seats: Sequence[SeatName]) -> _Solved:
        """Seats for all students that constraints speak of."""
        spoken = {self._place[name] for one in constraints for name in one.students}
        about = {place: [one for one in constraints if self.students[place].name in one.students] for place in spoken}
        choices = {
            place: [seat for seat in seats if all(self._keeps({place: seat}, one, hall) for one in about[place])]
            for place in spoken
        }
        for constraint in constraints:
            places = [self._place[name] for name in constraint.students]
            if len({seat for place in places for seat in choices[place]}) < len(places):  # eleven in ten seats
                return _Solved(None, True)
        order = sorted(spoken, key=lambda place: (len(choices[place]), -len(about[place]), place))
        tries = 0

        def fill(number: int, chosen: dict[int, SeatName]) -> dict[int, SeatName] | None:
            nonlocal tries
            if number == len(order):
                return chosen
            place = order[number]
            for seat in self._likely_first(choices[place], chosen, about[place], hall):
                if seat in chosen.values():
                    continue
                if tries >= _MOST_TRIES:
                    return None
                tries += 1
                trial = {**chosen, place: seat}
                if all(self._keeps(trial, one, hall) for one in about[place]) and (found := fill(number + 1, trial)):
                    return found
            return None

        found = fill(0, {})
        return _Solved(found, tries < _MOST_TRIES)

    def _likely_first(
        self, choices: Sequence[SeatName], chosen: dict[int, SeatName], about: Sequence[Constraint], hall: Hall
    ) -> Sequence[SeatName]:
        """All choices, those first that are beside somebody who still waits for company."""
        wanted = frozenset[SeatName]()
        for constraint in about:
            if constraint.demand == "together":
                places = [self._place[name] for name in constraint.students]
                seated = [place for place in places if place in chosen]
                missing = [place for place in places if place not in chosen]
                for one in seated:
                    if not any(self._linked(chosen, one, other, hall) for other in seated if other != one):
                        wanted |= self._beside(chosen, one, missing, hall)
        return sorted(choices, key=lambda seat: seat not in wanted) if wanted else choices

    def _refusal(self, hall: Hall, seats: Sequence[SeatName], proven: bool) -> ImpossibleError:
        """With constraints of which none can be left out if the rest is to stay as impossible as it is known to be."""
        those = list(self.constraints)
        for one in self.constraints:
            rest = [other for other in those if other != one]
            if not rest:
                break
            solved = self._solve(rest, hall, seats)
            if solved.seats is None and (solved.proven or not proven):
                those, proven = rest, solved.proven
        return ImpossibleError(those, hall.name, proven)
