"""Initiation, response, feedback: the rates of EduVerse's Tables A7 and 5 over the steps of a lesson.

The paper's own text uses one I for the initiation rate and for the IRF rate, yet in 8 of its 12 simulated rows the
IRF rate is the larger, which that reading makes impossible. So two are kept apart here: `initiation_rate` counts the
acts that ask the class or open a discussion; `irf_rate` takes an initiation of any kind: those acts, a student called
by name, or a student's question taken up.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pandas as pd

from eduverse_mesa.measures.codes import (
    DISCUSSION_ACT,
    DISCUSSION_BEHAVIOUR,
    FEEDBACK_POLARITIES,
    INITIATING_ACTS,
    RESPONSE_BEHAVIOURS,
    TEACHER_ADDRESSEES,
)
from eduverse_mesa.measures.tables import STEP_KEY, mean, parts, require_codes, require_columns, share, texts

Step = tuple[Any, Any]


def _steps(table: pd.DataFrame) -> list[Step]:
    return list(zip(table["lesson"].tolist(), table["step"].tolist(), strict=True))


def responds(behaviour: str, addressee: str, act: str) -> bool:
    """Return True if a student answers the teacher: stands to answer, answers, raises a hand or reads aloud to the
    teacher (or to all), or discusses in the student's group in a step in which the teacher has organised a
    discussion."""
    if behaviour == DISCUSSION_BEHAVIOUR:
        return act == DISCUSSION_ACT
    return behaviour in RESPONSE_BEHAVIOURS and addressee in TEACHER_ADDRESSEES


def _acts(teacher_steps: pd.DataFrame) -> dict[Step, str]:
    require_columns(teacher_steps, [*STEP_KEY, "act"], name="teacher_steps")
    return dict(zip(_steps(teacher_steps), texts(teacher_steps, "act"), strict=True))


def step_responses(student_steps: pd.DataFrame, teacher_steps: pd.DataFrame) -> dict[Step, float]:
    """Of each step, the share of students who respond; a student whose decision failed is not counted at all."""
    require_columns(student_steps, [*STEP_KEY, "behaviour", "addressee"], name="student_steps")
    acts = _acts(teacher_steps)
    answers: dict[Step, list[bool]] = defaultdict(list)
    columns = zip(
        _steps(student_steps), texts(student_steps, "behaviour"), texts(student_steps, "addressee"), strict=True
    )
    for step, behaviour, addressee in columns:
        if behaviour:
            answers[step].append(responds(behaviour, addressee, acts.get(step, "")))
    return {step: share(found) for step, found in answers.items()}


def step_feedback(student_steps: pd.DataFrame) -> dict[Step, float]:
    """Of each step, the share of students who get feedback of their own."""
    require_columns(student_steps, [*STEP_KEY, "feedback"], name="student_steps")
    require_codes(student_steps["feedback"], FEEDBACK_POLARITIES, name="student_steps")
    given: dict[Step, list[bool]] = defaultdict(list)
    for step, feedback in zip(_steps(student_steps), texts(student_steps, "feedback"), strict=True):
        given[step].append(feedback != "")
    return {step: share(found) for step, found in given.items()}


def initiation_rate(teacher_steps: pd.DataFrame) -> float:
    """The share of steps whose act asks the class or opens a discussion."""
    return share(act in INITIATING_ACTS for act in _acts(teacher_steps).values())


def response_share(student_steps: pd.DataFrame, teacher_steps: pd.DataFrame) -> float:
    """The mean over steps of the share of students who respond to the teacher."""
    return mean(step_responses(student_steps, teacher_steps).values())


def feedback_share(student_steps: pd.DataFrame) -> float:
    """The mean over steps of the share of students who get individual feedback."""
    return mean(step_feedback(student_steps).values())


def irf_by_step(student_steps: pd.DataFrame, teacher_steps: pd.DataFrame) -> pd.DataFrame:
    """A row a step: whether there was an initiation of any kind (I), a response (R) and feedback (F)."""
    require_columns(teacher_steps, [*STEP_KEY, "act", "called", "took_up"], name="teacher_steps")
    answered, followed = step_responses(student_steps, teacher_steps), step_feedback(student_steps)
    columns = zip(
        _steps(teacher_steps),
        texts(teacher_steps, "act"),
        texts(teacher_steps, "called"),
        teacher_steps["took_up"].fillna(value=False).tolist(),
        strict=True,
    )
    rows = [
        {
            "lesson": step[0],
            "step": step[1],
            "I": act in INITIATING_ACTS or called != "" or bool(took_up),
            "R": answered.get(step, 0.0) > 0,
            "F": followed.get(step, 0.0) > 0,
        }
        for step, act, called, took_up in columns
    ]
    return pd.DataFrame(rows, columns=[*STEP_KEY, "I", "R", "F"])


def irf_rate(student_steps: pd.DataFrame, teacher_steps: pd.DataFrame) -> float:
    """The share of steps with an initiation of any kind, at least one response and at least one feedback (EduVerse
    4.1)."""
    by_step = irf_by_step(student_steps, teacher_steps)
    return share((by_step["I"] & by_step["R"] & by_step["F"]).tolist())


def irf_measures(student_steps: pd.DataFrame, teacher_steps: pd.DataFrame) -> dict[str, float]:
    """The four rates by the names of the paper's table."""
    return {
        "i": initiation_rate(teacher_steps),
        "r": response_share(student_steps, teacher_steps),
        "f": feedback_share(student_steps),
        "irf": irf_rate(student_steps, teacher_steps),
    }


def irf_rates(student_steps: pd.DataFrame, teacher_steps: pd.DataFrame) -> pd.DataFrame:
    """A row a lesson: lesson, steps, i, r, f, irf."""
    require_columns(student_steps, STEP_KEY, name="student_steps")
    require_columns(teacher_steps, STEP_KEY, name="teacher_steps")
    rows = [
        {"lesson": lesson, "steps": len(part)} | irf_measures(student_steps[student_steps["lesson"] == lesson], part)
        for (lesson,), part in parts(teacher_steps, ["lesson"])
    ]
    return pd.DataFrame(rows, columns=["lesson", "steps", "i", "r", "f", "irf"])
