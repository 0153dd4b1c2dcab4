"""The neighbourhood of somebody: the nearest few things, within the limits of scenarios/perception.py (Table A3)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from eduverse_mesa.space.grid import Coordinate, rings
from eduverse_mesa.space.room import Furniture, Occupant, Room

_ORDER = {"student": 0, "teacher": 1}
"""Order of those equally near: classmates, the teacher, then objects; within these by name."""


class Percept(NamedTuple):
    """Somebody or something that is perceived. `kind` is "student", "teacher" or the kind of an object."""

    kind: str
    name: str
    distance: float
    cell: Coordinate
    items: tuple[str, ...] = ()


def perceive(room: Room, agent: Occupant, radius: float, capacity: int) -> tuple[Percept, ...]:
    """Return the nearest things within a radius, without the one who perceives, nearest first; no more than the
    capacity.

    The answer is kept until something in the room moves.
    """
    centre = agent.cell.coordinate
    known = room.percepts
    key = (centre, radius, capacity)
    found: tuple[Percept, ...] | None = known.get(key)
    if found is None:
        found = known[key] = _nearest(room, centre, radius, capacity) if capacity > 0 else ()
    return found


def _nearest(room: Room, centre: Coordinate, radius: float, capacity: int) -> tuple[Percept, ...]:
    """Ring by ring in a full room, else by going through what is in it, whichever looks at less; same answer."""
    occupied, cells = room.grid.occupied, len(room.grid.cells)
    circle = math.pi * radius * radius
    until_enough = capacity * cells / len(occupied)
    if circle <= cells and min(circle, until_enough) < len(occupied):
        return _by_rings(occupied, centre, radius, capacity)
    return _by_things(occupied, centre, radius, capacity)


def _by_rings(occupied: dict[Coordinate, Any], centre: Coordinate, radius: float, capacity: int) -> tuple[Percept, ...]:
    """Ring by ring until enough is found: in a full room after a few cells, however many there are in it."""
    x, y = centre
    found: list[Percept] = []
    for distance, offsets in rings(radius):
        ring = []
        for dx, dy in offsets:
            cell = (x + dx, y + dy)
            there = occupied.get(cell)
            if there is not None:
                ring.append(_percept(there, distance, cell))
        if ring:
            ring.sort(key=_rank)
            found += ring
            if len(found) >= capacity:
                break
    return tuple(found[:capacity])


def _by_things(
    occupied: dict[Coordinate, Any], centre: Coordinate, radius: float, capacity: int
) -> tuple[Percept, ...]:
    x, y = centre
    within = radius * radius
    near = []
    for cell, there in occupied.items():
        square = (cell[0] - x) ** 2 + (cell[1] - y) ** 2
        if 0 < square <= within:
            near.append((square, cell, there))
    near.sort(key=lambda item: item[0])
    if len(near) > capacity:  # only what may be among the first: ties of the last one are kept for the fixed order
        last = near[capacity - 1][0]
        near = [item for item in near if item[0] <= last]
    found = [_percept(there, math.sqrt(square), cell) for square, cell, there in near]
    found.sort(key=_rank)
    return tuple(found[:capacity])


def _percept(there: Any, distance: float, cell: Coordinate) -> Percept:
    if isinstance(there, Furniture):
        return Percept(there.kind, there.name, distance, cell, there.items)
    return Percept(there.role, there.name, distance, cell)


def _rank(percept: Percept) -> tuple[float, int, str, str]:
    return percept.distance, _ORDER.get(percept.kind, 2), percept.kind, percept.name


Point = tuple[float, float]

_HALF_SIGHT = math.cos(math.radians(60.0))
"""The binocular field is about 120 degrees wide."""
_TABLE_EDGE = 1.5
"""Cells from a table's edge within which a seat belongs to it."""


def looks_at(cell: Point, tables: Iterable[Furniture], board: Point) -> Point:
    """Return the point that somebody at a cell looks at: the middle of the table at that seat, or the board."""
    nearest, at = math.inf, board
    for table in tables:
        distance = math.dist(cell, table.place)
        if table.kind == "table" and distance <= table.radius + _TABLE_EDGE and 0 < distance < nearest:
            nearest, at = distance, (float(table.place[0]), float(table.place[1]))
    return at


def face_to_face(one: Point, one_looks_at: Point, other: Point, other_looks_at: Point) -> bool:
    """Return True if each of two has the other before his or her eyes."""
    return _sees(one, one_looks_at, other) and _sees(other, other_looks_at, one)


def _sees(eye: Point, towards: Point, what: Point) -> bool:
    gaze, line = _between(eye, towards), _between(eye, what)
    lengths = math.hypot(*gaze) * math.hypot(*line)
    if lengths == 0:  # looks at nothing in particular, or is in the same place
        return False
    return (gaze[0] * line[0] + gaze[1] * line[1]) / lengths >= _HALF_SIGHT - 1e-9


def _between(one: Point, other: Sequence[float]) -> Point:
    return other[0] - one[0], other[1] - one[1]
