"""The room: Mesa's grid with furniture and people, one thing a cell (EduVerse C.1, Table A3)."""

from __future__ import annotations

from functools import lru_cache
from math import dist
from typing import Any, NamedTuple

from mesa.discrete_space import Cell, CellAgent, CellCollection, FixedAgent, OrthogonalVonNeumannGrid

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.layout import Arena, Layout, Sector, Thing

Place = tuple[int, int]


class Refusal(NamedTuple):
    """Why a move was not made."""

    reason: str


@lru_cache(maxsize=64)
def _offsets(radius: float) -> tuple[Place, ...]:
    """Steps to all cells within a Euclidean radius, nearest first."""
    reach = int(radius)
    found = [
        (x, y)
        for x in range(-reach, reach + 1)
        for y in range(-reach, reach + 1)
        if (x, y) != (0, 0) and x * x + y * y <= radius * radius
    ]
    return tuple(sorted(found, key=lambda step: (step[0] ** 2 + step[1] ** 2, step)))


class RoomCell(Cell):  # type: ignore[misc, unused-ignore]
    """A cell whose neighbourhood is Euclidean.

    Mesa's own neighbourhoods count steps, and remember themselves in a cache of the class that keeps the cells of
    every model alive; a neighbourhood here is worked out when it is asked for.
    """

    grid: RoomGrid

    def get_neighborhood(self, radius: float = 1, include_center: bool = False) -> Any:
        """The cells within the radius, nearest first."""
        return CellCollection(self._neighborhood(radius, include_center), random=self.random)

    def _neighborhood(self, radius: float = 1, include_center: bool = False) -> dict[Any, list[Any]]:
        x, y = self.coordinate
        cells = self.grid._cells
        found = {self: self._agents} if include_center else {}
        for across, down in _offsets(radius):
            cell = cells.get((x + across, y + down))
            if cell is not None:
                found[cell] = cell._agents
        return found


class RoomGrid(OrthogonalVonNeumannGrid):  # type: ignore[misc, unused-ignore]
    """Mesa's grid of capacity-1 cells."""

    def __init__(self, width: int, height: int, random: Any) -> None:
        super().__init__((width, height), torus=False, capacity=1, random=random, cell_klass=RoomCell)
        for cell in self._cells.values():
            cell.grid = self


class Furniture(FixedAgent):  # type: ignore[misc, unused-ignore]
    """An object that stays where it is, with the items on it."""

    def __init__(self, model: Any, thing: Thing, cell: Any) -> None:
        super().__init__(model)
        self.name = thing.name
        self.kind = thing.kind
        self.items = thing.items
        self.cell = cell
        # Mesa counts everything that stands in a cell among the model's agents; furniture does not act.
        model.deregister_agent(self)


class Room:
    """Who and what is where."""

    def __init__(self, model: Any, layout: Layout) -> None:
        self.layout = layout
        self.grid = RoomGrid(layout.grid.width, layout.grid.height, model.random)
        self.furniture: list[Furniture] = []
        for sector in layout.sectors:
            for arena in sector.arenas:
                for thing in arena.objects:
                    self.furniture.append(self._stand(model, thing))
        boards = [thing.cell.coordinate for thing in self.furniture if thing.kind in ("board", "whiteboard")]
        if not boards:
            boards = [layout.teacher]  # a room without a board: what is shown is shown where the teacher is
        self.board: tuple[float, float] = (
            sum(x for x, _ in boards) / len(boards),
            sum(y for _, y in boards) / len(boards),
        )

    def _stand(self, model: Any, thing: Thing) -> Furniture:
        refusal = self.refusal(thing.at)
        if refusal is not None:
            raise ScenarioError(
                f"'{thing.name}' cannot stand on {thing.at}: {refusal.reason}.",
                where=self.layout.name,
                mend="Move it to a free cell.",
            )
        return Furniture(model, thing, self.grid[thing.at])

    def refusal(self, place: Place) -> Refusal | None:
        """Why nobody can go to this cell; None when it is free."""
        cell = self.grid._cells.get(tuple(place))
        if cell is None:
            return Refusal(f"it is off the {self.layout.grid.width} x {self.layout.grid.height} grid")
        if not cell._agents:
            return None
        there = cell._agents[0]
        name = getattr(there, "name", "something")
        return Refusal(f"{name} stands there" if isinstance(there, Furniture) else f"{name} is there")

    def move(self, agent: Any, place: Place) -> Refusal | None:
        """Put somebody on a cell; where that cannot be, say why and leave everybody where they are."""
        # Asked before the move: Mesa 3.3 takes an agent off its old cell before it finds the new one full.
        refusal = self.refusal(place)
        if refusal is None:
            agent.cell = self.grid[tuple(place)]
        return refusal

    def swap(self, one: CellAgent, other: CellAgent) -> None:
        """Let two people change places."""
        here, there = one.cell, other.cell
        one.cell = None
        other.cell = here
        one.cell = there

    def arena_at(self, place: Place) -> Arena | None:
        """The arena a cell is in; the first that holds it."""
        for sector in self.layout.sectors:
            for arena in sector.arenas:
                left, top, right, bottom = arena.area
                if left <= place[0] <= right and top <= place[1] <= bottom:
                    return arena
        return None

    def sector_at(self, place: Place) -> Sector | None:
        """The sector a cell is in."""
        arena = self.arena_at(place)
        return next((sector for sector in self.layout.sectors if arena in sector.arenas), None) if arena else None

    def distance(self, one: Any, other: Any) -> float:
        """Cells between two people, as the crow flies."""
        return dist(one.cell.coordinate, other.cell.coordinate)

    def distance_to_board(self, agent: Any) -> float:
        """Cells to the board; to the middle of several."""
        return dist(agent.cell.coordinate, self.board)
