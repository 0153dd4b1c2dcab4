"""Latent states of students over time: attention, understanding, confidence, affect, fatigue, rapport."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd

from eduverse_mesa.visualization.charts.drawing import ChartFunction, Drawing, Lessons, per_lesson, source
from eduverse_mesa.visualization.charts.frame import (
    WIDTH,
    Say,
    Width,
    Words,
    named,
    over_time,
    saying,
    steps_axis,
    strokes,
    wide,
)
from eduverse_mesa.visualization.charts.states import lessons_of
from eduverse_mesa.visualization.palette import BLUE, SERIES

STATES = ("attention", "understanding", "confidence", "affect", "fatigue", "rapport")
_BELOW_ZERO = "affect"


@ChartFunction
def state_over_time(
    student_steps: pd.DataFrame,
    state: str = "attention",
    *,
    words: Words | None = None,
    width: Width = WIDTH,
    steps: int = 1,
) -> Drawing | Lessons:
    """A latent state of each student, step by step."""
    say = saying(words)
    names = named(student_steps["student"])

    def one(lesson: str, width: Width) -> Drawing:
        part = student_steps[student_steps["lesson"] == lesson]
        rows = [
            {"step": step, "from": step, "who": names[student], "value": value, "ev_on": {"student": student}}
            for step, student, value in zip(*(part[name].tolist() for name in ("step", "student", state)), strict=True)
        ]
        last = max([steps, *part["step"].tolist()])
        low = -1 if state == _BELOW_ZERO else 0
        return Drawing(_lines, (tuple(names.values()), low, say(state), "student", last, say, width), {"states": rows})

    return per_lesson(lessons_of(student_steps), one, say=say, width=width)


@ChartFunction
def states_of_student(
    student_steps: pd.DataFrame,
    student: str,
    states: Sequence[str] = STATES,
    *,
    words: Words | None = None,
    width: Width = WIDTH,
    steps: int = 1,
) -> Drawing | Lessons:
    """The latent states of one student, step by step. Affect goes from -1 to 1, the others from 0 to 1."""
    say = saying(words)
    own = student_steps[student_steps["student"] == student]

    def one(lesson: str, width: Width) -> Drawing:
        part = own[own["lesson"] == lesson]
        rows = [
            {"step": step, "from": step, "who": say(state), "value": value, "ev_on": {"step": step}}
            for state in states
            for step, value in zip(part["step"].tolist(), part[state].tolist(), strict=True)
        ]
        last = max([steps, *part["step"].tolist()])
        low = -1 if _BELOW_ZERO in states else 0
        return Drawing(_lines, (say.all(states), low, None, "state", last, say, width), {"states": rows})

    return per_lesson(lessons_of(own), one, say=say, width=width)


def _lines(who: tuple[str, ...], low: int, title: str | None, what: str, last: int, say: Say, width: Width) -> Any:
    few = len(who) <= len(SERIES)
    y = alt.Y("value:Q", title=title, scale=alt.Scale(domain=[low, 1]), axis=alt.Axis(tickCount=5, **wide()))
    base = alt.Chart(source("states")).encode(
        x=steps_axis(last, say),
        y=y,
        detail="who:N",
        **(strokes("who", dict(zip(who, SERIES, strict=False)), columns=3) if few else {"color": alt.value(BLUE)}),
        tooltip=[
            alt.Tooltip("who:N", title=say(what)),
            alt.Tooltip("step:Q", title=say("step")),
            alt.Tooltip("value:Q", title=say("value"), format=".2f"),
        ],
    )
    lines = base.mark_line(strokeWidth=2 if few else 1, opacity=1 if few else 0.5)
    return over_time(lines, base.mark_point(size=60, opacity=0), width=width, height=170)
