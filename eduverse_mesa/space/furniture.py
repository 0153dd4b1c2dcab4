"""Furniture: the fixed objects of a room, with the items that lie on them (objects and items of C.1.1)."""

from __future__ import annotations

from typing import Any

from mesa.discrete_space import FixedAgent

from eduverse_mesa.scenarios.layout import Thing
from eduverse_mesa.space.numbering import AGENT_NUMBERS


class Furniture(FixedAgent):  # type: ignore[misc, unused-ignore]
    """An object that stays where it stands."""

    _ids = AGENT_NUMBERS  # type: ignore[assignment, unused-ignore]

    def __init__(self, model: Any, thing: Thing, cell: Any, arena: str) -> None:
        super().__init__(model)
        self.name = thing.name
        self.kind: str = thing.kind
        self.role = "object"
        self.items = thing.items
        self.radius = thing.radius
        self.arena = arena
        self.place: tuple[int, int] = thing.at
        self.cell = cell
        # Mesa counts what stands in a cell among the model's agents; those act and are recorded, furniture is not.
        model.deregister_agent(self)

    def __repr__(self) -> str:
        return f"Furniture({self.name!r}, {self.place})"
