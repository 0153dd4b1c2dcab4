"""Who sits face to face: each in the other's line of sight, and near enough to be perceived.

Who sits at a table looks across it; anybody else looks at the board. In rows nobody faces a classmate, at a table of
three each faces two, in a ring nearly all face all (sociopetal and sociofugal seating: Osmond 1957; Sommer 1967).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from eduverse_mesa.space.furniture import Furniture

Point = tuple[float, float]

_HALF_SIGHT = math.cos(math.radians(60.0))
"""The binocular field is about 120 degrees wide."""
_TABLE_EDGE = 1.5
"""Cells from a table's edge within which a seat belongs to it."""


def looks_at(cell: Point, tables: Iterable[Furniture], board: Point) -> Point:
    """The point that somebody at a cell looks at: the middle of the table it sits at, or the board."""
    nearest, at = math.inf, board
    for table in tables:
        distance = math.dist(cell, table.place)
        if table.kind == "table" and distance <= table.radius + _TABLE_EDGE and 0 < distance < nearest:
            nearest, at = distance, (float(table.place[0]), float(table.place[1]))
    return at


def face_to_face(one: Point, one_looks_at: Point, other: Point, other_looks_at: Point) -> bool:
    """Whether each has the other before its eyes."""
    return _sees(one, one_looks_at, other) and _sees(other, other_looks_at, one)


def _sees(eye: Point, towards: Point, what: Point) -> bool:
    gaze, line = _between(eye, towards), _between(eye, what)
    lengths = math.hypot(*gaze) * math.hypot(*line)
    if lengths == 0:  # looks at nothing in particular, or is in the same place
        return False
    return (gaze[0] * line[0] + gaze[1] * line[1]) / lengths >= _HALF_SIGHT - 1e-9


def _between(one: Point, other: Sequence[float]) -> Point:
    return other[0] - one[0], other[1] - one[1]
