"""What a seating plan has to keep, and plans that keep it.

Constraints are few and rooms are small, so plans are found by trying seats for the constrained students in turn, those
with the fewest choices first; everybody else takes any seat that is left. Most wishes are met or refuted soon;
where many contradict each other in a large class, the search ends before it knows, and says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Literal, NamedTuple

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
    """What came of looking for seats."""

    seats: dict[int, SeatName] | None
    proven: bool
    """Where there are none: whether all was tried."""


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
