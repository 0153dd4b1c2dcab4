"""Frames of a lesson: from a model's last step, an earlier one, the step under way, or as one seat sees it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from eduverse_mesa.decisions import Answer
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.memory.short_term import SharedState, SocialRequest
from eduverse_mesa.runs.audience import Mates, hearers, mates_at, unwritten
from eduverse_mesa.scenarios.layout import expand_seats
from eduverse_mesa.visualization.frames.frame import (
    Exchange,
    Feedback,
    Frame,
    Rejection,
    Sentence,
    Stage,
    StudentFrame,
    TeacherFrame,
    Trouble,
)
from eduverse_mesa.visualization.words import run_on
from eduverse_mesa.vocabulary import BEHAVIOUR_LEVEL, is_high, level_name

if TYPE_CHECKING:
    from eduverse_mesa.agents.student import StudentAgent
    from eduverse_mesa.models.classroom import ClassroomModel
    from eduverse_mesa.models.classroom.journal import SentenceRow, StudentRow, TeacherRow
    from eduverse_mesa.models.decision_model import LoggedAnswer


class Places:
    """Seats, groups and names of a step."""

    def __init__(self, model: ClassroomModel, rows: list[StudentRow]) -> None:
        self._model = model
        self._rows = rows
        self._seats = {seat.at: seat for seat in expand_seats(model.layout)}
        self._mates: Mates | None = None
        things = [thing.name for thing in model.placing.room.furniture]
        self._names = frozenset([*model.classmates, model.teacher.name, *things])

    def seat(self, x: int, y: int) -> str:
        """The id of the seat in a cell, or ''."""
        seat = self._seats.get((x, y))
        return seat.id if seat is not None else ""

    def hearers(self, said: SentenceRow) -> tuple[str, ...]:
        """Return the names of those who hear a sentence that is not for the class."""
        if self._mates is None:
            self._mates = mates_at(self._model, self._rows)
        return hearers(said, self._mates)

    def names(self, joined: str) -> tuple[str, ...]:
        """The names in a row's list; a name may hold the sign that parts them."""
        parts = joined.split(";") if joined else []
        names: list[str] = []
        begun = ""
        for part in parts:
            begun = f"{begun};{part}" if begun else part
            if begun in self._names:
                names.append(begun)
                begun = ""
        return tuple(names)


_Row = TypeVar("_Row", "SentenceRow", "LoggedAnswer")


class FrameError(EduverseError):
    """A step or a person is asked for that is not there."""


def last_step(model: ClassroomModel) -> int:
    """The last step that is complete; 0 before the first."""
    # A step writes one row a student, at its end: while it goes on, the rows are those of the steps before.
    return len(model.journal.students) // len(model.students)


def frame(model: ClassroomModel, step: int | None = None) -> Frame:
    """The last complete step, or any earlier one; step 0 is the class before the lesson."""
    last = last_step(model)
    number = last if step is None else step
    if not 0 <= number <= last:
        raise FrameError(
            f"there is no step {number} yet.", where=model.lesson.name, mend=f"Ask for one from 0 to {last}."
        )
    return _frame_of(model, number, last) if number else _first_frame(model, last)


def _frame_of(model: ClassroomModel, step: int, last: int) -> Frame:
    rows = _rows(model, step)
    places = Places(model, rows)
    row = model.journal.teacher[step - 1]
    answers = _of_step(model.journal.answers, step)
    sentences = tuple(
        Sentence(said.role, said.speaker, said.addressee, said.channel, said.text, said.move, places.hearers(said))
        for said in _of_step(model.journal.sentences, step)
    )
    teacher = _teacher(model, row, rows, sentences)
    sources = {entry.agent: entry.answer for entry in answers if entry.kind in ("plan", "react")}
    shown = _shown(model, step, rows)
    return Frame(
        lesson=model.lesson_number,
        lesson_name=model.lesson.name,
        title=model.lesson.title or model.lesson.name,
        step=step,
        steps=model.settings.steps,
        mode="discussion" if row.act == "organising_discussion" else model.layout.mode,
        teacher=teacher,
        students=tuple(_student(model, entry, places, sources, shown, step == last) for entry in rows),
        phase=row.phase,
        pacing=row.pacing,
        pacing_reason=row.pacing_reason,
        sentences=sentences,
        exchanges=exchanges_in(model.state.requests.all, step),
        rejections=tuple(
            Rejection(entry.agent, entry.wanted, entry.replaced_by, entry.reason)
            for entry in model.journal.rejections
            if entry.step == step
        ),
        troubles=tuple(
            Trouble(entry.agent, entry.kind, entry.answer.status, entry.answer.reason)
            for entry in (*(_of_step(model.journal.answers, 0) if step == 1 else ()), *answers)
            if entry.answer.status != "ok"
        ),
    )


def _rows(model: ClassroomModel, step: int) -> list[StudentRow]:
    count = len(model.students)
    return model.journal.students[(step - 1) * count : step * count]


def _of_step(rows: Sequence[_Row], step: int) -> Sequence[_Row]:
    """The rows of a step; they are written in the order of the steps."""
    return rows[bisect_left(rows, step, key=_step) : bisect_right(rows, step, key=_step)]


def _step(row: SentenceRow | LoggedAnswer) -> int:
    return row.step


# --- students ---


def _student(
    model: ClassroomModel,
    row: StudentRow,
    places: Places,
    sources: dict[str, Answer],
    shown: dict[str, tuple[str, str]],
    now: bool,
) -> StudentFrame:
    shows, answer = shown[row.student], sources.get(row.student)
    return StudentFrame(
        name=row.student,
        x=row.x,
        y=row.y,
        seat=places.seat(row.x, row.y),
        behaviour=row.behaviour,
        level=level_name(row.behaviour) if row.behaviour in BEHAVIOUR_LEVEL else "",
        emotion=row.emotion,
        cognition=row.cognition,
        high=is_high(row.cognition),
        to=row.addressee,
        called=row.called,
        hand_up=shows[0] == "hand_raise",
        feedback=row.feedback,
        words=row.words,
        shows=shows,
        attention=row.attention,
        confidence=row.confidence,
        affect=row.affect,
        fatigue=row.fatigue,
        rapport=row.rapport,
        engagement=model.classmates[row.student].mind.engagement if now else None,
        understanding=row.understanding,
        perceived=places.names(row.perceived),
        gate=row.gate,
        plan=row.plan,
        recall=row.recall,
        quality=row.quality,
        monitoring=row.monitoring,
        regulation=row.regulation,
        strategy=row.strategy,
        source=answer.source if answer is not None else "",
        model=answer.usage.model if answer is not None and answer.usage is not None else "",
    )


def _shown(model: ClassroomModel, step: int, rows: list[StudentRow]) -> dict[str, tuple[str, str]]:
    """Return the last behaviour and emotion of each student: where a decision failed, the others go on seeing what was
    there before."""
    shown = {}
    for place, row in enumerate(rows):
        behaviour, emotion, at = row.behaviour, row.emotion, step
        while not (behaviour and emotion) and at > 1:
            at -= 1
            before = _rows(model, at)[place]
            behaviour, emotion = behaviour or before.behaviour, emotion or before.emotion
        first = model.students[place].person.initial
        shown[row.student] = behaviour or first.behaviour, emotion or first.emotion
    return shown


def _first_frame(model: ClassroomModel, last: int) -> Frame:
    """Everybody on the seat, and nothing said. Once the lesson is on, their states before it are not known."""
    rows = _rows(model, 1) if last else []
    places = Places(model, rows)
    cells = {row.student: (row.x, row.y) for row in rows} or {s.name: s.place for s in model.students}
    students = []
    for student in model.students:
        known = student.person.initial if last else student
        mind, cell = student.mind, cells[student.name]
        begun = model.understanding_at_start[student.name]
        now: list[float | None] = [None] * 6
        if not last:
            now = [mind.attention, mind.confidence, mind.affect, mind.fatigue, mind.rapport, mind.engagement]
        students.append(
            StudentFrame(
                student.name,
                *cell,
                places.seat(*cell),
                known.behaviour,
                level_name(known.behaviour),
                known.emotion,
                known.cognition,
                is_high(known.cognition),
                shows=(known.behaviour, known.emotion),
                attention=now[0],
                confidence=now[1],
                affect=now[2],
                fatigue=now[3],
                rapport=now[4],
                engagement=now[5],
                understanding=sum(begun) / len(begun),
                perceived=tuple([percept.name for percept in student.around.percepts]),
            )
        )
    return Frame(
        lesson=model.lesson_number,
        lesson_name=model.lesson.name,
        title=model.lesson.title or model.lesson.name,
        step=0,
        steps=model.settings.steps,
        mode=model.layout.mode,
        teacher=TeacherFrame(model.teacher.name, *model.layout.teacher),
        students=tuple(students),
    )


# --- the teacher, and what came of requests ---


def _teacher(
    model: ClassroomModel, row: TeacherRow, rows: list[StudentRow], sentences: Iterable[Sentence]
) -> TeacherFrame:
    called = [entry.student for entry in rows if entry.called]
    in_order = row.called.split(";")
    words: dict[str, list[str]] = {}
    for said in sentences:
        if said.role == "T":
            words.setdefault(said.to, []).append(said.text)
    polarity = {entry.student: entry.feedback for entry in rows if entry.feedback}
    spoken_to = dict.fromkeys([*(name for name in words if name in polarity), *polarity])
    x, y = model.layout.teacher
    return TeacherFrame(
        name=model.teacher.name,
        x=x,
        y=y,
        category=row.category,
        act=row.act,
        tone=row.tone,
        words=run_on(words.get("class", ())),
        called=tuple(in_order if sorted(in_order) == sorted(called) else called),
        feedback=tuple(Feedback(name, polarity[name], run_on(words.get(name, ()))) for name in spoken_to),
        focus=_focus(model, row.step),
    )


def _focus(model: ClassroomModel, step: int) -> str:
    """Return the plan's focus for a step: the plan and the pace up to then say where the lesson was."""
    state = SharedState(phases=model.state.phases)
    for row in model.journal.teacher[: step - 1]:
        if row.pacing == "advance":
            state.phase, state.step_in_phase, state.extensions = state.phase + 1, 0, 0
        else:
            state.step_in_phase += 1
            state.extensions += row.pacing == "extend"
    focus = model.teacher.planned(state)
    return focus.text or focus.idea or focus.question


def exchanges_in(requests: Iterable[SocialRequest], step: int) -> tuple[Exchange, ...]:
    """The requests that were made, settled or waiting in a step."""
    found = []
    for entry in requests:
        request = entry.request
        if request.step > step or (entry.settled and entry.settled < step):
            continue
        settled = bool(entry.settled) and entry.settled == step
        scores = entry.scores if settled else None
        found.append(
            Exchange(
                sender=request.sender,
                receiver=request.receiver,
                kind=request.kind,
                text=request.text,
                status=entry.status if settled else "pending",
                reason=entry.reason if settled else "",
                intention=scores.intention if scores is not None else None,
                scores=scores.scores if scores is not None else (),
                weights=scores.weights if scores is not None else (),
                reasons=scores.reasons if scores is not None else (),
                made=request.step,
                settled=entry.settled if settled else 0,
            )
        )
    return tuple(found)


def moment(model: ClassroomModel) -> Frame:
    """The last complete step, until the teacher has acted in the next: from then on, that step so far."""
    before = frame(model)
    state = model.state
    if len(state.acts) <= before.step:
        return before
    places = Places(model, [])
    rows = [row for row in model.journal.sentences if row.step == state.step]
    return replace(
        before,
        step=state.step,
        mode=state.mode,
        phase=state.phases[state.phase].name,
        pacing="",
        pacing_reason="",
        teacher=_moment_teacher(model, before.teacher),
        students=tuple(
            _moment_student(model, student, places, was)
            for student, was in zip(model.students, before.students, strict=True)
        ),
        sentences=tuple(
            Sentence(row.role, row.speaker, row.addressee, row.channel, row.text, row.move, places.hearers(row))
            for row in (*rows, *unwritten(model))
        ),
        exchanges=exchanges_in(model.state.requests.all, state.step),
        rejections=(),
        troubles=(),
    )


def _moment_teacher(model: ClassroomModel, before: TeacherFrame) -> TeacherFrame:
    turn = model.state.turn
    given = [(student.name, student.feedback) for student in model.students if student.feedback is not None]
    return replace(
        before,
        category=turn.category if turn is not None else "",
        act=turn.act if turn is not None else "",
        tone=turn.tone if turn is not None else "",
        words=run_on(said.text for said in turn.sentences) if turn is not None else "",
        called=model.state.called,
        feedback=tuple(Feedback(name, received.polarity, received.text) for name, received in given),
        focus="",
    )


def _moment_student(model: ClassroomModel, student: StudentAgent, places: Places, was: StudentFrame) -> StudentFrame:
    """The student as of now: anything not done or felt yet in this step is as it was before."""
    behaviour, emotion = student.now.behaviour or was.shows[0], student.now.emotion or was.shows[1]
    x, y = student.place
    perceived = (*(neighbour.name for neighbour in student.seen.neighbours), *student.seen.objects)
    return StudentFrame(
        student.name,
        x,
        y,
        places.seat(x, y),
        behaviour,
        level_name(behaviour) if behaviour in BEHAVIOUR_LEVEL else "",
        emotion,
        to=student.partner or ("group" if student.now.behaviour == "group_discussion" else ""),
        called=student.name in model.state.called,
        hand_up=behaviour == "hand_raise",
        feedback=student.feedback.polarity if student.feedback is not None else "",
        words=run_on(said.text for said in student.words),
        shows=(behaviour, emotion),
        perceived=perceived,
        gate=student.request.sender if student.request is not None else "",
        quality=student.quality,
    )


def seen_by(frame: Frame, agent: str) -> Frame:
    """The frame as this student, or the teacher, may see it."""
    if agent == frame.teacher.name:
        return _seen_by_teacher(frame)
    names = [student.name for student in frame.students]
    if agent not in names:
        raise FrameError(
            f"there is nobody called '{agent}'.", where=frame.lesson_name, mend=f"There are {', '.join(names)}."
        )
    return _seen_by_student(frame, agent)


def stage_seen_by(stage: Stage, agent: str) -> Stage:
    """The room as a seat may know it: of the seat graph and the perception only its own part."""
    return replace(
        stage,
        edges=tuple(pair for pair in stage.edges if agent in pair),
        radii={name: radius for name, radius in stage.radii.items() if name == agent},
    )


def _seen_by_student(frame: Frame, agent: str) -> Frame:
    me = frame.student(agent)
    near = set(me.perceived)
    sentences = tuple([_heard(said, agent) for said in frame.sentences if _hears(said, agent)])
    feedback = tuple(item if item.student == agent else replace(item, polarity="") for item in frame.teacher.feedback)
    return replace(
        frame,
        teacher=replace(frame.teacher, feedback=feedback, focus=""),
        students=tuple(
            replace(student, quality="") if student is me else _outside(student, student.name in near, sentences)
            for student in frame.students
        ),
        pacing="",
        pacing_reason="",
        sentences=sentences,
        exchanges=tuple(_own(entry, agent) for entry in frame.exchanges if agent in (entry.sender, entry.receiver)),
        rejections=tuple(entry for entry in frame.rejections if entry.agent == agent),
        troubles=tuple(entry for entry in frame.troubles if entry.agent == agent),
        viewer=agent,
    )


def _outside(student: StudentFrame, near: bool, sentences: tuple[Sentence, ...], to: str | None = None) -> StudentFrame:
    """Somebody else: his or her seat, the words that were heard, and, from near, what he or she shows."""
    said = [one for one in sentences if one.speaker == student.name]
    behaviour, emotion = student.shows if near else ("", "")
    return StudentFrame(
        student.name,
        student.x,
        student.y,
        student.seat,
        behaviour,
        level_name(behaviour) if behaviour in BEHAVIOUR_LEVEL else "",
        emotion,
        to=to if to is not None else said[0].to if said else "",
        called=student.called,
        hand_up=near and student.hand_up,
        words=run_on(one.text for one in said),
        shows=(behaviour, emotion),
    )


def _hears(said: Sentence, agent: str) -> bool:
    return said.channel == "class" or said.speaker == agent or agent in said.hearers


def _heard(said: Sentence, agent: str) -> Sentence:
    """A sentence as its hearer knows it: without the others who heard it."""
    return said if said.speaker == agent or not said.hearers else replace(said, hearers=())


def _own(entry: Exchange, agent: str) -> Exchange:
    """A request as one of the two knows it: only the person asked knows his or her own thoughts about it."""
    if entry.receiver == agent:
        return entry
    return replace(entry, reason="", intention=None, scores=(), weights=(), reasons=())


def _seen_by_teacher(frame: Frame) -> Frame:
    name = frame.teacher.name
    sentences = tuple([said for said in frame.sentences if said.channel == "class"])
    students = tuple(
        replace(
            _outside(student, True, sentences, student.to),
            feedback=student.feedback,
            quality=student.quality,
        )
        for student in frame.students
    )
    return replace(
        frame,
        students=students,
        sentences=sentences,
        exchanges=(),
        rejections=tuple(entry for entry in frame.rejections if entry.agent == name),
        troubles=tuple(entry for entry in frame.troubles if entry.agent == name),
        viewer=name,
    )
