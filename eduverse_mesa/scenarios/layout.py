"""The layout document: where things and seats are, and who may easily turn to whom (EduVerse C.1)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from eduverse_mesa.scenarios.base import Document, Name, Part, Place, Text

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


class SeatRule(Part):
    """A sentence about pairs of seats: which pairs it speaks of, and whether they are linked.

    Rules are read in order. `add` links the pairs of the rule, `keep` cuts every link that is not one of them,
    `drop` cuts those that are.
    """

    rule: Literal["distance", "same_row", "same_group", "across_groups", "opposite", "pairs"]
    do: Literal["add", "keep", "drop"] = "add"
    within: float = Field(4.5, gt=0, description="for rule distance: the largest distance in cells (tau_d, Table A3)")
    same_group_bonus: float = Field(0.0, ge=0, description="for rule distance: added to `within` inside one group")
    pairs: tuple[tuple[Name, Name], ...] = Field((), description="for rule pairs: pairs of seat ids")
    groups: tuple[Name, ...] = Field((), description="for rules on groups: only these groups (empty: all)")


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
