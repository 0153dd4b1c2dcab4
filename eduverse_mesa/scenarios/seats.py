"""From a layout's seats and patterns to seats on cells."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, cos, radians, sin, sqrt

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.layout import (
    Arena,
    ArcPattern,
    CirclePattern,
    Grid,
    Layout,
    RowsPattern,
    Seat,
    SeatRule,
    Sector,
    Thing,
)

Cell = tuple[int, int]


def expand_seats(layout: Layout) -> tuple[Seat, ...]:
    """All seats of a layout: those listed, then those of its patterns, in the order in which students take them."""
    seats = list(layout.seats)
    for pattern in layout.patterns:
        seats.extend(_seats_of(pattern))
    ids: set[str] = set()
    taken: dict[Cell, str] = {}
    for seat in seats:
        if seat.id in ids:
            raise ScenarioError(
                f"two seats have the id '{seat.id}'.", where=layout.name, mend="Rename one, or change a pattern's prefix."
            )
        if seat.at in taken:
            raise ScenarioError(
                f"seats '{taken[seat.at]}' and '{seat.id}' are both on cell {seat.at}.",
                where=layout.name,
                mend="Move one; in a circle or an arc take a larger radius or fewer seats.",
            )
        ids.add(seat.id)
        taken[seat.at] = seat.id
    return tuple(seats)


def _seats_of(pattern: RowsPattern | CirclePattern | ArcPattern) -> Iterator[Seat]:
    if isinstance(pattern, RowsPattern):
        return _rows(pattern)
    return _circle(pattern) if isinstance(pattern, CirclePattern) else _arc(pattern)


def _rows(pattern: RowsPattern) -> Iterator[Seat]:
    (left, top), (across, back) = pattern.origin, pattern.spacing
    for row in range(pattern.rows):
        for column in range(pattern.columns):
            yield Seat(
                id=f"{pattern.prefix}{row + 1}_{column + 1}",
                at=(left + column * across, top + row * back),
                row=row + 1,
                group=pattern.group,
            )


def _circle(pattern: CirclePattern) -> Iterator[Seat]:
    count = pattern.seats
    for place in range(count):
        angle = radians(pattern.start_angle + 360 * place / count)
        yield Seat(
            id=f"{pattern.prefix}{place + 1}",
            at=_cell(pattern.centre, pattern.radius, angle),
            group=pattern.group,
            opposite=f"{pattern.prefix}{(place + count // 2) % count + 1}" if count % 2 == 0 else None,
        )


def _arc(pattern: ArcPattern) -> Iterator[Seat]:
    steps = max(1, pattern.seats - 1)
    for place in range(pattern.seats):
        angle = radians(pattern.from_angle + (pattern.to_angle - pattern.from_angle) * place / steps)
        yield Seat(
            id=f"{pattern.prefix}{place + 1}",
            at=_cell(pattern.centre, pattern.radius, angle),
            row=pattern.row,
            group=pattern.group,
        )


def _cell(centre: Cell, radius: float, angle: float) -> Cell:
    return centre[0] + _nearest(radius * cos(angle)), centre[1] + _nearest(radius * sin(angle))


def _nearest(offset: float) -> int:
    """The nearest whole number, halves away from the centre: opposite seats stay opposite."""
    whole = int(abs(offset) + 0.5 + 1e-9)
    return whole if offset >= 0 else -whole


def rows_for(students: int) -> Layout:
    """A layout of straight rows that seats a class of any size, with the room as large as it has to be."""
    columns = max(3, min(40, ceil(sqrt(students * 1.5))))
    rows = ceil(students / columns)
    width, height = max(30, 2 * columns + 2), max(20, 2 * rows + 7)
    left = (width - 2 * columns) // 2 + 1
    board = Thing(name="board", kind="board", at=(width // 2, 0), items=("chalk", "eraser"))
    lectern = Thing(name="lectern", kind="lectern", at=(width // 2 + 2, 2), items=("textbook",))
    return Layout(
        name=f"rows_{students}",
        title=f"Straight rows for {students} students",
        grid=Grid(width=width, height=height),
        sectors=(
            Sector(
                name="teacher_zone",
                arenas=(Arena(name="podium", area=(0, 0, width - 1, 3), objects=(board, lectern)),),
            ),
            Sector(
                name="student_zone",
                arenas=(Arena(name="instruction", area=(0, 4, width - 1, height - 1), presentation=True),),
            ),
        ),
        teacher=(width // 2, 2),
        patterns=(RowsPattern(pattern="rows", origin=(left, 5), rows=rows, columns=columns),),
        seat_graph=(SeatRule(rule="distance", within=2.5), SeatRule(rule="same_row", do="keep")),
    )
