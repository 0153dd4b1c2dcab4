"""The room: who and what is where, what may move where, and how far things are from each other."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol
from weakref import WeakKeyDictionary

import networkx as nx
from mesa.discrete_space import FixedAgent

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.layout import Arena, Grid, Layout, Seat, Sector, Thing, all_things, expand_seats
from eduverse_mesa.scenarios.layout_rules import SeatRule, check_rules, linked_pairs
from eduverse_mesa.space.grid import Coordinate, RoomGrid


class Numbering:
    """Counts agents model by model, and keeps no model alive.

    Mesa 3.3 counts in a dictionary on the class `Agent` that holds every model there ever was, with all its agents and
    cells. Agents that carry `_ids = AGENT_NUMBERS` are counted here instead; Mesa 3.5 counts in the model and does not
    look at it.
    """

    def __init__(self) -> None:
        self._counts: WeakKeyDictionary[Any, Iterator[int]] = WeakKeyDictionary()

    def __getitem__(self, model: Any) -> Iterator[int]:
        return self._counts.setdefault(model, itertools.count(1))

    def __len__(self) -> int:
        return len(self._counts)


AGENT_NUMBERS = Numbering()
"""One for all kinds of agents: numbers are unique within a model."""


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


class Occupant(Protocol):
    """Occupant of a cell: a student, the teacher, or furniture; a Mesa agent with a name and a role."""

    name: str
    role: str
    cell: Any


class Refusal(NamedTuple):
    """Why a move did not take place."""

    cell: Coordinate
    reason: str


class Room:
    """A layout as a place: Mesa's grid with furniture in it. People come in with `move`."""

    def __init__(self, model: Any, layout: Layout) -> None:
        self.layout = layout
        self.grid = RoomGrid(layout.grid.width, layout.grid.height, model.random)
        self._things: dict[str, Furniture] = {}
        self._zones: dict[Coordinate, tuple[Sector, Arena] | None] = {}
        self._percepts: dict[Any, Any] = {}
        self._percepts_of = -1
        for sector in layout.sectors:
            for arena in sector.arenas:
                _check_arena(arena, layout)
        for arena, thing in all_things(layout):
            where = f"layout '{layout.name}', object '{thing.name}'"
            if thing.name in self._things:
                raise ScenarioError("there are two objects of this name.", where=where, mend="Rename one of the two.")
            refusal = self.refusal(thing.at)
            if refusal is not None:
                raise ScenarioError(f"it cannot stand at {thing.at}: {refusal.reason}.", where=where, mend="Move it.")
            self._things[thing.name] = Furniture(model, thing, self.grid.cells[thing.at], arena.name)
        self.furniture = tuple(self._things.values())
        self.board: tuple[float, float] = self._find_board()
        """The middle of the boards; else of the whiteboards; else the teacher's place, who then shows what there is."""

    # --- moving ---

    def refusal(self, cell: Coordinate, mover: Occupant | None = None) -> Refusal | None:
        """Return why nobody else than the one who moves can go to this cell; None if the way is free (one per cell,
        Table A3)."""
        if cell not in self.grid.cells:
            size = self.layout.grid
            return Refusal(cell, f"it is outside the room of {size.width} x {size.height} cells")
        there = self.grid.occupied.get(cell)
        if there is None or there is mover:
            return None
        if isinstance(there, Furniture):
            return Refusal(cell, f"'{there.name}' stands there and does not move")
        return Refusal(cell, f"{there.name} is there")

    def move(self, agent: Occupant, cell: Coordinate) -> Refusal | None:
        """Bring somebody to a cell, or in from outside; a move that cannot be leaves all as it was and says why.

        The way is looked at first: Mesa 3.3 takes an agent out of its old cell before it finds the new one full.
        """
        if isinstance(agent, Furniture):
            return Refusal(cell, f"'{agent.name}' does not move")
        refusal = self.refusal(cell, agent)
        if refusal is None and (agent.cell is None or agent.cell.coordinate != cell):
            agent.cell = self.grid.cells[cell]
        return refusal

    def swap(self, one: Occupant, other: Occupant) -> None:
        """Let two people change places."""
        if one is other:
            return
        first, second = one.cell, other.cell
        one.cell = None
        other.cell = first
        one.cell = second

    # --- who and what is where ---

    def at(self, cell: Coordinate) -> Any:
        """The person or object in a cell, or None."""
        return self.grid.occupied.get(cell)

    def find(self, name: str) -> Any:
        """The person or object of this name, or None."""
        found = self._things.get(name)
        return found or next((there for there in self.grid.occupied.values() if there.name == name), None)

    def object_at(self, cell: Coordinate) -> Furniture | None:
        """The object in a cell, or None."""
        there = self.grid.occupied.get(cell)
        return there if isinstance(there, Furniture) else None

    def items_at(self, cell: Coordinate) -> tuple[str, ...]:
        """The items on the object in a cell; none if there is no object."""
        there = self.object_at(cell)
        return there.items if there is not None else ()

    def holders_of(self, item: str) -> tuple[Furniture, ...]:
        """The objects on which an item lies."""
        return tuple(thing for thing in self.furniture if item in thing.items)

    def zone_at(self, cell: Coordinate) -> tuple[Sector, Arena] | None:
        """Sector and arena of a cell. Where arenas overlap it is the smallest, and of equals the first."""
        if cell not in self._zones:
            around = [
                (sector, arena)
                for sector in self.layout.sectors
                for arena in sector.arenas
                if arena.area[0] <= cell[0] <= arena.area[2] and arena.area[1] <= cell[1] <= arena.area[3]
            ]
            self._zones[cell] = min(around, key=lambda zone: _size(zone[1]), default=None)
        return self._zones[cell]

    def sector_at(self, cell: Coordinate) -> Sector | None:
        """The sector of a cell, or None."""
        zone = self.zone_at(cell)
        return zone[0] if zone is not None else None

    def arena_at(self, cell: Coordinate) -> Arena | None:
        """The arena of a cell, or None."""
        zone = self.zone_at(cell)
        return zone[1] if zone is not None else None

    def share_arena(self, one: Occupant, other: Occupant) -> bool:
        """Return True if two are in the same arena (C.1.2: what peers do in a group needs a shared one)."""
        here = self.arena_at(one.cell.coordinate)
        return here is not None and here is self.arena_at(other.cell.coordinate)

    # --- how far (C.1.4) ---

    def distance(self, one: Occupant, other: Occupant) -> float:
        """The Euclidean distance between two, in cells."""
        return math.dist(one.cell.coordinate, other.cell.coordinate)

    def distance_to_board(self, agent: Occupant) -> float:
        """How far it is to the middle of the boards."""
        return math.dist(agent.cell.coordinate, self.board)

    def _find_board(self) -> tuple[float, float]:
        for kind in ("board", "whiteboard"):
            places = [thing.place for thing in self.furniture if thing.kind == kind]
            if places:
                return _mean(place[0] for place in places), _mean(place[1] for place in places)
        return float(self.layout.teacher[0]), float(self.layout.teacher[1])

    # --- what is remembered until something moves ---

    @property
    def percepts(self) -> dict[Any, Any]:
        """Findings of perception since the last move."""
        if self._percepts_of != self.grid.moves:
            self._percepts = {}
            self._percepts_of = self.grid.moves
        return self._percepts


def _size(arena: Arena) -> int:
    left, top, right, bottom = arena.area
    return (right - left + 1) * (bottom - top + 1)


def _mean(values: Iterable[int]) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers)


def _inside(area: tuple[int, int, int, int], grid: Grid) -> bool:
    left, top, right, bottom = area
    return 0 <= left <= right < grid.width and 0 <= top <= bottom < grid.height


def _check_arena(arena: Arena, layout: Layout) -> None:
    where = f"layout '{layout.name}', arena '{arena.name}'"
    if not _inside(arena.area, layout.grid):
        raise ScenarioError(
            f"its area {list(arena.area)} is no part of the grid of {layout.grid.width} x {layout.grid.height} cells.",
            where=where,
            mend="Give left, top, right and bottom cell, in this order.",
        )
    left, top, right, bottom = arena.area
    for thing in arena.objects:
        if not (left <= thing.at[0] <= right and top <= thing.at[1] <= bottom):
            raise ScenarioError(
                f"the object '{thing.name}' at {thing.at} stands outside of its area {list(arena.area)}.",
                where=where,
                mend="Move the object, enlarge the area, or list the object in another arena.",
            )


# --- the graphs of who may easily turn to whom ---


def seat_graph(layout: Layout, seats: Iterable[Seat] | None = None) -> nx.Graph[str]:
    """The graph of a layout's seats; a node is a seat id with `x`, `y`, `row` and `group`."""
    placed = expand_seats(layout) if seats is None else tuple(seats)
    ids = [seat.id for seat in placed]
    check_rules(layout, set(ids))
    return _linked(ids, placed, layout.seat_graph)


def student_graph(seating: Mapping[str, Seat], rules: Sequence[SeatRule]) -> nx.Graph[str]:
    """Return the graph of students by name, given where each sits.

    A seat stands for what is true of the student now: the student's cell, and the student's own group, if any. Rules on
    seats that nobody sits on link nobody.
    """
    return _linked(list(seating), tuple(seating.values()), rules)


def _linked(nodes: Sequence[str], seats: Sequence[Seat], rules: Sequence[SeatRule]) -> nx.Graph[str]:
    graph: nx.Graph[str] = nx.Graph()
    for node, seat in zip(nodes, seats, strict=True):
        graph.add_node(node, x=seat.at[0], y=seat.at[1], row=seat.row, group=seat.group)
    graph.add_edges_from((nodes[one], nodes[other]) for one, other in linked_pairs(rules, seats))
    return graph
