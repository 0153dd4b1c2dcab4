"""Objects stand in arenas; one that is carried elsewhere goes into the arena there, or gets a cell of its own."""

from __future__ import annotations

from eduverse_mesa.scenarios.base import Place
from eduverse_mesa.scenarios.drafting.documents import (
    Mapped,
    append,
    drop,
    entries,
    get,
    records,
    said,
    try_read,
)
from eduverse_mesa.scenarios.layout import Arena
from eduverse_mesa.scenarios.plain import Plain, Trail

LOOSE = "loose_objects"
"""The sector of objects outside all arenas. Each has an arena of one cell, which is no zone for anybody else."""


def stand(document: Plain, thing: Mapped) -> Plain:
    """The document with an object put into the smallest arena around its cell."""
    at = thing["at"]
    assert isinstance(at, list)
    trail = _arena_at(document, (int(str(at[0])), int(str(at[1]))))
    if trail is not None:
        return append(document, (*trail, "objects"), thing)
    arena: Mapped = {"name": said(thing, "name"), "area": [*at, *at], "objects": [thing]}
    loose = next((s for s, sector in records(document, ("layout", "sectors")) if said(sector, "name") == LOOSE), None)
    if loose is None:
        return append(document, ("layout", "sectors"), {"name": LOOSE, "arenas": [arena]})
    return append(document, ("layout", "sectors", loose, "arenas"), arena)


def take_away(document: Plain, trail: Trail) -> Plain:
    """The document without an object; an arena that was made for it goes with it."""
    document = drop(document, trail)
    arena, sector = trail[:-2], trail[:-4]
    if said(_record(document, sector), "name") != LOOSE or entries(document, (*arena, "objects")):
        return document
    document = drop(document, arena)
    return document if entries(document, (*sector, "arenas")) else drop(document, sector)


def stays(document: Plain, trail: Trail, cell: Place) -> bool:
    """Whether an object at a trail remains in its arena when it goes to a cell."""
    arena = try_read(Arena, get(document, trail[:-2]))
    return arena is not None and _holds(arena, cell)


def _arena_at(document: Plain, cell: Place) -> Trail | None:
    found: list[tuple[int, Trail]] = []
    for s, _ in records(document, ("layout", "sectors")):
        for a, entry in records(document, ("layout", "sectors", s, "arenas")):
            arena = try_read(Arena, {**entry, "objects": []})
            if arena is not None and _holds(arena, cell):
                left, top, right, bottom = arena.area
                found.append(((right - left + 1) * (bottom - top + 1), ("layout", "sectors", s, "arenas", a)))
    return min(found, default=(0, None), key=lambda one: one[0])[1]


def _holds(arena: Arena, cell: Place) -> bool:
    left, top, right, bottom = arena.area
    return left <= cell[0] <= right and top <= cell[1] <= bottom


def _record(document: Plain, trail: Trail) -> Mapped:
    there = get(document, trail)
    return there if isinstance(there, dict) else {}
