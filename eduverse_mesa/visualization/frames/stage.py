"""What does not change in a step: the room, its furniture and seats, and who may turn to whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from eduverse_mesa.scenarios.seats import expand_seats

if TYPE_CHECKING:
    from eduverse_mesa.models.classroom import ClassroomModel

Box = tuple[float, float, float, float]
"""Left, top, right, bottom, in cells."""


class Piece(msgspec.Struct, frozen=True, gc=False):
    """A piece of furniture with what lies on it."""

    name: str
    kind: str
    x: int
    y: int
    items: tuple[str, ...] = ()
    radius: float = 0.0
    arena: str = ""


class ArenaPlan(msgspec.Struct, frozen=True, gc=False):
    """A region of the room; `box` holds its outermost cells, both included."""

    name: str
    sector: str
    box: tuple[int, int, int, int]
    presentation: bool = False


class SeatPlan(msgspec.Struct, frozen=True, gc=False):
    """A place to sit."""

    id: str
    x: int
    y: int
    group: str = ""
    row: int | None = None


class Stage(msgspec.Struct, frozen=True):
    """The room of a lesson."""

    layout: str
    title: str
    width: int
    height: int
    bounds: Box
    """Around everything that is in the room."""
    core: Box
    """Around the people, the taken seats, the tables they sit at and the board: where a lesson happens."""
    teacher: str
    """The teacher's name."""
    podium: tuple[int, int]
    """The teacher's place."""
    board: tuple[float, float]
    """The middle of what is looked at."""
    pieces: tuple[Piece, ...]
    arenas: tuple[ArenaPlan, ...]
    seats: tuple[SeatPlan, ...]
    edges: tuple[tuple[str, str], ...]
    """Pairs of students who may easily turn to each other."""
    radii: dict[str, float]
    """How far each student perceives, in cells."""
    groups: dict[str, str]
    """The group of each student that has one."""


def stage(model: ClassroomModel) -> Stage:
    """The room of this lesson as it stands now."""
    layout, placing = model.layout, model.placing
    pieces = tuple(
        Piece(thing.name, thing.kind, *thing.place, tuple(thing.items), thing.radius, thing.arena)
        for thing in placing.room.furniture
    )
    seats = tuple(SeatPlan(seat.id, *seat.at, seat.group or "", seat.row) for seat in expand_seats(layout))
    people = [layout.teacher, *(student.place for student in model.students)]
    around = [(piece.x, piece.y, piece.radius) for piece in pieces]
    groups = placing.graph.nodes(data="group")
    return Stage(
        layout.name,
        layout.title or layout.name,
        layout.grid.width,
        layout.grid.height,
        _box([*around, *((seat.x, seat.y, 0.0) for seat in seats), *((x, y, 0.0) for x, y in people)]),
        _core(people, pieces, placing.room.board),
        model.teacher.name,
        layout.teacher,
        placing.room.board,
        pieces,
        tuple(
            ArenaPlan(arena.name, sector.name, arena.area, arena.presentation)
            for sector in layout.sectors
            for arena in sector.arenas
        ),
        seats,
        tuple((str(one), str(other)) for one, other in placing.graph.edges),
        {student.name: student.perception.radius for student in model.students},
        {str(name): str(group) for name, group in groups if group is not None},
    )


def _core(people: list[tuple[int, int]], pieces: tuple[Piece, ...], board: tuple[float, float]) -> Box:
    spots = [(float(x), float(y), 0.0) for x, y in people]
    used = _box([*spots, (board[0], board[1], 0.0)])
    near = [(piece.x, piece.y, piece.radius) for piece in pieces if _touches(used, piece)]
    return _box([*spots, (board[0], board[1], 0.0), *near])


def _touches(box: Box, piece: Piece) -> bool:
    margin = piece.radius + 2.0
    return box[0] - margin <= piece.x <= box[2] + margin and box[1] - margin <= piece.y <= box[3] + margin


def _box(spots: list[tuple[float, float, float]]) -> Box:
    return (
        min(x - radius for x, _, radius in spots),
        min(y - radius for _, y, radius in spots),
        max(x + radius for x, _, radius in spots),
        max(y + radius for _, y, radius in spots),
    )
