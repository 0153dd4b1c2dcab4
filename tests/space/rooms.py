"""Rooms that the tests of space share."""

from __future__ import annotations

from typing import Any

import mesa
from mesa.discrete_space import CellAgent

from eduverse_mesa.scenarios.layout import Arena, Grid, Layout, Sector, Thing
from eduverse_mesa.space import AGENT_NUMBERS, Room


class Person(CellAgent):
    """Somebody with a name and a role."""

    _ids = AGENT_NUMBERS  # type: ignore[assignment, unused-ignore]
    cell: Any  # type: ignore[assignment, unused-ignore]

    def __init__(self, model: Any, name: str, role: str = "student") -> None:
        super().__init__(model)
        self.name = name
        self.role = role


class School(mesa.Model):
    """A model that has a room and people in it."""

    def __init__(self, layout: Layout, places: dict[str, tuple[int, int]] | None = None) -> None:
        super().__init__(rng=1)
        self.room = Room(self, layout)
        self.people = {name: Person(self, name) for name in places or {}}
        for name, cell in (places or {}).items():
            assert self.room.move(self.people[name], cell) is None


def layout(*objects: Thing, width: int = 30, height: int = 20, **more: Any) -> Layout:
    """A room with these objects in one arena that covers all of it."""
    arena = Arena(name="all", area=(0, 0, width - 1, height - 1), objects=objects)
    given = {"sectors": (Sector(name="zone", arenas=(arena,)),), "teacher": (0, 0), **more}
    return Layout(name="test", grid=Grid(width=width, height=height), **given)
