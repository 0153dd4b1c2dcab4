"""What no single value of a layout shows: things in one cell, seats off the grid, rules that speak of nobody."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.base import Place
from eduverse_mesa.scenarios.layout import Arena, Layout, Seat, SeatRule, Thing
from eduverse_mesa.scenarios.plain import Reading, Trail
from eduverse_mesa.scenarios.problems import Problem, suggest
from eduverse_mesa.scenarios.seats import expand_seats

_MANY = 12


def check_layout(layout: Layout, reading: Reading, at: Trail = (), groups: Iterable[str] = ()) -> Iterator[Problem]:
    """Problems of a layout that stands at a trail; `groups` are those that students bring along."""
    cells = [*_check_cells(layout, reading, at), *_check_ids(layout, reading, at)]
    yield from cells
    yield from _check_arenas(layout, reading, at)
    seats = _all_seats(layout)
    if seats:
        yield from _check_opposites(layout, seats, reading, at)
        yield from _check_rules(layout, seats, set(groups), reading, at)
    elif seats is not None:
        mend = "List `seats` or give `patterns` (rows, circle, arc)."
        yield Problem(reading.spot(at), at, "there are no seats", mend)
    elif not cells:
        yield _pattern_problem(layout, reading, at)


def list_some(names: Iterable[str]) -> str:
    """Names for a message, not too many of them."""
    known = list(names)
    return ", ".join(known[:_MANY]) + (f" ... ({len(known)} in all)" if len(known) > _MANY else "")


def on_grid(cell: Place, layout: Layout) -> bool:
    """Whether a cell is in the room; the first cell is (0, 0)."""
    return 0 <= cell[0] < layout.grid.width and 0 <= cell[1] < layout.grid.height


def off_grid_message(layout: Layout) -> str:
    """What is wrong with a cell outside the room."""
    return f"this is off the grid, whose cells go from [0, 0] to [{layout.grid.width - 1}, {layout.grid.height - 1}]"


def _things(layout: Layout) -> Iterator[tuple[Trail, Arena, Thing]]:
    for s, sector in enumerate(layout.sectors):
        for a, arena in enumerate(sector.arenas):
            for o, thing in enumerate(arena.objects):
                yield ("sectors", s, "arenas", a, "objects", o), arena, thing


def _check_cells(layout: Layout, reading: Reading, at: Trail) -> Iterator[Problem]:
    """One thing per cell (Table A3): objects, the teacher, and the seats that are listed."""
    taken: dict[Place, str] = {}
    things: list[tuple[Trail, str, Place]] = [
        ((*trail, "at"), f"the object '{thing.name}'", thing.at) for trail, _, thing in _things(layout)
    ]
    things.append((("teacher",), "the teacher", layout.teacher))
    things += [(("seats", index, "at"), f"the seat '{seat.id}'", seat.at) for index, seat in enumerate(layout.seats)]
    for trail, what, cell in things:
        place = (*at, *trail)
        if not on_grid(cell, layout):
            yield Problem(reading.spot(place), place, off_grid_message(layout), "Move it, or enlarge the grid.")
        elif cell in taken:
            message = f"{what} is in cell {list(cell)}, where {taken[cell]} is already"
            yield Problem(reading.spot(place), place, message, "Move one of the two: a cell holds one thing.")
        else:
            taken[cell] = what


def _check_arenas(layout: Layout, reading: Reading, at: Trail) -> Iterator[Problem]:
    names: set[str] = set()
    for s, sector in enumerate(layout.sectors):
        for a, arena in enumerate(sector.arenas):
            left, top, right, bottom = arena.area
            inside = (
                left <= right and top <= bottom and on_grid((left, top), layout) and on_grid((right, bottom), layout)
            )
            if not inside:
                place = (*at, "sectors", s, "arenas", a, "area")
                message = (
                    f"{list(arena.area)} is no part of the grid of {layout.grid.width} x {layout.grid.height} cells"
                )
                yield Problem(
                    reading.spot(place), place, message, "Give left, top, right and bottom cell in this order."
                )
    for trail, arena, thing in _things(layout):
        left, top, right, bottom = arena.area
        if thing.name in names:
            place = (*at, *trail, "name")
            yield Problem(reading.spot(place), place, f"a second object is called '{thing.name}'", "Rename one.")
        names.add(thing.name)
        inside = left <= thing.at[0] <= right and top <= thing.at[1] <= bottom
        if not inside and left <= right and top <= bottom and on_grid(thing.at, layout):
            place = (*at, *trail, "at")
            message = f"the object '{thing.name}' is outside the area {list(arena.area)} of its arena '{arena.name}'"
            yield Problem(
                reading.spot(place), place, message, "Move it, enlarge the area, or list it in another arena."
            )


def _all_seats(layout: Layout) -> tuple[Seat, ...] | None:
    """All seats with those of patterns; None where they cannot be."""
    try:
        return expand_seats(_without_opposites(layout))
    except ScenarioError:
        return None


def _without_opposites(layout: Layout) -> Layout:
    """The layout with listed seats that face nobody: whom they face is looked at when all seats are known."""
    seats = tuple(seat.model_copy(update={"opposite": None}) for seat in layout.seats)
    return layout.model_copy(update={"seats": seats})


def _pattern_problem(layout: Layout, reading: Reading, at: Trail) -> Problem:
    """What keeps the seats from being there: the first pattern that cannot be added to the seats before it."""
    bare = _without_opposites(layout)
    for count in range(len(layout.patterns) + 1):
        try:
            expand_seats(bare.model_copy(update={"patterns": layout.patterns[:count]}))
        except ScenarioError as error:
            place = (*at, "patterns", count - 1) if count else (*at, "seats")
            seat = error.where.rpartition(", ")[2]
            return Problem(reading.spot(place), place, f"{seat}: {error.message.rstrip('.')}", error.mend)
    raise AssertionError("the seats of a layout depend on more than its patterns")


def _check_ids(layout: Layout, reading: Reading, at: Trail) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for index, seat in enumerate(layout.seats):
        if first.setdefault(seat.id, index) != index:
            place = (*at, "seats", index, "id")
            yield Problem(reading.spot(place), place, f"a second seat is called '{seat.id}'", "Rename one.")


def _check_opposites(layout: Layout, seats: Iterable[Seat], reading: Reading, at: Trail) -> Iterator[Problem]:
    known = {seat.id for seat in seats}
    for index, seat in enumerate(layout.seats):
        if seat.opposite is not None and seat.opposite not in known - {seat.id}:
            place = (*at, "seats", index, "opposite")
            yield Problem(reading.spot(place), place, *_no_seat(seat.opposite, sorted(known - {seat.id})))


def _no_seat(name: str, known: Iterable[str]) -> tuple[str, str]:
    listed = list(known)
    return f"there is no other seat '{name}'", f"{suggest(name, listed)}Seats: {list_some(listed)}."


def _check_rules(
    layout: Layout, seats: Iterable[Seat], groups: set[str], reading: Reading, at: Trail
) -> Iterator[Problem]:
    seats = tuple(seats)
    known = [seat.id for seat in seats]
    groups = groups | {seat.group for seat in seats if seat.group is not None}
    for index, rule in enumerate(layout.seat_graph):
        place = (*at, "seat_graph", index)
        if index == 0 and rule.do != "add":
            message = f"the first rule says `do: {rule.do}`, but nobody is linked yet"
            yield Problem(reading.spot((*place, "do")), place, message, "Start with a rule that adds links.")
        if bool(rule.pairs) != (rule.rule == "pairs"):
            message = "a rule `pairs` lists pairs of seats, and no other rule does"
            mend = "Write `rule: pairs` with `pairs: [[SEAT, SEAT], ...]`."
            yield Problem(reading.spot(place), place, message, mend)
        yield from _check_names(rule, known, groups, reading, place)


def _check_names(rule: SeatRule, seats: list[str], groups: set[str], reading: Reading, at: Trail) -> Iterator[Problem]:
    for number, group in enumerate(rule.groups):
        if group not in groups:
            place = (*at, "groups", number)
            mend = f"{suggest(group, groups)}Groups: {list_some(sorted(groups)) or 'none'}."
            yield Problem(reading.spot(place), place, f"no seat and no student is of a group '{group}'", mend)
    for number, pair in enumerate(rule.pairs):
        for side, seat in enumerate(pair):
            if seat not in seats:
                place = (*at, "pairs", number, side)
                yield Problem(reading.spot(place), place, *_no_seat(seat, seats))
        if pair[0] == pair[1]:
            place = (*at, "pairs", number)
            yield Problem(reading.spot(place), place, f"seat '{pair[0]}' is paired with itself", "Name two seats.")
