"""From a model to the frame of its last step, or of any earlier one, which is read from the journal."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from eduverse_mesa.codes import BEHAVIOUR_LEVEL, is_high, level_name
from eduverse_mesa.decisions import Answer
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.memory.requests import SocialRequest
from eduverse_mesa.memory.short_term import SharedState
from eduverse_mesa.visualization.frames.frame import (
    Exchange,
    Feedback,
    Frame,
    Rejection,
    Sentence,
    StudentFrame,
    TeacherFrame,
    Trouble,
)
from eduverse_mesa.visualization.frames.places import Places

if TYPE_CHECKING:
    from eduverse_mesa.models.classroom import ClassroomModel
    from eduverse_mesa.models.classroom.journal import LoggedAnswer, SentenceRow, StudentRow, TeacherRow

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
        model.lesson_number,
        model.lesson.name,
        model.lesson.title or model.lesson.name,
        step,
        model.settings.steps,
        "discussion" if row.act == "organising_discussion" else model.layout.mode,
        teacher,
        tuple(_student(model, entry, places, sources, shown, step == last) for entry in rows),
        row.phase,
        row.pacing,
        row.pacing_reason,
        sentences,
        exchanges_in(model.state.requests.all, step),
        tuple(
            Rejection(entry.agent, entry.wanted, entry.replaced_by, entry.reason)
            for entry in model.journal.rejections
            if entry.step == step
        ),
        tuple(
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
        row.student,
        row.x,
        row.y,
        places.seat(row.x, row.y),
        row.behaviour,
        level_name(row.behaviour) if row.behaviour in BEHAVIOUR_LEVEL else "",
        row.emotion,
        row.cognition,
        is_high(row.cognition),
        row.addressee,
        row.called,
        shows[0] == "hand_raise",
        row.feedback,
        row.words,
        shows,
        row.attention,
        row.confidence,
        row.affect,
        row.fatigue,
        row.rapport,
        model.classmates[row.student].mind.engagement if now else None,
        row.understanding,
        places.names(row.perceived),
        row.gate,
        row.plan,
        row.recall,
        row.quality,
        row.monitoring,
        row.regulation,
        row.strategy,
        answer.source if answer is not None else "",
        answer.usage.model if answer is not None and answer.usage is not None else "",
    )


def _shown(model: ClassroomModel, step: int, rows: list[StudentRow]) -> dict[str, tuple[str, str]]:
    """What each showed last: where a decision failed, the others go on seeing what was there before."""
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
                perceived=tuple([percept.name for percept in model.percepts(student)]),
            )
        )
    return Frame(
        model.lesson_number,
        model.lesson.name,
        model.lesson.title or model.lesson.name,
        0,
        model.settings.steps,
        model.layout.mode,
        TeacherFrame(model.teacher.name, *model.layout.teacher),
        tuple(students),
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
    return TeacherFrame(
        model.teacher.name,
        *model.layout.teacher,
        row.category,
        row.act,
        row.tone,
        " ".join(words.get("class", ())),
        tuple(in_order if sorted(in_order) == sorted(called) else called),
        tuple(Feedback(name, polarity[name], " ".join(words.get(name, ()))) for name in spoken_to),
        _focus(model, row.step),
    )


def _focus(model: ClassroomModel, step: int) -> str:
    """What the plan had for a step: the plan and the pace up to then say where the lesson was."""
    state = SharedState(phases=model.state.phases)
    for row in model.journal.teacher[: step - 1]:
        if row.pacing == "advance":
            state.phase, state.step_in_phase, state.extensions = state.phase + 1, 0, 0
        else:
            state.step_in_phase += 1
            state.extensions += row.pacing == "extend"
    focus = model.teacher.focus(state)
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
                request.sender,
                request.receiver,
                request.kind,
                request.text,
                entry.status if settled else "pending",
                entry.reason if settled else "",
                scores.intention if scores is not None else None,
                scores.scores if scores is not None else (),
                scores.weights if scores is not None else (),
                scores.reasons if scores is not None else (),
                request.step,
                entry.settled if settled else 0,
            )
        )
    return tuple(found)
