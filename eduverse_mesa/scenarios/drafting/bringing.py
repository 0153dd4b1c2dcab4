"""What is left outside when a room gets smaller, brought back into it."""

from __future__ import annotations

from eduverse_mesa.scenarios.base import Place
from eduverse_mesa.scenarios.drafting import arenas
from eduverse_mesa.scenarios.drafting.cells import nearest_free
from eduverse_mesa.scenarios.drafting.documents import mapping, put, records, said, try_read
from eduverse_mesa.scenarios.drafting.seating import (
    PlacedThing,
    expand,
    pin,
    read_grid,
    read_seats,
    read_teacher,
    read_things,
)
from eduverse_mesa.scenarios.layout import Arena, Grid
from eduverse_mesa.scenarios.plain import Plain


def bring_in(document: Plain) -> Plain:
    """Areas are cut to the room; what is outside of it, or of its area, goes to the free cell next to its place."""
    grid = read_grid(document)
    document = _cut_areas(document, grid)
    if (teacher := read_teacher(document)) is not None and not _inside(teacher, grid):
        document = put(document, ("layout", "teacher"), list(nearest_free(document, teacher)))
    astray = [placed.thing.name for placed in read_things(document) if not _stands_well(document, placed, grid)]
    for name in astray:
        placed = next(placed for placed in read_things(document) if placed.thing.name == name)
        thing = mapping(document, placed.trail)
        cell = placed.thing.at if _inside(placed.thing.at, grid) else nearest_free(document, placed.thing.at)
        document = arenas.stand(arenas.take_away(document, placed.trail), {**thing, "at": list(cell)})
    return _bring_seats(document, grid)


def _cut_areas(document: Plain, grid: Grid) -> Plain:
    for s, _ in records(document, ("layout", "sectors")):
        for a, entry in records(document, ("layout", "sectors", s, "arenas")):
            arena = try_read(Arena, {**entry, "objects": []})
            if arena is not None:
                left, top, right, bottom = arena.area
                area = [min(left, grid.width - 1), min(top, grid.height - 1)]
                area += [min(right, grid.width - 1), min(bottom, grid.height - 1)]
                if area != [*arena.area]:
                    document = put(document, ("layout", "sectors", s, "arenas", a, "area"), [*area])
    return document


def _stands_well(document: Plain, placed: PlacedThing, grid: Grid) -> bool:
    return _inside(placed.thing.at, grid) and arenas.stays(document, placed.trail, placed.thing.at)


def _bring_seats(document: Plain, grid: Grid) -> Plain:
    outside = [seat for seat in read_seats(document) if not _inside(seat.at, grid)]
    if not outside:
        return document
    document = expand(pin(document))
    listed = {said(seat, "id"): index for index, seat in records(document, ("layout", "seats"))}
    for seat in outside:
        at = ("layout", "seats", listed[seat.id], "at")
        document = put(document, at, list(nearest_free(document, seat.at)))
    return document


def _inside(cell: Place, grid: Grid) -> bool:
    return 0 <= cell[0] < grid.width and 0 <= cell[1] < grid.height
