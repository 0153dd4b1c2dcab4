"""Seats for a whole class, and who answers with people in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from eduverse_mesa.policies import AnyPolicy
from eduverse_mesa.policies.embedded import EmbeddedPolicy
from eduverse_mesa.policies.human import HumanPolicy, Role, Seat
from eduverse_mesa.policies.sharing import need_live
from eduverse_mesa.scenarios import Scenario
from eduverse_mesa.scenarios.parameters import load_parameters
from eduverse_mesa.scenarios.people import teacher_of


def seats_of(scenario: Scenario, changed: Callable[[Seat], None] | None = None) -> dict[str, Seat]:
    """A seat for the teacher and for every student, by name; nobody sits in them yet."""
    teacher = teacher_of(scenario.roll)
    roles: dict[str, Role] = {teacher.name: "teacher"}
    roles |= {one.name: "student" for one in scenario.roll.students}
    told = scenario.settings.llm.told_of_harm
    return {name: Seat(name, role, changed, told_of_harm=told) for name, role in roles.items()}


def with_people(scenario: Scenario, seats: Mapping[str, Seat]) -> Callable[[AnyPolicy], AnyPolicy]:
    """What makes of a run's policy one that asks the people first."""
    own = EmbeddedPolicy(load_parameters(dict(scenario.settings.parameters)))

    def wrap(rest: AnyPolicy) -> AnyPolicy:
        need_live(rest.name, scenario.settings.llm)
        return HumanPolicy(rest, seats, own, scenario.settings.people.wait)

    return wrap
