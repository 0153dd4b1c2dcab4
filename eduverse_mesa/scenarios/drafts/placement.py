"""Seating of a draft, and the parts of the room that it needs, as far as they can be read while parts are not valid.

The same rules as when a lesson begins (models/classroom/model.py): the seating, else the student's own wish, else
the next free seat.
"""

from __future__ import annotations

from typing import NamedTuple

from pydantic import TypeAdapter

from eduverse_mesa.scenarios.base import Place
from eduverse_mesa.scenarios.drafts.documents import Mapped, drop, entries, get, mapping, put, records, said, try_read
from eduverse_mesa.scenarios.layout import Grid, Seat, SeatPattern, Thing, seats_of
from eduverse_mesa.scenarios.layout_rules import SeatRule
from eduverse_mesa.scenarios.plain import Plain, Trail

_PLACE: TypeAdapter[Place] = TypeAdapter(Place)
_PATTERN: TypeAdapter[SeatPattern] = TypeAdapter(SeatPattern)
_SEAT, _RULE, _THING, _GRID = TypeAdapter(Seat), TypeAdapter(SeatRule), TypeAdapter(Thing), TypeAdapter(Grid)


class PlacedThing(NamedTuple):
    """An object and where it is written."""

    trail: Trail
    thing: Thing


class Sitting(NamedTuple):
    """A student's place: the seat, made up for somebody beside all seats, and whether it is one of the room."""

    seat: Seat
    real: bool


def read_grid(document: Plain) -> Grid:
    """The size of the room; the usual one while it is not valid."""
    return try_read(_GRID, mapping(document, ("layout", "grid"))) or Grid()


def read_teacher(document: Plain) -> Place | None:
    """The teacher's cell."""
    return read_place(get(document, ("layout", "teacher")))


def read_place(data: Plain) -> Place | None:
    """A cell as it is written."""
    return try_read(_PLACE, data)


def read_seats(document: Plain) -> tuple[Seat, ...]:
    """The seats that are valid by themselves, listed ones first, each id once."""
    seats: dict[str, Seat] = {}
    for entry in entries(document, ("layout", "seats")):
        if (seat := try_read(_SEAT, entry)) is not None:
            seats.setdefault(seat.id, seat)
    for entry in entries(document, ("layout", "patterns")):
        for seat in pattern_seats(entry):
            seats.setdefault(seat.id, seat)
    return tuple(seats.values())


def pattern_seats(entry: Plain) -> tuple[Seat, ...]:
    """The seats of a pattern; none while it is not valid."""
    pattern = try_read(_PATTERN, entry)
    if pattern is None or len(pattern.prefix) > 70:
        return ()
    return tuple(seats_of(pattern))


def read_things(document: Plain) -> tuple[PlacedThing, ...]:
    """The objects that are valid by themselves."""
    found = []
    for s, _ in records(document, ("layout", "sectors")):
        for a, _ in records(document, ("layout", "sectors", s, "arenas")):
            at: Trail = ("layout", "sectors", s, "arenas", a, "objects")
            for o, entry in records(document, at):
                if (thing := try_read(_THING, entry)) is not None:
                    found.append(PlacedThing((*at, o), thing))
    return tuple(found)


def read_rules(document: Plain) -> tuple[SeatRule, ...]:
    """The rules of the seat graph that are valid by themselves."""
    found = (try_read(_RULE, entry) for entry in entries(document, ("layout", "seat_graph")))
    return tuple(rule for rule in found if rule is not None)


def place_students(document: Plain) -> dict[str, Sitting]:
    """Everybody who has a place, in the order of the class; a student's own group counts before the seat's."""
    seats = {seat.id: seat for seat in read_seats(document)}
    at_cell = {seat.at: seat for seat in seats.values()}
    students = {
        name: record for _, record in records(document, ("class", "students")) if (name := said(record, "name"))
    }
    wanted = {name: cell for name, record in students.items() if (cell := _wish(document, name, record, seats))}
    taken = set(wanted.values())
    free = iter([seat.at for seat in seats.values() if seat.at not in taken])
    sitting = {}
    for name, record in students.items():
        cell = wanted.get(name) or next(free, None)
        if cell is None:
            continue
        seat = at_cell.get(cell) or Seat(id=f"cell {cell[0]},{cell[1]}", at=cell)
        if group := said(record, "group"):
            seat = seat.model_copy(update={"group": group})
        sitting[name] = Sitting(seat, cell in at_cell)
    return sitting


def _wish(document: Plain, name: str, record: Mapped, seats: dict[str, Seat]) -> Place | None:
    wish = mapping(document, ("seating",)).get(name, record.get("seat"))
    if isinstance(wish, str):
        return seats[wish.strip()].at if wish.strip() in seats else None
    return read_place(wish)


def pin(document: Plain) -> Plain:
    """The document with everybody's place written down, so that one who moves does not move the others."""
    seating = dict(mapping(document, ("seating",)))
    for name, (seat, real) in place_students(document).items():
        if name not in seating:
            seating[name] = seat.id if real else list(seat.at)
    return put(document, ("seating",), seating) if seating else document


def expand(document: Plain) -> Plain:
    """The document with every seat listed, in the order they had; patterns that are not valid stay as they are."""
    seats, kept = list(entries(document, ("layout", "seats"))), []
    for entry in entries(document, ("layout", "patterns")):
        made = pattern_seats(entry)
        seats.extend(seat.model_dump(mode="json", exclude_defaults=True) for seat in made)
        if not made:
            kept.append(entry)
    document = put(document, ("layout", "seats"), seats)
    return put(document, ("layout", "patterns"), kept)


def forget_lost(document: Plain) -> Plain:
    """The document without places that the room does not have, and without a place for anybody who is not there."""
    seats = {seat.id for seat in read_seats(document)}
    names = {said(record, "name") for _, record in records(document, ("class", "students"))}
    grid, standing = read_grid(document), {placed.thing.at for placed in read_things(document)}

    def is_there(wish: Plain) -> bool:
        if isinstance(wish, str):
            return wish.strip() in seats
        cell = read_place(wish)
        return cell is not None and cell not in standing and 0 <= cell[0] < grid.width and 0 <= cell[1] < grid.height

    if "seating" in mapping(document):
        seating = mapping(document, ("seating",))
        kept: Mapped = {name: wish for name, wish in seating.items() if name in names and is_there(wish)}
        document = put(document, ("seating",), kept)
    for index, record in records(document, ("class", "students")):
        if record.get("seat") is not None and not is_there(record["seat"]):
            document = drop(document, ("class", "students", index, "seat"))
    return document
