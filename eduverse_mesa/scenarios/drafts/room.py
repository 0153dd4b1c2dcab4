"""Edits of the room and its areas: what stands where, what is added and taken away."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from eduverse_mesa.scenarios.base import Place
from eduverse_mesa.scenarios.drafts.documents import (
    EditError,
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
from eduverse_mesa.scenarios.drafts.origin import write_out
from eduverse_mesa.scenarios.drafts.placement import (
    PlacedThing,
    expand,
    forget_lost,
    pin,
    place_students,
    read_grid,
    read_place,
    read_seats,
    read_teacher,
    read_things,
)
from eduverse_mesa.scenarios.layout import Arena, CirclePattern, Grid, ObjectKind, Seat, rows_for, seats_of
from eduverse_mesa.scenarios.plain import Plain, Trail

if TYPE_CHECKING:
    from eduverse_mesa.scenarios.drafts.draft import Draft

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
    """Return True if an object at a trail remains in its arena when it goes to a cell."""
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


Mover = tuple[str, str]
"""Somebody or something that moves: kind (student, seat, object, teacher) and name."""
TEACHER: Mover = ("teacher", "")


def as_cell(given: object) -> Place:
    """A cell as a page sends it."""
    pair = list(given) if isinstance(given, list | tuple) else []
    cell = read_place(pair) if all(isinstance(one, int) and not isinstance(one, bool) for one in pair) else None
    if cell is None:
        raise EditError("no_cell", "this is no cell of the room.", "Give a column and a row.")
    return cell


def standing(document: Plain) -> dict[Place, list[Mover]]:
    """Return the contents of each cell that is not empty. A seat and the student on it share theirs."""
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
        document = stand(take_away(document, placed.trail), {**thing, "at": list(cell)})
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
    return _inside(placed.thing.at, grid) and stays(document, placed.trail, placed.thing.at)


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


_ITEMS: dict[ObjectKind, list[Plain]] = {
    "board": ["chalk", "eraser"],
    "lectern": ["textbook", "chalk"],
    "desk": ["textbook", "pen"],
    "table": ["textbook", "pen"],
    "cupboard": ["broom"],
    "water_dispenser": ["cup"],
}
_MOST_AT_A_TABLE = 12


class RoomEdits:
    """Edits of the room of a draft. The first edit of a seat lists all seats one by one."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    @property
    def _document(self) -> Plain:
        document = self._draft.document
        if not isinstance(get(document, ("layout",)), dict):
            raise EditError("no_room", "the draft has no room.", "Choose a layout first.")
        return document

    # --- moving ---

    def move(self, kind: str, name: str, to: object) -> None:
        """Bring a student, seat, object or the teacher to a cell, by the rules of the room."""
        moves = {"student": self.move_student, "seat": self.move_seat, "object": self.move_object}
        if kind == "teacher":
            self.move_teacher(to)
        elif kind in moves:
            moves[kind](name, to)
        else:
            raise EditError("unmovable", "this does not move.", "Move a student, a seat, an object or the teacher.")

    def move_student(self, name: str, to: object) -> None:
        """To a seat, or to a cell without one."""
        cell, document = as_cell(to), self._document
        sitting = place_students(document).get(name)
        if sitting is not None and sitting.seat.at == cell:
            return
        if name not in {said(student, "name") for _, student in records(document, ("class", "students"))}:
            raise EditError("no_student", f"there is no student '{name[:80]}'.", "Choose somebody in the class.")
        refuse_cell(document, cell, ("student", name))
        seat = next((seat.id for seat in read_seats(document) if seat.at == cell), None)
        place: Plain = seat if seat is not None else list(cell)
        document = put(pin(document), ("seating", name), place)
        self._draft.change(document, "move_student", name=name, x=cell[0], y=cell[1])

    def move_seat(self, name: str, to: object) -> None:
        """With whoever sits on it."""
        cell = as_cell(to)
        if self._seat(name).at == cell:
            return
        refuse_cell(self._document, cell, ("seat", name))
        document = expand(pin(self._document))
        index = self._listed(document, name)
        document = put(document, ("layout", "seats", index, "at"), list(cell))
        self._draft.change(document, "move_seat", name=name, x=cell[0], y=cell[1])

    def move_object(self, name: str, to: object) -> None:
        """To another cell, into the arena that is there."""
        cell, document = as_cell(to), self._document
        placed = self._thing(name)
        if placed.thing.at == cell:
            return
        refuse_cell(document, cell, ("object", name))
        if stays(document, placed.trail, cell):
            document = put(document, (*placed.trail, "at"), list(cell))
        else:
            thing = mapping(document, placed.trail)
            document = stand(take_away(document, placed.trail), {**thing, "at": list(cell)})
        self._draft.change(document, "move_object", name=name, x=cell[0], y=cell[1])

    def move_teacher(self, to: object) -> None:
        """To another cell."""
        cell, document = as_cell(to), self._document
        refuse_cell(document, cell, TEACHER)
        self._draft.change(put(document, ("layout", "teacher"), list(cell)), "move_teacher", x=cell[0], y=cell[1])

    # --- seats ---

    def add_seat(self, at: object = None, group: str = "", row: int | None = None) -> str:
        """A seat in a cell, or in the free cell nearest to the middle; its id."""
        document = expand(pin(self._document))
        cell = self._middle() if at is None else as_cell(at)
        refuse_cell(document, cell, ("seat", ""))
        name = _fresh({seat.id for seat in read_seats(document)}, "s{}")
        seat: Mapped = {"id": name, "at": list(cell)}
        if row is not None:
            seat["row"] = row
        if group.strip():
            seat["group"] = plain(group.strip())
        self._draft.change(append(document, ("layout", "seats"), seat), "add_seat", name=name)
        return name

    def remove_seat(self, name: str) -> None:
        """With all that speaks of it: whoever sat on it takes the next free seat."""
        self._seat(name)
        document = expand(pin(self._document))
        document = drop(document, ("layout", "seats", self._listed(document, name)))
        for index, seat in records(document, ("layout", "seats")):
            if said(seat, "opposite") == name:
                document = drop(document, ("layout", "seats", index, "opposite"))
        self._draft.change(forget_lost(_without_pairs(document, name)), "remove_seat", name=name)

    def set_seat(self, name: str, key: str, value: object) -> None:
        """The row, group or opposite seat of a seat; None takes it away."""
        if key not in ("row", "group", "opposite"):
            raise EditError("unknown_key", f"a seat has no '{key[:40]}' to set.", "Set row, group or opposite.")
        self._seat(name)
        document = expand(pin(self._document))
        trail = ("layout", "seats", self._listed(document, name), key)
        document = drop(document, trail) if value in (None, "") else put(document, trail, plain(value))
        self._draft.change(document, "set_seat", merge=trail, name=name, key=key)

    # --- objects ---

    def add_object(self, kind: ObjectKind, at: object = None, name: str = "", radius: float = 0.0) -> str:
        """An object with the items usual on it; its name."""
        document = self._document
        cell = self._middle() if at is None else as_cell(at)
        refuse_cell(document, cell, ("object", ""))
        name = self._free_name(name.strip() or kind.replace("_", " "))
        document = stand(document, _thing(kind, name, cell, radius))
        self._draft.change(document, "add_object", name=name, kind=kind)
        return name

    def add_table(self, at: object = None, seats: int = 4, group: str = "", radius: int = 2) -> str:
        """A table with seats around it that are one group; the name of the group."""
        if not 1 <= seats <= _MOST_AT_A_TABLE:
            message = f"a table for {seats} cannot be made."
            raise EditError("table_size", message, f"Take 1 to {_MOST_AT_A_TABLE} seats.", most=_MOST_AT_A_TABLE)
        if seats > 6:
            radius = max(radius, 3)
        document = expand(pin(self._document))
        cell = nearest_free(document, self._centre(), around=radius) if at is None else as_cell(at)
        used = {seat.group for seat in read_seats(document) if seat.group}
        group = group.strip() or next((letter for letter in map(chr, range(65, 91)) if letter not in used), "")
        group = group or _fresh({one for one in used if one}, "table {}")
        name = self._free_name(f"table {group}")
        refuse_cell(document, cell, ("object", ""))
        document = stand(document, _thing("table", name, cell, float(radius)))
        prefix = _fresh_prefix({seat.id for seat in read_seats(document)}, group)
        start = 45.0 if seats == 4 else 90.0
        pattern = CirclePattern(
            pattern="circle", prefix=prefix, centre=cell, radius=radius, seats=seats, start_angle=start, group=group
        )
        for seat in seats_of(pattern):
            refuse_cell(document, seat.at, ("seat", ""))
            document = append(document, ("layout", "seats"), seat.model_dump(mode="json", exclude_defaults=True))
        self._draft.change(document, "add_table", name=name, seats=seats)
        return group

    def remove_object(self, name: str) -> None:
        """Take an object away."""
        document = take_away(self._document, self._thing(name).trail)
        self._draft.change(document, "remove_object", name=name)

    def rename_object(self, name: str, new: str) -> None:
        """Call an object something else, not like another."""
        placed, new = self._thing(name), new.strip()
        if new == name:
            return
        if not new or new in {other.thing.name for other in read_things(self._document)}:
            raise EditError("name_taken", f"'{new[:80]}' is no free name.", "Choose another name.", name=new[:80])
        self._draft.change(put(self._document, (*placed.trail, "name"), plain(new)), "rename", name=name, new=new)

    # --- the whole room ---

    def resize(self, width: int, height: int) -> None:
        """Another size of the grid; what is outside then shows in the problems."""
        document = put(self._document, ("layout", "grid"), plain({"width": width, "height": height}))
        self._draft.change(document, "resize", merge="resize", width=width, height=height)

    def bring_in(self) -> None:
        """Areas, things, seats and the teacher into the room, where they are outside of it or of their area."""
        document = forget_lost(bring_in(self._document))
        self._draft.change(document, "bring_in")

    def fit_rows(self) -> None:
        """Rows with a seat for everybody in the place of the layout."""
        count = len(entries(self._draft.document, ("class", "students")))
        layout = rows_for(max(1, count)).model_copy(update={"name": f"rows_for_{max(1, count)}"})
        document = put(self._draft.document, ("layout",), write_out(layout))
        self._draft.change(forget_lost(document), "fit_rows", count=count)

    def clear_seats(self) -> None:
        """Take all seats away."""
        document = put(self._document, ("layout", "seats"), [])
        rules = [rule for _, rule in records(document, ("layout", "seat_graph")) if rule.get("rule") != "pairs"]
        document = put(document, ("layout", "seat_graph"), [*rules])
        self._draft.change(forget_lost(put(document, ("layout", "patterns"), [])), "clear_seats")

    # --- finding things ---

    def is_patterned(self) -> bool:
        """True if seats are still given by patterns: the first edit of one lists them all."""
        return bool(entries(self._draft.document, ("layout", "patterns")))

    def at(self, cell: Place) -> list[tuple[str, str]]:
        """Kind and name of what is in a cell."""
        return standing(self._draft.document).get(cell, [])

    def _middle(self) -> Place:
        return nearest_free(self._document, self._centre())

    def _centre(self) -> Place:
        grid = read_grid(self._document)
        return grid.width // 2, grid.height // 2

    def _seat(self, name: str) -> Seat:
        seat = next((seat for seat in read_seats(self._document) if seat.id == name), None)
        if seat is None:
            raise EditError("no_seat", f"there is no seat '{name[:80]}'.", "Choose a seat of the room.")
        return seat

    def _thing(self, name: str) -> PlacedThing:
        placed = next((placed for placed in read_things(self._document) if placed.thing.name == name), None)
        if placed is None:
            raise EditError("no_object", f"there is no object '{name[:80]}'.", "Choose an object of the room.")
        return placed

    @staticmethod
    def _listed(document: Plain, name: str) -> int:
        return next(index for index, seat in records(document, ("layout", "seats")) if said(seat, "id") == name)

    def _free_name(self, name: str) -> str:
        used = {placed.thing.name for placed in read_things(self._document)}
        return name if name not in used else _fresh(used, f"{name[:70]} {{}}", start=2)


def _thing(kind: ObjectKind, name: str, cell: Place, radius: float) -> Mapped:
    thing: Mapped = {"name": plain(name), "kind": kind, "at": list(cell)}
    if _ITEMS.get(kind):
        thing["items"] = _ITEMS[kind]
    if radius:
        thing["radius"] = radius
    return thing


def _fresh(used: set[str], form: str, start: int = 1) -> str:
    return next(name for number in range(start, len(used) + start + 1) if (name := form.format(number)) not in used)


def _fresh_prefix(used: set[str], group: str) -> str:
    """Return a beginning for the ids of a table's seats with which none is taken yet."""
    prefix = f"{group[:20].lower().replace(' ', '_')}"
    while any(name.startswith(prefix) for name in used):
        prefix += "_"
    return prefix


def _without_pairs(document: Plain, seat: str) -> Plain:
    rules = []
    for rule in entries(document, ("layout", "seat_graph")):
        pairs = entries(rule, ("pairs",))
        kept = [pair for pair in pairs if not (isinstance(pair, list) and seat in pair)]
        if kept or not pairs:  # a rule on pairs of which none is left speaks of nobody
            rules.append(put(rule, ("pairs",), kept) if len(kept) < len(pairs) else rule)
    return put(document, ("layout", "seat_graph"), rules) if rules else drop(document, ("layout", "seat_graph"))


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
    """Edits of the areas of a draft. No edit loses an object: it goes into the area that is around it."""

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
        """Set whether the board is seen at once from everywhere in an area (C.1.2)."""
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
        if said(sector, "name") == LOOSE:
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
        document = stand(document, thing)
    return put(document, (*trail, "area"), whole)
