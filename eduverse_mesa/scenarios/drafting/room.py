"""Edits of the room: what stands where, what is added and taken away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eduverse_mesa.scenarios.base import Place
from eduverse_mesa.scenarios.drafting import arenas
from eduverse_mesa.scenarios.drafting.bringing import bring_in
from eduverse_mesa.scenarios.drafting.cells import TEACHER, as_cell, nearest_free, refuse_cell, standing
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
)
from eduverse_mesa.scenarios.drafting.errors import EditError
from eduverse_mesa.scenarios.drafting.opening import write_out
from eduverse_mesa.scenarios.drafting.seating import (
    PlacedThing,
    expand,
    forget_lost,
    pin,
    place_students,
    read_grid,
    read_seats,
    read_things,
)
from eduverse_mesa.scenarios.layout import CirclePattern, ObjectKind, Seat
from eduverse_mesa.scenarios.plain import Plain
from eduverse_mesa.scenarios.seats import rows_for, seats_of

if TYPE_CHECKING:
    from eduverse_mesa.scenarios.drafting.draft import Draft

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
    """What can be done to the room of a draft. The first edit of a seat lists all seats one by one."""

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
        if arenas.stays(document, placed.trail, cell):
            document = put(document, (*placed.trail, "at"), list(cell))
        else:
            thing = mapping(document, placed.trail)
            document = arenas.stand(arenas.take_away(document, placed.trail), {**thing, "at": list(cell)})
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
        document = arenas.stand(document, _thing(kind, name, cell, radius))
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
        document = arenas.stand(document, _thing("table", name, cell, float(radius)))
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
        document = arenas.take_away(self._document, self._thing(name).trail)
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
        """Whether seats are still given by patterns: the first edit of one lists them all."""
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
    """What the ids of a table's seats begin with, so that none is taken."""
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
