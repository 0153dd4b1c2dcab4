"""The grid of a room: Mesa's own, one thing per cell, made fast and free of what would keep lessons alive for ever."""

from __future__ import annotations

import copyreg
import math
from collections.abc import Callable
from functools import lru_cache
from random import Random
from typing import Any

from mesa.discrete_space import Cell, CellCollection, OrthogonalVonNeumannGrid

Coordinate = tuple[int, int]
Ring = tuple[float, tuple[Coordinate, ...]]


@lru_cache(maxsize=64)
def rings(radius: float) -> tuple[Ring, ...]:
    """The offsets of all cells within a Euclidean radius, grouped by distance, nearest first; the centre is left out.

    They are the same in every room, so they are kept; at radius 8 these are 196 pairs of numbers.
    """
    reach, within = math.floor(radius), radius * radius
    by_square: dict[int, list[Coordinate]] = {}
    for dx in range(-reach, reach + 1):
        for dy in range(-reach, reach + 1):
            square = dx * dx + dy * dy
            if 0 < square <= within:
                by_square.setdefault(square, []).append((dx, dy))
    return tuple((math.sqrt(square), tuple(by_square[square])) for square in sorted(by_square))


class RoomCell(Cell):
    """A cell of a room.

    Two things differ from Mesa's cell. Its neighbourhood is Euclidean and never kept: Mesa caches neighbourhoods in a
    dictionary of the class (`functools.cache` on methods), where the cells of every model would stay for ever. And its
    connections are worked out when first asked for: most lessons never do, and they are most of a grid's cost.
    """

    __slots__ = ("_connections", "grid")

    grid: RoomGrid
    coordinate: Coordinate

    def __init__(self, coordinate: Coordinate, capacity: int | None = None, random: Random | None = None) -> None:
        super().__init__(coordinate, capacity=capacity, random=random)
        self._connections: dict[Any, Cell] | None = None

    @property
    def connections(self) -> dict[Any, Cell]:
        """The cells beside this one, by direction."""
        if self._connections is None:
            self._connections = self.grid.cells_beside(self.coordinate)
        return self._connections

    @connections.setter
    def connections(self, cells: dict[Any, Cell]) -> None:
        self._connections = cells

    def add_agent(self, agent: Any) -> None:
        """Take somebody or something in; the grid hears of it, whoever made the move."""
        super().add_agent(agent)
        self.grid.enter(self.coordinate, agent)

    def remove_agent(self, agent: Any) -> None:
        """Let it go again."""
        super().remove_agent(agent)
        self.grid.leave(self.coordinate)

    @property
    def neighborhood(self) -> CellCollection:
        """The cells at distance one."""
        return self.get_neighborhood()

    def get_neighborhood(  # type: ignore[override, unused-ignore]
        self, radius: float = 1, include_center: bool = False
    ) -> CellCollection:
        """The cells within a Euclidean radius."""
        return CellCollection(self._neighborhood(radius, include_center), random=self.random)

    def _neighborhood(  # type: ignore[override, unused-ignore]
        self, radius: float = 1, include_center: bool = False
    ) -> dict[Cell, list[Any]]:
        if radius < 1:
            raise ValueError("a neighbourhood reaches at least to the next cell: take a radius of 1 or more")
        x, y = self.coordinate
        cells = self.grid.cells
        near: dict[Cell, list[Any]] = {self: self._agents} if include_center else {}
        for _, offsets in rings(radius):
            for dx, dy in offsets:
                cell = cells.get((x + dx, y + dy))
                if cell is not None:
                    near[cell] = cell._agents
        return near

    def _clear_cache(self) -> None:
        """There is none."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """A copy of a cell is the cell in the copy of its grid; Mesa would make each a class of its own."""
        return RoomGrid.__getitem__, (self.grid, self.coordinate)


class RoomGrid(OrthogonalVonNeumannGrid):
    """A grid of cells that each hold one thing. Cells beside each other are those at distance one."""

    def __init__(self, width: int, height: int, random: Random, cell_klass: type[RoomCell] = RoomCell) -> None:
        self.occupied: dict[Coordinate, Any] = {}
        """Occupants by cell; an empty cell is not in it."""
        self.moves = 0
        """How often something came or went: what is derived from places is good as long as this stays the same."""
        self._base = cell_klass
        super().__init__((width, height), torus=False, capacity=1, random=random, cell_klass=cell_klass)
        # Mesa makes a class for the cells of each grid and enters it into a table of the interpreter, which would keep
        # it with its property layers for ever. RoomCell copies itself without that entry.
        copyreg.dispatch_table.pop(self.cell_klass, None)

    @property
    def cells(self) -> dict[Coordinate, RoomCell]:
        """All cells by their coordinate."""
        return self._cells  # type: ignore[return-value, no-any-return, unused-ignore]

    def _connect_cells_2d(self) -> None:
        """Connections come when asked for; until then a cell needs to know its grid only."""
        for cell in self._cells.values():
            cell.grid = self
            cell._connections = None

    def cells_beside(self, coordinate: Coordinate) -> dict[Any, Cell]:
        """The cells at distance one by direction, as Mesa's grid would connect them."""
        x, y = coordinate
        directions = ((-1, 0), (0, -1), (0, 1), (1, 0))
        beside = {(dx, dy): self._cells.get((x + dx, y + dy)) for dx, dy in directions}
        return {direction: cell for direction, cell in beside.items() if cell is not None}

    def enter(self, coordinate: Coordinate, agent: Any) -> None:
        """Something came into a cell."""
        self.occupied[coordinate] = agent
        self.moves += 1

    def leave(self, coordinate: Coordinate) -> None:
        """A cell was left."""
        del self.occupied[coordinate]
        self.moves += 1

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is a new grid of this size that is then filled: agents, cells and grid know each other in circles."""
        layers = {name: layer.data for name, layer in self._mesa_property_layers.items()}
        return type(self), (*self.dimensions, self.random, self._base), (self.occupied, layers)

    def __setstate__(self, state: Any) -> None:
        occupied, layers = state
        for coordinate, agent in occupied.items():
            self._cells[coordinate].add_agent(agent)
        for name, data in layers.items():
            if name not in self._mesa_property_layers:
                self.create_property_layer(name, default_value=data.flat[0], dtype=data.dtype.type)
            self._mesa_property_layers[name].data[:] = data
