"""A draft as the room widget draws it: as much of it as is valid."""

from __future__ import annotations

from eduverse_mesa.scenarios.drafts import Draft
from eduverse_mesa.scenarios.drafts.documents import mapping, records, said, try_read
from eduverse_mesa.scenarios.drafts.placement import read_grid, read_teacher, read_things
from eduverse_mesa.scenarios.layout import Arena
from eduverse_mesa.scenarios.people import Initial
from eduverse_mesa.scenarios.perception import Perception
from eduverse_mesa.space import student_graph
from eduverse_mesa.visualization.frames import Frame, Stage, StudentFrame, TeacherFrame
from eduverse_mesa.visualization.frames.frame import ArenaPlan, Piece, SeatPlan
from eduverse_mesa.vocabulary import BEHAVIOUR_LEVEL, is_high, level_name


def links(draft: Draft) -> tuple[tuple[str, str], ...]:
    """The pairs of the seat graph, by students' names."""
    return tuple((str(one), str(other)) for one, other in student_graph(*draft.linking).edges)


def stage_of(draft: Draft) -> Stage:
    """The room of a draft."""
    document, grid = draft.document, read_grid(draft.document)
    pieces = tuple(
        Piece(thing.name, thing.kind, *thing.at, tuple(thing.items), thing.radius) for _, thing in read_things(document)
    )
    boards = [piece for piece in pieces if piece.kind in ("board", "whiteboard")]
    podium = read_teacher(document) or (0, 0)
    board = (float(boards[0].x), float(boards[0].y)) if boards else (float(podium[0]), float(podium[1]))
    whole = (0.0, 0.0, float(grid.width - 1), float(grid.height - 1))
    layout = mapping(document, ("layout",))
    return Stage(
        layout=said(layout, "name"),
        title=said(layout, "title") or said(layout, "name"),
        width=grid.width,
        height=grid.height,
        bounds=whole,
        core=whole,
        teacher=teacher_name(draft),
        podium=podium,
        board=board,
        pieces=pieces,
        arenas=tuple(_arenas(draft)),
        seats=tuple(SeatPlan(seat.id, *seat.at, seat.group or "", seat.row) for seat in draft.seats),
        edges=links(draft),
        radii={name: _radius(draft, index) for index, name in enumerate(draft.people.names) if name},
        groups={name: sitting.seat.group for name, sitting in draft.sitting.items() if sitting.seat.group is not None},
    )


def frame_of(draft: Draft, *, people: bool = True) -> Frame:
    """Everybody in their places before the lesson; or the room alone."""
    podium = read_teacher(draft.document) or (0, 0)
    lesson = mapping(draft.document, ("lessons", 0))
    return Frame(
        lesson=1,
        lesson_name=said(lesson, "name"),
        title=said(lesson, "title"),
        step=0,
        steps=1,
        mode="lecture",
        teacher=TeacherFrame(teacher_name(draft), *podium),
        students=tuple(_students(draft)) if people else (),
    )


def teacher_name(draft: Draft) -> str:
    """Return the teacher's name."""
    return said(mapping(draft.document, ("class", "teacher")), "name") or "Teacher"


def _students(draft: Draft) -> list[StudentFrame]:
    first = {said(student, "name"): student for _, student in records(draft.document, ("class", "students"))}
    shown = []
    for name, (seat, real) in draft.sitting.items():
        initial = try_read(Initial, mapping(first.get(name, {}), ("initial",))) or Initial()
        level = level_name(initial.behaviour) if initial.behaviour in BEHAVIOUR_LEVEL else ""
        shown.append(
            StudentFrame(
                name,
                *seat.at,
                seat.id if real else "",
                initial.behaviour,
                level,
                initial.emotion,
                initial.cognition,
                is_high(initial.cognition),
                shows=(initial.behaviour, initial.emotion),
            )
        )
    return shown


def _arenas(draft: Draft) -> list[ArenaPlan]:
    found = []
    for s, sector in records(draft.document, ("layout", "sectors")):
        for _, entry in records(draft.document, ("layout", "sectors", s, "arenas")):
            arena = try_read(Arena, {**entry, "objects": []})
            if arena is not None:
                found.append(ArenaPlan(arena.name, said(sector, "name"), arena.area, arena.presentation))
    return found


def _radius(draft: Draft, index: int) -> float:
    for trail in (("class", "students", index, "perception"), ("settings", "perception")):
        perception = try_read(Perception, draft.get(*trail)) if draft.get(*trail) is not None else None
        if perception is not None:
            return perception.radius
    return Perception().radius
