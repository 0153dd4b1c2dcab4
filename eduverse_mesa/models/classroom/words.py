"""Round 4: those whose behaviour is spoken find their words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eduverse_mesa.agents.recall import NOTHING
from eduverse_mesa.codes import PEER_REQUESTS, SPOKEN
from eduverse_mesa.decisions import Draft, Rounds, Spoken, Style
from eduverse_mesa.models.classroom.asking import ask

if TYPE_CHECKING:
    from eduverse_mesa.models.classroom.model import ClassroomModel


def speak(model: ClassroomModel) -> Rounds:
    """Those whose behaviour is spoken find their words: content first, then, where style is on, their own way."""
    state = model.state
    speakers = [student for student in model.students if student.acted in SPOKEN]
    answers = yield from ask(
        model,
        "draft",
        [
            Draft(
                model.address(student.name),
                student.seen,
                student.acted,
                student.partner or "group",
                student.recalled or NOTHING,
                student.request.text if student.request is not None else "",
            )
            for student in speakers
        ],
    )
    drafted = [(s, a.outcome.sentences) for s, a in zip(speakers, answers, strict=True) if a.outcome is not None]
    if model.styles:
        answers = yield from ask(
            model,
            "style",
            [
                Style(
                    model.address(student.name),
                    student.seen,
                    student.acted,
                    student.partner or "group",
                    sentences,
                    student.planned,
                )
                for student, sentences in drafted
            ],
        )
        styled = zip(drafted, answers, strict=True)
        drafted = [(student, a.outcome.sentences) for (student, _), a in styled if a.outcome is not None]
    for student, sentences in drafted:
        student.words = tuple(sentences)
        student.spoke += student.partner == "teacher"
        state.spoken.append(Spoken(student.name, student.partner or "group", student.words))
    _enter_requests(model)


def _enter_requests(model: ClassroomModel) -> None:
    """Turning to a classmate is a request, unless it takes one up."""
    state = model.state
    for student in model.students:
        if student.acted in PEER_REQUESTS and student.partner in model.classmates and student.request is None:
            text = " ".join(said.text for said in student.words)
            state.requests.ask(student.name, student.partner, student.acted, text, state.step)
