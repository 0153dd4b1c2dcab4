"""Edits of the areas of a room: the arenas in which objects stand and the lesson takes place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from eduverse_mesa.scenarios.base import Place
from eduverse_mesa.scenarios.drafting import arenas
from eduverse_mesa.scenarios.drafting.documents import (
    Mapped,
    append,
    drop,
    entries,
    get,
    mapping,
    plain,
    put,
    records,
    said,
    try_read,
)
from eduverse_mesa.scenarios.drafting.errors import EditError
from eduverse_mesa.scenarios.drafting.seating import read_grid, read_things
from eduverse_mesa.scenarios.layout import Arena
from eduverse_mesa.scenarios.plain import Plain, Trail

if TYPE_CHECKING:
    from eduverse_mesa.scenarios.drafting.draft import Draft

_HOME = "student_zone"
"""The sector that takes in new areas, where there is one."""
_NEW = "areas"
"""The sector that is made for them where there is none."""
_WIDE, _DEEP = 6, 4
"""Cells of a new area."""
_LONGEST = 80


class PlacedArea(NamedTuple):
    """An area of the room and where it stands in the document. Its objects are left out."""

    trail: Trail
    arena: Arena


class AreaEdits:
    """What can be done to the areas of a draft. No edit loses an object: it goes into the area that is around it."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    @property
    def all(self) -> tuple[PlacedArea, ...]:
        """The areas that are valid by themselves, without those that were only made around a single object."""
        return _read(self._draft.document)

    def add(self, name: str = "") -> str:
        """An area in the middle of the room; its name."""
        document = self._draft.document
        if not isinstance(get(document, ("layout",)), dict):
            raise EditError("no_room", "the draft has no room.", "Choose a layout first.")
        name = self._free(name.strip() or "area")
        grid = read_grid(document)
        left, top = max(0, (grid.width - _WIDE) // 2), max(0, (grid.height - _DEEP) // 2)
        right, bottom = min(grid.width, left + _WIDE) - 1, min(grid.height, top + _DEEP) - 1
        arena: Mapped = {"name": plain(name), "area": [left, top, right, bottom]}
        known = {said(sector, "name"): s for s, sector in records(document, ("layout", "sectors"))}
        sector = known.get(_HOME, known.get(_NEW))
        if sector is None:
            document = append(document, ("layout", "sectors"), {"name": _NEW, "arenas": [arena]})
        else:
            document = append(document, ("layout", "sectors", sector, "arenas"), arena)
        self._draft.change(document, "add_area", name=name)
        return name

    def remove(self, name: str) -> None:
        """Take an area away; what stands in it stays where it is."""
        document, area = self._draft.document, self._find(name)
        document = _let_go(document, area.trail, lambda _: True)
        if not entries(document, (*area.trail, "objects")):  # else something in it cannot be read
            document = drop(document, area.trail)
            sector = area.trail[:-2]
            if not entries(document, (*sector, "arenas")):
                document = drop(document, sector)
        if not entries(document, ("layout", "sectors")):
            raise EditError("last_area", "this is the only area.", "Add another one first.")
        self._draft.change(document, "remove_area", name=name)

    def rename(self, name: str, new: str) -> None:
        """Call an area something else, not like another."""
        area, new = self._find(name), new.strip()
        if new == name:
            return
        if not new or len(new) > _LONGEST or new in self._names():
            raise EditError("name_taken", f"'{new[:80]}' is no free name.", "Choose another name.", name=new[:80])
        self._draft.change(put(self._draft.document, (*area.trail, "name"), plain(new)), "rename", name=name, new=new)

    def resize(self, name: str, box: tuple[object, object, object, object]) -> None:
        """Left, top, right and bottom cell; objects that are outside then go into the area that is around them."""
        area, grid = self._find(name), read_grid(self._draft.document)
        numbers = [cell for cell in box if isinstance(cell, int | float) and not isinstance(cell, bool)]
        whole = [int(cell) for cell in numbers if cell == int(cell)]
        if len(whole) < 4 or not (0 <= whole[0] <= whole[2] < grid.width and 0 <= whole[1] <= whole[3] < grid.height):
            raise EditError(
                "area_box",
                "this is no area of the room.",
                "Its left column comes first, its right one not before it; the same for its rows.",
                width=grid.width - 1,
                height=grid.height - 1,
            )
        left, top, right, bottom = whole
        document = put(self._draft.document, (*area.trail, "area"), [left, top, right, bottom])
        document = _let_go(document, area.trail, lambda at: not (left <= at[0] <= right and top <= at[1] <= bottom))
        self._draft.change(document, "resize_area", merge=f"area {name}", name=name)

    def present(self, name: str, shown: object) -> None:
        """Whether what is on the board is seen at once from everywhere in it (C.1.2)."""
        trail = (*self._find(name).trail, "presentation")
        document = self._draft.document
        self._draft.change(put(document, trail, True) if shown else drop(document, trail), "set_area", name=name)

    def _find(self, name: str) -> PlacedArea:
        area = next((area for area in self.all if area.arena.name == name), None)
        if area is None:
            raise EditError("no_area", f"there is no area '{name[:80]}'.", "Choose an area of the room.")
        return area

    def _names(self) -> set[str]:
        return {area.arena.name for area in self.all}

    def _free(self, name: str) -> str:
        used = self._names()
        numbered = (f"{name[:70]} {number}" for number in range(2, len(used) + 3))
        return name[:_LONGEST] if name[:_LONGEST] not in used else next(one for one in numbered if one not in used)


def _read(document: Plain) -> tuple[PlacedArea, ...]:
    found = []
    for s, sector in records(document, ("layout", "sectors")):
        if said(sector, "name") == arenas.LOOSE:
            continue
        for a, entry in records(document, ("layout", "sectors", s, "arenas")):
            arena = try_read(Arena, {**entry, "objects": []})
            if arena is not None:
                found.append(PlacedArea(("layout", "sectors", s, "arenas", a), arena))
    return tuple(found)


def _let_go(document: Plain, trail: Trail, leaves: Callable[[Place], bool]) -> Plain:
    """The objects of an area that are to leave it, put into what is around them."""
    leaving = [
        mapping(document, placed.trail)
        for placed in read_things(document)
        if placed.trail[: len(trail)] == trail and leaves(placed.thing.at)
    ]
    kept = [thing for thing in entries(document, (*trail, "objects")) if thing not in leaving]
    whole = get(document, (*trail, "area"))
    document = put(document, (*trail, "objects"), kept) if leaving else document
    document = put(document, (*trail, "area"), None)  # while they look for a place, this is none
    for thing in leaving:
        document = arenas.stand(document, thing)
    return put(document, (*trail, "area"), whole)
