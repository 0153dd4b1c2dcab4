"""The end of a lesson: everybody looks back, the teacher evaluates, and what is to be kept goes into memory (C.5.4)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from eduverse_mesa.agents.student import StudentAgent
from eduverse_mesa.decisions import Decision, Evaluate, Remembered, Round, Rounds, Summarise
from eduverse_mesa.memory.long_term import (
    Lesson,
    LessonMemory,
    StudentEvent,
    StudentRecord,
    TeacherEvent,
    live_through,
    remember,
)
from eduverse_mesa.models.classroom.step import QUALITY
from eduverse_mesa.vocabulary import COGNITION_LEVEL, EMOTIONS, LEVEL_NAMES, level_name

if TYPE_CHECKING:
    from eduverse_mesa.models.classroom.journal import StudentRow
    from eduverse_mesa.models.classroom.model import ClassroomModel


def close_lesson(model: ClassroomModel) -> Rounds:
    """Ask for summaries and evaluations, and leave the lesson's memory with the model."""
    state = model.state
    state.requests.close(state.step)
    rows: dict[str, list[StudentRow]] = {student.name: [] for student in model.students}
    for row in model.journal.students:
        rows[row.student].append(row)
    decisions: list[Decision] = [_summarise(model, student, rows[student.name]) for student in model.students]
    decisions.append(_evaluate(model, rows))
    answers = yield Round("closing", decisions)
    evaluated = answers[-1].outcome
    evaluations = {item.student: item for item in evaluated.items} if evaluated is not None else {}
    records = []
    for student, answer in zip(model.students, answers[:-1], strict=True):
        said = evaluations.get(student.name)
        remembered = remember(answer.outcome, said.sentence if said else "", said.rating if said else 0.0)
        records.append(_record(model, student, remembered))
    model.memory = LessonMemory(tuple(records), tuple(_student_events(model)), tuple(_teacher_events(model)))


def _summarise(model: ClassroomModel, student: StudentAgent, rows: list[StudentRow]) -> Summarise:
    count = max(1, len(rows))
    levels = Counter(level_name(row.behaviour) for row in rows if row.behaviour)
    emotions = Counter(row.emotion for row in rows if row.emotion)
    strategies = Counter(row.strategy for row in rows if row.strategy)
    feedback = Counter(row.feedback for row in rows if row.feedback)
    return Summarise(
        at=student.at,
        view=student.seen,
        behaviours={level: levels[level] / count for level in LEVEL_NAMES},
        emotions={emotion: emotions[emotion] / count for emotion in EMOTIONS},
        strategies={strategy: number / count for strategy, number in sorted(strategies.items())},
        high_cognition=sum(COGNITION_LEVEL.get(row.cognition, 0) for row in rows) / count,
        spoke=student.spoke,
        feedback=dict(sorted(feedback.items())),
        started=model.understanding_at_start[student.name],
    )


def _evaluate(model: ClassroomModel, rows: dict[str, list[StudentRow]]) -> Evaluate:
    participation, off_task, quality = {}, {}, {}
    for name, lived in rows.items():
        levels = [level_name(row.behaviour) for row in lived if row.behaviour]
        count = max(1, len(levels))
        participation[name] = sum(1 for level in levels if level in ("active", "interactive")) / count
        off_task[name] = levels.count("off_task") / count
        judged = [QUALITY[row.quality] for row in lived if row.quality in QUALITY]
        if judged:
            quality[name] = sum(judged) / len(judged)
    teacher, state = model.teacher, model.state
    teacher.focus = teacher.planned(state)
    teacher.look(model.students, state)
    return Evaluate(teacher.at, teacher.view(state), participation, quality, off_task)


def _record(model: ClassroomModel, student: StudentAgent, remembered: Remembered) -> StudentRecord:
    lesson = Lesson(
        model.lesson.name, model.lesson.subject, model.day, {goal.id: goal.text for goal in model.lesson.goals}
    )
    return StudentRecord(
        student.name,
        remembered,
        student.mind,
        live_through(model.memories[student.name], lesson, student.mind, remembered),
        dict(sorted(student.closeness.items())),
        (student.before.behaviour, student.before.emotion, student.before.cognition),
    )


def _student_events(model: ClassroomModel) -> list[StudentEvent]:
    events = []
    for row in model.journal.students:
        for event, content in (
            ("plan", row.plan),
            ("behaviour", row.behaviour),
            ("monitoring", row.monitoring),
            ("regulation", row.regulation),
        ):
            if content:
                events.append(StudentEvent(row.student, event, content, row.step))
    return events


def _teacher_events(model: ClassroomModel) -> list[TeacherEvent]:
    planning = [
        TeacherEvent(row.phase, "planning", f"{row.act}; {row.pacing}: {row.pacing_reason}", row.step)
        for row in model.journal.teacher
    ]
    phases = {row.step: row.phase for row in model.journal.teacher}
    feedback = [
        TeacherEvent(phases[row.step], "feedback", f"{row.student}: {row.feedback}", row.step)
        for row in model.journal.students
        if row.feedback
    ]
    return planning + feedback
