"""The audience of what was said: by the seats of the step in which it was said, wherever people have moved since."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile

from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.models.classroom.journal import Journal, SentenceRow, StudentRow
from eduverse_mesa.scenarios.layout import Seat, expand_seats
from eduverse_mesa.space import student_graph

Mates = Mapping[str, tuple[str, ...]]
"""Names of those with whom each student discusses."""


def mates_at(model: ClassroomModel, rows: Sequence[StudentRow]) -> Mates:
    """With whom each discussed in the step of these rows; as it is now where nobody has moved since."""
    if all(model.classmates[row.student].place == (row.x, row.y) for row in rows):
        return model.placing.mates
    seats = {seat.at: seat for seat in expand_seats(model.layout)}
    seating: dict[str, Seat] = {}
    for row in rows:
        cell = (row.x, row.y)
        seat = seats.get(cell) or Seat(id=f"cell {row.x},{row.y}", at=cell)
        group = model.classmates[row.student].person.group
        seating[row.student] = seat if group is None else seat.model_copy(update={"group": group})
    graph = student_graph(seating, model.layout.seat_graph)
    return {
        name: tuple(mate for mate in seating if mate != name and seating[mate].group == seat.group)
        if seat.group is not None
        else tuple(mate for mate in seating if mate in graph[name])
        for name, seat in seating.items()
    }


def hearers(said: SentenceRow, mates: Mates) -> tuple[str, ...]:
    """Return those who hear a sentence that is not for the class."""
    if said.channel == "peer":
        return (said.addressee,)
    return mates.get(said.speaker, ()) if said.channel == "group" else ()


def unwritten(model: ClassroomModel) -> list[SentenceRow]:
    """Return the sentences of students in the step that is being taken that are not in the transcript yet, in its
    order."""
    step, journal = model.state.step, model.journal
    if any(row.role == "S" for row in takewhile(lambda row: row.step == step, reversed(journal.sentences))):
        return []
    talking = [student for student in model.students if student.words]
    talking.sort(key=lambda student: (student.partner != "teacher", not student.seen.called))
    spoken = Journal(journal.lesson, journal.number)
    for student in talking:
        channel = "class" if student.partner == "teacher" else "peer" if student.partner else "group"
        spoken.say(step, "S", student.name, student.words, student.partner or "group", channel)
    return spoken.sentences


def heard_by(model: ClassroomModel, agent: str) -> list[SentenceRow]:
    """Return the talk of a lesson as this agent has heard it: what was said to all, by them, to them, and in their
    group of then."""
    sentences = [*model.journal.sentences, *unwritten(model)]
    if agent == model.teacher.name:
        return [row for row in sentences if row.channel == "class"]
    mates = _mates_by_step(model, {row.step for row in sentences if row.channel == "group"})
    return [
        row
        for row in sentences
        if row.channel == "class"
        or agent in (row.speaker, row.addressee)
        or agent in hearers(row, mates.get(row.step, {}))
    ]


def _mates_by_step(model: ClassroomModel, steps: Iterable[int]) -> dict[int, Mates]:
    rows: defaultdict[int, list[StudentRow]] = defaultdict(list)
    for row in model.journal.students:
        rows[row.step].append(row)
    return {step: mates_at(model, rows[step]) for step in steps}
