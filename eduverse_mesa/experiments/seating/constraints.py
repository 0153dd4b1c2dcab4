"""What a seating plan has to keep, and plans that keep it.

Constraints are few and rooms are small, so plans are found by trying seats for the constrained students in turn, those
with the fewest choices first; everybody else takes any seat that is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Literal

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.experiments.seating.plans import Hall, Plan, SeatName
from eduverse_mesa.scenarios import Scenario
from eduverse_mesa.scenarios.people import Student
from eduverse_mesa.scenarios.problems import suggest

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
    """No plan keeps all constraints; `those` cannot be kept at once."""

    def __init__(self, those: Sequence[Constraint], layout: str) -> None:
        self.those = tuple(those)
        listed = "; ".join(map(str, those))
        super().__init__(
            f"no seating plan keeps: {listed}.",
            where=f"layout '{layout}'",
            mend="Take one of them back." if len(those) > 1 else "Take it back, or choose another layout.",
        )


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

    def __init__(self, students: Sequence[Student], constraints: Iterable[Constraint], present: Plan) -> None:
        self.students = tuple(students)
        self.constraints = tuple(dict.fromkeys(constraints))
        self.present = present
        self._place = {student.name: place for place, student in enumerate(self.students)}
        self._groups = [student.group for student in self.students]

    def broken(self, plan: Plan, hall: Hall) -> list[Constraint]:
        """The constraints that a plan does not keep."""
        return [one for one in self.constraints if not self._keeps(dict(enumerate(plan.seats)), one, hall)]

    def draw(self, hall: Hall, luck: Random) -> Plan:
        """A plan at random that keeps every constraint; an ImpossibleError names those that cannot be kept at once."""
        seats = list(hall.seats)
        luck.shuffle(seats)
        drawn = self._solve(self.constraints, hall, seats)
        if drawn is None:
            raise ImpossibleError(self._smallest(hall, seats), hall.name)
        taken = set(drawn.values())
        free = iter([seat for seat in seats if seat not in taken])
        chosen = (drawn[place] if place in drawn else next(free) for place in range(len(self.students)))
        return Plan(hall.name, tuple(chosen))

    def neighbour(self, plan: Plan, hall: Hall, luck: Random) -> Plan | None:
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
            found = Plan(plan.layout, tuple(seats))
            if found != plan and not self.broken(found, hall):
                return found
        return None

    # --- finding ---

    def _keeps(self, seats: dict[int, SeatName], constraint: Constraint, hall: Hall) -> bool:
        """Whether a constraint holds; while some have no seat yet, whether it still can."""
        places = [self._place[name] for name in constraint.students]
        seated = [place for place in places if place in seats]
        if constraint.demand == "front":
            return all(seats[place] in hall.front for place in seated)
        if constraint.demand == "fixed":
            at_home = hall.name == self.present.layout
            return at_home and all(seats[place] == self.present.seats[place] for place in seated)
        if constraint.demand == "apart":
            return not any(self._linked(seats, one, other, hall) for one, other in combinations(seated, 2))
        if len(seated) < len(places):  # one who has no seat yet may sit beside anybody
            return True
        return all(any(self._linked(seats, one, other, hall) for other in seated if other != one) for one in seated)

    def _linked(self, seats: dict[int, SeatName], one: int, other: int, hall: Hall) -> bool:
        return hall.linked(seats[one], seats[other], (self._groups[one], self._groups[other]))

    def _solve(
        self, constraints: Sequence[Constraint], hall: Hall, seats: Sequence[SeatName]
    ) -> dict[int, SeatName] | None:
        """Seats for all students that constraints speak of, or None."""
        spoken = {self._place[name] for one in constraints for name in one.students}
        about = {place: [one for one in constraints if self.students[place].name in one.students] for place in spoken}
        choices = {
            place: [seat for seat in seats if all(self._keeps({place: seat}, one, hall) for one in about[place])]
            for place in spoken
        }
        order = sorted(spoken, key=lambda place: (len(choices[place]), -len(about[place]), place))
        tries = [0]

        def fill(number: int, chosen: dict[int, SeatName]) -> dict[int, SeatName] | None:
            if number == len(order):
                return chosen
            place = order[number]
            for seat in choices[place]:
                if seat in chosen.values() or tries[0] > _MOST_TRIES:
                    continue
                tries[0] += 1
                trial = {**chosen, place: seat}
                if all(self._keeps(trial, one, hall) for one in about[place]) and (found := fill(number + 1, trial)):
                    return found
            return None

        return fill(0, {})

    def _smallest(self, hall: Hall, seats: Sequence[SeatName]) -> list[Constraint]:
        """Constraints of which none can be left out if the rest is to stay impossible."""
        those = list(self.constraints)
        for one in self.constraints:
            rest = [other for other in those if other != one]
            if rest and self._solve(rest, hall, seats) is None:
                those = rest
        return those
