"""A step of a lesson as it is drawn: the stage that stays, and the frame that changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from eduverse_mesa.scenarios.layout import expand_seats

if TYPE_CHECKING:
    from eduverse_mesa.models.classroom import ClassroomModel


class Sentence(msgspec.Struct, frozen=True, gc=False):
    """A spoken sentence. `channel` is class, peer or group."""

    role: str
    """T or S."""
    speaker: str
    to: str
    channel: str
    text: str
    move: str
    hearers: tuple[str, ...] = ()
    """Those who hear what the class does not: the classmate addressed, or the speaker's group."""


class Feedback(msgspec.Struct, frozen=True, gc=False):
    """The teacher's word to one student."""

    student: str
    polarity: str
    """positive, neutral or negative; '' where only the words are known."""
    words: str


class TeacherFrame(msgspec.Struct, frozen=True):
    """The teacher in a step."""

    name: str
    x: int
    y: int
    category: str = ""
    act: str = ""
    tone: str = ""
    words: str = ""
    """The teacher's words to the class; words of feedback are with `feedback`."""
    called: tuple[str, ...] = ()
    feedback: tuple[Feedback, ...] = ()
    focus: str = ""
    """The focus of the lesson's plan for this step."""


class StudentFrame(msgspec.Struct, frozen=True):
    """A student in a step. Texts are empty, and numbers None, where there is nothing or it is not known."""

    name: str
    x: int
    y: int
    seat: str = ""
    """The id of the seat; '' on a cell without one."""
    behaviour: str = ""
    """The student's behaviour; '' where the decision failed, so that the student did nothing."""
    level: str = ""
    """off_task, passive, active or interactive."""
    emotion: str = ""
    cognition: str = ""
    high: bool = False
    to: str = ""
    """The addressee that the student turned to: teacher, group or a classmate."""
    called: bool = False
    hand_up: bool = False
    feedback: str = ""
    words: str = ""
    shows: tuple[str, str] = ("", "")
    """Behaviour and emotion as the others see them: those of the last step in which the student had some."""
    attention: float | None = None
    confidence: float | None = None
    affect: float | None = None
    fatigue: float | None = None
    rapport: float | None = None
    engagement: float | None = None
    """Known of the last step only: the journal does not keep it."""
    understanding: float | None = None
    perceived: tuple[str, ...] = ()
    """Names of classmates, then of the teacher and things, within the student's perception."""
    gate: str = ""
    """Name of the classmate whose request the student took up."""
    plan: str = ""
    recall: str = ""
    quality: str = ""
    monitoring: str = ""
    regulation: str = ""
    strategy: str = ""
    source: str = ""
    """The source of the student's answer: embedded, llm, human, ..."""
    model: str = ""
    """The language model that was asked, as its server names it."""


class Exchange(msgspec.Struct, frozen=True):
    """A peer's request that was made, settled or waiting in a step, as it stood at the end of the step."""

    sender: str
    receiver: str
    kind: str
    text: str
    status: str
    """pending, accepted or rejected."""
    reason: str = ""
    intention: float | None = None
    scores: tuple[float, ...] = ()
    """Personality, confidence, relevance, history and closeness, 0 to 100; empty where nobody scored it."""
    weights: tuple[float, ...] = ()
    reasons: tuple[str, ...] = ()
    made: int = 0
    settled: int = 0
    """The step in which it was settled; 0 while it is pending."""


class Rejection(msgspec.Struct, frozen=True, gc=False):
    """A wish of somebody that could not be carried out."""

    agent: str
    wanted: str
    instead: str
    reason: str


class Trouble(msgspec.Struct, frozen=True, gc=False):
    """An answer that did not come as it should."""

    agent: str
    kind: str
    status: str
    """repaired, fallback or failed."""
    reason: str


class Frame(msgspec.Struct, frozen=True):
    """One step of a lesson; step 0 is before its beginning."""

    lesson: int
    lesson_name: str
    title: str
    step: int
    steps: int
    """Number of steps that the lesson is planned to take."""
    mode: str
    teacher: TeacherFrame
    students: tuple[StudentFrame, ...]
    phase: str = ""
    pacing: str = ""
    pacing_reason: str = ""
    sentences: tuple[Sentence, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    viewer: str = ""
    """Name of the person who sees this frame; '' for a researcher, who sees all."""

    def student(self, name: str) -> StudentFrame:
        """The student of this name; a KeyError where there is none."""
        for one in self.students:
            if one.name == name:
                return one
        raise KeyError(name)


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
        layout=layout.name,
        title=layout.title or layout.name,
        width=layout.grid.width,
        height=layout.grid.height,
        bounds=_box([*around, *((seat.x, seat.y, 0.0) for seat in seats), *((x, y, 0.0) for x, y in people)]),
        core=_core(people, pieces, placing.room.board),
        teacher=model.teacher.name,
        podium=layout.teacher,
        board=placing.room.board,
        pieces=pieces,
        arenas=tuple(
            ArenaPlan(arena.name, sector.name, arena.area, arena.presentation)
            for sector in layout.sectors
            for arena in sector.arenas
        ),
        seats=seats,
        edges=tuple((str(one), str(other)) for one, other in placing.graph.edges),
        radii={student.name: student.perception.radius for student in model.students},
        groups={str(name): str(group) for name, group in groups if group is not None},
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
