"""The latent states of students over time."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from eduverse_mesa.visualization.charts.frame import WIDTH, by_lesson, colours, nothing, rows_of, step_axis
from eduverse_mesa.visualization.palette import BLUE, GREY, SERIES

STATES = ("attention", "confidence", "affect", "understanding")
_RANGE = {"affect": (-1, 1)}


def state_over_time(student_steps: pd.DataFrame, state: str = "attention") -> Any:
    """A latent state of each student, step by step; of a large class, each student in grey and the mean in blue."""
    if student_steps.empty:
        return nothing("No step has been taken yet.")
    students = list(dict.fromkeys(student_steps["student"]))
    draw = _each if len(students) <= len(SERIES) else _mean
    return by_lesson(student_steps, lambda part: draw(part[["step", "student", state]], state, students))


def _lines(rows: pd.DataFrame, steps: pd.DataFrame, state: str, title: str = "") -> alt.Chart:
    low, high = _RANGE.get(state, (0, 1))
    return alt.Chart(rows_of(rows)).encode(
        x=step_axis(steps),
        y=alt.Y(f"{state}:Q", title=title, scale=alt.Scale(domain=[low, high]), axis=alt.Axis(tickCount=4)),
        tooltip=["step:Q", alt.Tooltip(f"{state}:Q", format=".2f")],
    )


def _each(rows: pd.DataFrame, state: str, students: list[str]) -> Any:
    colour = colours(None, dict(zip(students, SERIES, strict=False)), "student:N", symbolType="stroke")
    lines = _lines(rows, rows, state).mark_line(strokeWidth=1.8)
    return _named(
        lines.encode(color=colour, tooltip=["student:N", "step:Q", alt.Tooltip(f"{state}:Q", format=".2f")]), state
    )


def _mean(rows: pd.DataFrame, state: str, students: list[str]) -> Any:
    mean = rows.groupby("step", as_index=False, sort=False)[state].mean()
    each = _lines(rows, rows, state).mark_line(strokeWidth=0.8, opacity=0.45, color=GREY).encode(detail="student:N")
    thick = _lines(mean, rows, state).mark_line(strokeWidth=3, color=BLUE)
    return _named(each + thick, state, f" of {len(students)} students; thick: their mean")


def _named(chart: Any, state: str, more: str = " of each student") -> Any:
    return chart.properties(
        width=WIDTH,
        height=170,
        title=f"{state.capitalize()}{more}",
        description=f"Lines over the steps: {state}{more}.",
    )
