"""The layout document: where things and seats are, one by one or by patterns, and who may easily turn to whom (EduVerse
C.1)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.base import Document, Name, Part, Place, Text
from eduverse_mesa.scenarios.layout_rules import SeatRule

Mode = Literal["lecture", "presentation", "discussion"]
ObjectKind = Literal["board", "lectern", "whiteboard", "desk", "table", "cupboard", "water_dispenser", "other"]


class Grid(Part):
    """The size of the room in cells; one thing per cell (Table A3)."""

    width: int = Field(30, ge=2, le=200)
    height: int = Field(20, ge=2, le=200)


class Thing(Part):
    """An object of the room, with the items that lie on it. It takes one cell; a table's radius is for drawing only."""

    name: Name
    kind: ObjectKind = "other"
    at: Place
    items: tuple[Name, ...] = ()
    radius: float = Field(0.0, ge=0, le=20)


class Arena(Part):
    """A region inside a sector; `presentation` marks where what is on the board is seen at once (C.1.2)."""

    name: Name
    area: tuple[int, int, int, int] = Field(description="left, top, right, bottom cell, all included")
    presentation: bool = False
    objects: tuple[Thing, ...] = ()


class Sector(Part):
    """A functional zone of the room: teacher, student or activity."""

    name: Name
    arenas: tuple[Arena, ...] = Field(min_length=1)


class Seat(Part):
    """A place to sit. `row` and `group` are what seat rules speak of; both may be left out."""

    id: Name
    at: Place
    row: int | None = None
    group: Name | None = None
    opposite: Name | None = Field(None, description="the id of the seat face to face with this one")


class RowsPattern(Part):
    """Seats in straight rows, numbered from the board backwards."""

    pattern: Literal["rows"]
    prefix: Name = "r"
    origin: Place
    rows: int = Field(ge=1, le=100)
    columns: int = Field(ge=1, le=100)
    spacing: tuple[int, int] = Field((2, 2), description="cells between columns and between rows")
    group: Name | None = None


class CirclePattern(Part):
    """Seats around a table; each seat knows the one opposite when their number is even."""

    pattern: Literal["circle"]
    prefix: Name = "c"
    centre: Place
    radius: float = Field(3.0, gt=0, le=50)
    seats: int = Field(ge=1, le=100)
    start_angle: float = Field(0.0, description="degrees, clockwise from the right")
    group: Name | None = None


class ArcPattern(Part):
    """Seats on an arc that opens towards the board."""

    pattern: Literal["arc"]
    prefix: Name = "a"
    centre: Place
    radius: float = Field(8.0, gt=0, le=100)
    seats: int = Field(ge=1, le=200)
    from_angle: float = 0.0
    to_angle: float = 180.0
    row: int = 1
    group: Name | None = None


SeatPattern = Annotated[RowsPattern | CirclePattern | ArcPattern, Field(discriminator="pattern")]


class Layout(Document):
    """A room: its grid, its zones with objects and items, the seats, and the rules of the seat graph."""

    kind: Literal["layout"] = "layout"
    mode: Mode = "lecture"
    grid: Grid = Grid()
    sectors: tuple[Sector, ...] = Field(min_length=1)
    teacher: Place
    seats: tuple[Seat, ...] = ()
    patterns: tuple[SeatPattern, ...] = ()
    seat_graph: tuple[SeatRule, ...] = ()
    description: Text = ""


_LONGEST_PREFIX = 70  # an id is a name (80 letters at most), and a row and a column come behind the prefix
_MENDS = {
    "rows": "Give the pattern a larger spacing, or move its origin.",
    "circle": "Give the circle a larger radius or fewer seats, or move its centre.",
    "arc": "Give the arc a larger radius or fewer seats, or move its centre.",
    "seat": "Move one of the two.",
}


def expand_seats(layout: Layout) -> tuple[Seat, ...]:
    """All seats of a layout, listed ones first, each in a cell of its own; else a ScenarioError says what is wrong.

    A seat of a rows pattern is called PREFIX ROW_COLUMN (`r1_2`: first row from the board, second column), one of a
    circle or an arc PREFIX NUMBER (`a3`), counted clockwise. Rows are counted within their pattern.
    """
    taken = _taken(layout)
    seats: dict[str, Seat] = {}
    for seat, source in _all_seats(layout):
        where = f"layout '{layout.name}', seat '{seat.id}'"
        if seat.id in seats:
            raise ScenarioError(
                "there are two seats of this id.", where=where, mend="Give one of the patterns another prefix."
            )
        _refuse_outside(seat.at, layout.grid, where)
        if seat.at in taken:
            raise ScenarioError(f"in cell {seat.at} is {taken[seat.at]} already.", where=where, mend=_MENDS[source])
        taken[seat.at] = f"seat '{seat.id}'"
        seats[seat.id] = seat
    for seat in seats.values():
        if seat.opposite is not None and (seat.opposite not in seats or seat.opposite == seat.id):
            raise ScenarioError(
                f"opposite is '{seat.opposite}', which is no other seat.",
                where=f"layout '{layout.name}', seat '{seat.id}'",
                mend="Name the id of another seat, or leave `opposite` out.",
            )
    return tuple(seats.values())


def all_things(layout: Layout) -> Iterator[tuple[Arena, Thing]]:
    """Every object of a layout with its arena, in the order of the document."""
    for sector in layout.sectors:
        for arena in sector.arenas:
            for thing in arena.objects:
                yield arena, thing


def _taken(layout: Layout) -> dict[Place, str]:
    taken = {thing.at: f"the object '{thing.name}'" for _, thing in all_things(layout)}
    taken[layout.teacher] = "the teacher"
    return taken


def _refuse_outside(at: Place, grid: Grid, where: str) -> None:
    if not (0 <= at[0] < grid.width and 0 <= at[1] < grid.height):
        raise ScenarioError(
            f"cell {at} is outside the grid, whose last cell is ({grid.width - 1}, {grid.height - 1}).",
            where=where,
            mend="Move it, or enlarge the grid.",
        )


def _all_seats(layout: Layout) -> Iterator[tuple[Seat, str]]:
    for seat in layout.seats:
        yield seat, "seat"
    for pattern in layout.patterns:
        if len(pattern.prefix) > _LONGEST_PREFIX:
            raise ScenarioError(
                f"the prefix is longer than {_LONGEST_PREFIX} letters.",
                where=f"layout '{layout.name}', pattern '{pattern.prefix[:20]}...'",
                mend="Shorten it: seats are called by it.",
            )
        for seat in seats_of(pattern):
            yield seat, pattern.pattern


def seats_of(pattern: SeatPattern) -> Iterator[Seat]:
    """The seats that a pattern stands for, wherever they come to be."""
    if isinstance(pattern, RowsPattern):
        return _rows(pattern)
    return _circle(pattern) if isinstance(pattern, CirclePattern) else _arc(pattern)


def _rows(pattern: RowsPattern) -> Iterator[Seat]:
    (left, top), (across, back) = pattern.origin, pattern.spacing
    for row in range(pattern.rows):
        for column in range(pattern.columns):
            at = (left + column * across, top + row * back)
            yield Seat(id=f"{pattern.prefix}{row + 1}_{column + 1}", at=at, row=row + 1, group=pattern.group)


def _circle(pattern: CirclePattern) -> Iterator[Seat]:
    count = pattern.seats
    for number in range(count):
        at = _on_circle(pattern.centre, pattern.radius, pattern.start_angle + 360.0 * number / count)
        facing = f"{pattern.prefix}{(number + count // 2) % count + 1}" if count % 2 == 0 else None
        yield Seat(id=f"{pattern.prefix}{number + 1}", at=at, group=pattern.group, opposite=facing)


def _arc(pattern: ArcPattern) -> Iterator[Seat]:
    count, span = pattern.seats, pattern.to_angle - pattern.from_angle
    for number in range(count):
        share = number / (count - 1) if count > 1 else 0.5
        at = _on_circle(pattern.centre, pattern.radius, pattern.from_angle + span * share)
        yield Seat(id=f"{pattern.prefix}{number + 1}", at=at, row=pattern.row, group=pattern.group)


def _on_circle(centre: Place, radius: float, degrees: float) -> Place:
    """The cell at an angle, clockwise from the right (y grows away from the board)."""
    angle = math.radians(degrees)
    return centre[0] + _nearest(radius * math.cos(angle)), centre[1] + _nearest(radius * math.sin(angle))


def _nearest(value: float) -> int:
    """Halves go outwards, and 1.4999999999999993 is a half: what is symmetric on the circle stays so on the grid."""
    return int(math.copysign(math.floor(abs(round(value, 9)) + 0.5), value))


# --- rows for any class ---

_FRONT = 6  # the first row: behind board, podium and teacher
_MARGIN = 3
_SPACING = 2
_STORAGE = 2
_WIDER_THAN_DEEP = 1.5


def rows_for(students: int) -> Layout:
    """A lecture room with rows for a class of any size, called `rows_N`; it has at least that many seats.

    It serves where a class is larger than any layout at hand: half as many columns again as rows, the grid of Table A3
    or as much larger as it must be, and links within a row as in `lecture`.
    """
    if students < 1:
        raise ScenarioError(f"a room for {students} students cannot be made.", mend="Ask for one student or more.")
    columns = min(students, math.ceil(math.sqrt(_WIDER_THAN_DEEP * students)))
    rows = math.ceil(students / columns)
    wide, deep = _SPACING * (columns - 1) + 1, _SPACING * (rows - 1) + 1
    width = max(Grid().width, wide + 2 * _MARGIN)
    height = max(Grid().height, _FRONT + deep + 1 + _STORAGE)
    limit = min(_limit(Grid, "width"), _limit(Grid, "height"), _SPACING * _limit(RowsPattern, "columns"))
    if max(width, height) > limit:
        raise ScenarioError(
            f"{students} students do not fit: no room is longer than {limit} cells.", mend="Take a smaller class."
        )
    middle = width // 2
    return Layout(
        name=f"rows_{students}",
        title=f"Rows for {students}",
        mode="lecture",
        grid=Grid(width=width, height=height),
        sectors=_lecture_room(width, height),
        teacher=(middle, 3),
        patterns=(
            RowsPattern(
                pattern="rows",
                origin=(middle - wide // 2, _FRONT),
                rows=rows,
                columns=columns,
                spacing=(_SPACING, _SPACING),
            ),
        ),
        seat_graph=(SeatRule(rule="distance"), SeatRule(rule="same_row", do="keep")),
    )


def _limit(part: type[Grid | RowsPattern], field: str) -> int:
    """The upper bound that the schema sets to a field."""
    bound: int = next(bound.le for bound in part.model_fields[field].metadata if hasattr(bound, "le"))
    return bound


def _lecture_room(width: int, height: int) -> tuple[Sector, ...]:
    """Board, podium and instruction area over the whole width, and a storage strip along the back wall."""
    middle, last, back = width // 2, width - 1, height - 1
    display = Arena(
        name="display",
        area=(0, 0, last, 1),
        objects=(Thing(name="board", kind="board", at=(middle, 0), items=("chalk", "eraser", "clock")),),
    )
    podium = Arena(
        name="podium",
        area=(0, 2, last, _FRONT - 2),
        objects=(Thing(name="lectern", kind="lectern", at=(middle - 2, 3), items=("textbook", "cup")),),
    )
    instruction = Arena(name="instruction", area=(0, _FRONT - 1, last, back - _STORAGE), presentation=True)
    storage = Arena(
        name="storage",
        area=(0, back - _STORAGE + 1, last, back),
        objects=(
            Thing(name="cupboard", kind="cupboard", at=(0, back), items=("broom",)),
            Thing(name="water_dispenser", kind="water_dispenser", at=(last, back), items=("cup",)),
        ),
    )
    return (
        Sector(name="teacher_zone", arenas=(display, podium)),
        Sector(name="student_zone", arenas=(instruction,)),
        Sector(name="activity_zone", arenas=(storage,)),
    )
