"""Rounds 5 and 7: students monitor and regulate themselves, while the teacher paces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eduverse_mesa.agents.recall import NOTHING
from eduverse_mesa.agents.student import StudentAgent
from eduverse_mesa.codes import COGNITION_LEVEL, EMOTION_LEVEL
from eduverse_mesa.decisions import Decision, Monitor, Regulate, Regulation, Rounds, Scene, Spoken
from eduverse_mesa.models.classroom.asking import ask

if TYPE_CHECKING:
    from eduverse_mesa.models.classroom.model import ClassroomModel


def monitor(model: ClassroomModel) -> Rounds:
    """Everybody looks at itself: a sentence, an emotion, a level of cognition."""
    doing = [student for student in model.students if student.acted]
    aloud = tuple(spoken for spoken in model.state.spoken if spoken.addressee == "teacher")
    to_each: dict[str, list[Spoken]] = {}
    for spoken in model.state.spoken:
        to_each.setdefault(spoken.addressee, []).append(spoken)
    answers = yield from ask(
        model,
        "monitor",
        [
            Monitor(
                model.address(student.name),
                student.seen,
                student.acted,
                student.recalled or NOTHING,
                student.words,
                (*aloud, *to_each.get(student.name, ())),
                model.styles,
                student.planned,
            )
            for student in doing
        ],
    )
    for student, answer in zip(doing, answers, strict=True):
        if answer.outcome is not None:
            student.monitored = answer.outcome.sentence
            appraise(student, answer.outcome)


def appraise(student: StudentAgent, outcome: Any) -> None:
    """Take what was reported."""
    # An unknown label is left out like a failed one: it must not pass for a state the student never reported.
    student.felt = outcome.emotion if outcome.emotion in EMOTION_LEVEL else ""
    student.thought = outcome.cognition if outcome.cognition in COGNITION_LEVEL else ""


def regulate_and_pace(model: ClassroomModel, scene: Scene, took_up: bool) -> Rounds:
    """Students resolve what to do differently while the teacher decides whether to go on."""
    students = [s for s in model.students if s.acted] if model.regulates else []
    decisions: list[Decision] = [
        Regulate(
            model.address(student.name),
            student.seen,
            student.acted,
            student.felt,
            student.thought,
            student.new_refusals,
            student.monitored,
        )
        for student in students
    ]
    pacing = model.pacer.decision(model, scene.focus)
    if pacing is not None:
        decisions.append(pacing)
    answers = yield from ask(model, "regulate", decisions)
    for student in model.students:
        student.regulation = None
    for student, answer in zip(students, answers, strict=False):
        if answer.outcome is not None:
            student.regulation = Regulation(answer.outcome.strategy, answer.outcome.sentence)
    paced = answers[-1].outcome if pacing is not None else None
    move, reason = model.pacer.pace(model, paced, pacing is not None)
    model.write_teacher(scene, took_up, move, reason)
