"""What is measured of each simulated lesson: its talk, that in any order, and what else is known of real classes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from statistics import correlation, fmean

import pandas as pd

from eduverse_mesa.codes import OFF_TASK
from eduverse_mesa.experiments.measurers import Row
from eduverse_mesa.experiments.realism.shuffling import shuffled_gaps
from eduverse_mesa.measures import lesson_of, measure_lessons, participation_by_seat
from eduverse_mesa.measures.codes import QUESTION_BEHAVIOUR, TEACHER, TEACHER_ADDRESSEES
from eduverse_mesa.measures.equity import Point, speaking_turns
from eduverse_mesa.measures.tables import NAN, share, texts
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.runs.play import Run
from eduverse_mesa.runs.tables import Tables, tables

OF_LESSON = f"{__name__}:of_lesson"
"""The name by which a trial asks for these measures."""

WORK_ACT = "giving_directions"
"""The teacher's act while everybody works alone: reading, writing, practising."""
TOP = 0.15
TRAITS = ("conscientiousness", "openness", "agreeableness")
"""Those whose correlation with achievement is published."""


def of_lesson(run: Run) -> Iterator[Row]:
    """One row a measure for each lesson of a run."""
    for played in run.lessons:
        made = tables([played.model])
        for _, measured in measure_lessons(made.sentences).iterrows():
            for name, value in measured.items():
                yield Row(played.number, 0, "", f"talk.{name}", float(value))
        lesson = lesson_of(made.sentences)
        for name, value in shuffled_gaps(lesson, run.spec.seed).items():
            yield Row(played.number, 0, "", f"shuffled.{name}", value)
        yield Row(played.number, 0, "", "teacher_turns", float(len(lesson.of(TEACHER))))
        for name, value in class_facts(made, played.model.placing.room.board).items():
            yield Row(played.number, 0, "", name, value)
        for trait in TRAITS:
            yield Row(played.number, 0, "", f"achievement.{trait}", achievement(played.model, trait))


def class_facts(made: Tables, board: Point | None) -> dict[str, float]:
    """What observers of real classes have counted: time on task, whose turns, from which seats, and questions."""
    steps = made.student_steps
    behaviours, addressees = texts(steps, "behaviour"), texts(steps, "addressee")
    decided = [(behaviour, to) for behaviour, to in zip(behaviours, addressees, strict=True) if behaviour]
    students = set(texts(steps, "student"))
    facts = {
        "on_task": share(behaviour not in OFF_TASK for behaviour, _ in decided),
        "off_task_with_peers": share(to in students for behaviour, to in decided if behaviour in OFF_TASK),
        "on_task_in_work": _on_task_in_work(steps, made.teacher_steps),
        "top_share": top_share(speaking_turns(made.sentences, sorted(students))),
        "questions": float(
            sum(behaviour == QUESTION_BEHAVIOUR and to in TEACHER_ADDRESSEES for behaviour, to in decided)
        ),
    }
    if board is not None:
        by_seat = participation_by_seat(steps, board, made.teacher_steps)
        facts["front_minus_back"] = by_seat["front"] - by_seat["back"]
        facts["centre_minus_side"] = by_seat["centre"] - by_seat["side"]
    return facts


def achievement(model: ClassroomModel, trait: str) -> float:
    """The correlation, over the class, of a trait with the understanding at the end of the lesson."""
    traits = [float(getattr(student.person.traits, trait)) for student in model.students]
    known = [fmean(student.mind.understanding) for student in model.students]
    if len(set(traits)) < 2 or len(set(known)) < 2:
        return NAN
    return correlation(traits, known)


def top_share(turns: Mapping[str, int]) -> float:
    """The share of all turns that the most active 15 % of the class take; the silent belong to the class."""
    ordered = sorted(turns.values(), reverse=True)
    total = sum(ordered)
    # Not rounded to whole students: in a class of twenty, 15 % are three, in one of twenty-three three and a half.
    whole, part = divmod(TOP * len(ordered), 1)
    taken = math.fsum(ordered[: int(whole)]) + (part * ordered[int(whole)] if part > 0 else 0.0)
    return taken / total if total else NAN


def _on_task_in_work(student_steps: pd.DataFrame, teacher_steps: pd.DataFrame) -> float:
    """On-task share in the steps in which everybody works alone."""
    working = set(teacher_steps.loc[teacher_steps["act"] == WORK_ACT, "step"].tolist())
    part = student_steps[student_steps["step"].isin(working)]
    return share(behaviour not in OFF_TASK for behaviour in texts(part, "behaviour") if behaviour)
