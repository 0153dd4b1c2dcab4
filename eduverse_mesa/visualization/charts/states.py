"""Behaviour, emotion and cognition, and the latent states."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from eduverse_mesa.measures.codes import LEVEL_NAMES, LEVELS
from eduverse_mesa.visualization.charts.frame import WIDTH, nothing
from eduverse_mesa.visualization.palette import BEHAVIOUR, COGNITION, EMOTION, SERIES

_COLOURS = {"behaviour": BEHAVIOUR, "emotion": EMOTION, "cognition": COGNITION}
_WHOLE = alt.Scale(domain=[0, 1])
_LEGEND = alt.Legend(orient="bottom")


def _levels(student_steps: pd.DataFrame, column: str) -> pd.DataFrame:
    rows = student_steps.loc[student_steps[column] != "", ["lesson", "step", "student", column]].copy()
    names = LEVEL_NAMES[column]
    rows["level"] = [names[LEVELS[column][code]] for code in rows[column]]
    return rows


def _shares(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    counted = rows.groupby([*by, "level"], sort=False).size().rename("count").reset_index()
    counted["share"] = counted["count"] / counted.groupby(by)["count"].transform("sum") if by else None
    if not by:
        counted["share"] = counted["count"] / counted["count"].sum()
    return counted


def _colour(column: str) -> alt.Color:
    colours = _COLOURS[column]
    return alt.Color(
        "level:N", title=column, scale=alt.Scale(domain=list(colours), range=list(colours.values())), legend=_LEGEND
    )


def bec_shares_chart(student_steps: pd.DataFrame) -> Any:
    """Shares of the levels of behaviour, emotion and cognition over all student-steps."""
    if student_steps.empty:
        return nothing("No steps yet")
    bars = []
    for column in LEVELS:
        shares = _shares(_levels(student_steps, column), [])
        if not shares.empty:
            bars.append(
                alt.Chart(shares, width=WIDTH, height=28, title=column)
                .mark_bar()
                .encode(
                    x=alt.X("share:Q", stack="zero", axis=alt.Axis(format="%"), scale=_WHOLE, title=None),
                    color=_colour(column),
                    tooltip=["level:N", alt.Tooltip("share:Q", format=".1%")],
                )
            )
    return alt.vconcat(*bars).resolve_scale(color="independent") if bars else nothing("No answers")


def bec_by_student(student_steps: pd.DataFrame, column: str = "behaviour") -> Any:
    """The same shares for each student."""
    rows = _levels(student_steps, column)
    if rows.empty:
        return nothing("No steps yet")
    return (
        alt.Chart(_shares(rows, ["student"]), width=WIDTH)
        .mark_bar()
        .encode(
            x=alt.X(
                "share:Q", stack="zero", axis=alt.Axis(format="%"), scale=_WHOLE, title=f"share of steps, {column}"
            ),
            y=alt.Y("student:N", title=None, sort=list(dict.fromkeys(rows["student"]))),
            color=_colour(column),
            tooltip=["student:N", "level:N", alt.Tooltip("share:Q", format=".1%")],
        )
    )


def bec_over_time(student_steps: pd.DataFrame, column: str = "behaviour") -> Any:
    """How many students were at which level, step by step."""
    rows = _levels(student_steps, column)
    if rows.empty:
        return nothing("No steps yet")
    return _by_lesson(
        alt.Chart(_shares(rows, ["lesson", "step"]))
        .mark_bar(size=10)
        .encode(
            x=alt.X("step:Q", title="step", axis=alt.Axis(tickMinStep=1)),
            y=alt.Y("share:Q", stack="zero", axis=alt.Axis(format="%"), scale=_WHOLE, title=column),
            color=_colour(column),
            tooltip=["step:Q", "level:N", "count:Q"],
        ),
        rows,
    )


def state_over_time(student_steps: pd.DataFrame, state: str = "attention") -> Any:
    """A latent state of each student, step by step."""
    if student_steps.empty:
        return nothing("No steps yet")
    students = list(dict.fromkeys(student_steps["student"]))
    mark: dict[str, Any] = (
        {"strokeWidth": 1.5} if len(students) <= len(SERIES) else {"strokeWidth": 0.8, "opacity": 0.5}
    )
    colour = (
        alt.Color(
            "student:N",
            sort=students,
            legend=_LEGEND,
            scale=alt.Scale(domain=students, range=list(SERIES[: len(students)])),
        )
        if len(students) <= len(SERIES)
        else alt.value("#0072B2")
    )
    return _by_lesson(
        alt.Chart(student_steps[["lesson", "step", "student", state]])
        .mark_line(**mark)
        .encode(
            x=alt.X("step:Q", title="step", axis=alt.Axis(tickMinStep=1)),
            y=alt.Y(f"{state}:Q", title=state, scale=alt.Scale(domain=[-1, 1] if state == "affect" else [0, 1])),
            color=colour,
            detail="student:N",
            tooltip=["student:N", "step:Q", alt.Tooltip(f"{state}:Q", format=".2f")],
        ),
        student_steps,
    )


def _by_lesson(chart: alt.Chart, rows: pd.DataFrame) -> Any:
    lessons = list(dict.fromkeys(rows["lesson"]))
    if len(lessons) == 1:
        return chart.properties(width=WIDTH, height=180)
    return chart.properties(width=WIDTH, height=110).facet(row=alt.Row("lesson:N", title=None, sort=lessons))
