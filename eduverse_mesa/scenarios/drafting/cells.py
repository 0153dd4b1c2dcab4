"""Which cells are free: the rule of the room (space.Room: one thing per cell), for a room that is being drawn."""

from __future__ import annotations

import math

from eduverse_mesa.scenarios.base import Place
from eduverse_mesa.scenarios.drafting.errors import EditError
from eduverse_mesa.scenarios.drafting.seating import (
    place_students,
    read_grid,
    read_place,
    read_seats,
    read_teacher,
    read_things,
)
from eduverse_mesa.scenarios.plain import Plain

Mover = tuple[str, str]
"""What moves: its kind (student, seat, object, teacher) and its name."""
TEACHER: Mover = ("teacher", "")


def as_cell(given: object) -> Place:
    """A cell as a page sends it."""
    pair = list(given) if isinstance(given, list | tuple) else []
    cell = read_place(pair) if all(isinstance(one, int) and not isinstance(one, bool) for one in pair) else None
    if cell is None:
        raise EditError("no_cell", "this is no cell of the room.", "Give a column and a row.")
    return cell


def standing(document: Plain) -> dict[Place, list[Mover]]:
    """What is in each cell that is not empty. A seat and the student on it share theirs."""
    there: dict[Place, list[Mover]] = {}
    for placed in read_things(document):
        there.setdefault(placed.thing.at, []).append(("object", placed.thing.name))
    if (teacher := read_teacher(document)) is not None:
        there.setdefault(teacher, []).append(TEACHER)
    for seat in read_seats(document):
        there.setdefault(seat.at, []).append(("seat", seat.id))
    for name, sitting in place_students(document).items():
        there.setdefault(sitting.seat.at, []).append(("student", name))
    return there


def refuse_cell(document: Plain, cell: Place, mover: Mover) -> None:
    """EditError if something cannot go to a cell; nothing if the way is free."""
    grid = read_grid(document)
    if not (0 <= cell[0] < grid.width and 0 <= cell[1] < grid.height):
        raise EditError(
            "outside",
            f"it is outside the room of {grid.width} x {grid.height} cells.",
            "Choose a cell inside, or enlarge the room.",
            width=grid.width,
            height=grid.height,
        )
    here = standing(document).get(cell, [])
    on_it = {name for kind, name in here if kind == "student"}
    for kind, name in here:
        if (kind, name) == mover or _may_share(kind, name, mover, here, on_it):
            continue
        what = {"teacher": "the teacher", "seat": f"the seat '{name}'"}.get(kind, f"'{name}'")
        raise EditError(f"{kind}_there", f"{what} is there.", "Choose a free cell.", name=name)


def _may_share(kind: str, name: str, mover: Mover, here: list[Mover], on_it: set[str]) -> bool:
    """A student may come to a seat, and what sits on a seat goes with it."""
    if mover[0] == "student":
        return kind == "seat"
    return mover[0] == "seat" and mover in here and kind == "student" and name in on_it


def nearest_free(document: Plain, near: Place, *, around: int = 0) -> Place:
    """The empty cell next to a place; `around` keeps that many cells on every side of it empty, too."""
    grid, taken = read_grid(document), standing(document)
    cells = [
        (x, y)
        for x in range(around, grid.width - around)
        for y in range(around, grid.height - around)
        if _is_empty((x, y), taken, around)
    ]
    if not cells:
        raise EditError("full", "there is no free place in the room.", "Enlarge the room, or take something out.")
    return min(cells, key=lambda cell: (math.dist(cell, near), cell[1], cell[0]))


def _is_empty(cell: Place, taken: dict[Place, list[Mover]], around: int) -> bool:
    if not around:
        return cell not in taken
    reach = range(-around, around + 1)
    return all((cell[0] + dx, cell[1] + dy) not in taken for dx in reach for dy in reach)
