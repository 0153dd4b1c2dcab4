"""Behaviour, emotion and cognition: of the class, of each student, step by step."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from eduverse_mesa.measures import bec_shares, class_shares
from eduverse_mesa.visualization.charts.frame import (
    BAR,
    SHARE,
    WIDTH,
    by_lesson,
    colours,
    nothing,
    rows_of,
    step_axis,
)
from eduverse_mesa.visualization.palette import LEVEL
from eduverse_mesa.visualization.words import LEVEL_WORDS, LEVELS_IN_ORDER, measure_of

_PERCENT = alt.Axis(format="%", tickCount=5)
_TOOLTIP = [alt.Tooltip("level:N"), alt.Tooltip("share:Q", format=".1%")]

# A blank row between two dimensions.
_ROWS = [
    row
    for place, levels in enumerate(LEVELS_IN_ORDER.values())
    for row in ([" " * place] if place else []) + [LEVEL_WORDS[level] for level in levels]
]


def _named(dimension: str) -> dict[str, str]:
    return {LEVEL_WORDS[level]: LEVEL[dimension][level] for level in LEVELS_IN_ORDER[dimension]}


def _shares(student_steps: pd.DataFrame, dimension: str, by: list[str]) -> pd.DataFrame:
    """A row a group and level; groups in which nobody's decision came about are left out."""
    levels = LEVELS_IN_ORDER[dimension]
    wide = bec_shares(student_steps, by).rename(
        columns={measure_of(dimension, level): LEVEL_WORDS[level] for level in levels}
    )
    names = [LEVEL_WORDS[level] for level in levels]
    long = wide.melt(id_vars=by, value_vars=names, var_name="level", value_name="share").dropna(subset="share")
    long["order"] = [names.index(level) for level in long["level"]]
    return long


def bec_shares_chart(student_steps: pd.DataFrame) -> Any:
    """Shares of the levels of behaviour, emotion and cognition over all student-steps."""
    shares = class_shares(student_steps) if len(student_steps) else {}
    rows = [
        {
            "dimension": dimension,
            "level": LEVEL_WORDS[level],
            "share": shares[measure_of(dimension, level)],
            "colour": LEVEL[dimension][level],
        }
        for dimension, levels in LEVELS_IN_ORDER.items()
        for level in levels
        if shares and shares[measure_of(dimension, level)] == shares[measure_of(dimension, level)]
    ]
    if not rows:
        return nothing("No step has been taken yet.")
    base = alt.Chart(rows_of(pd.DataFrame(rows))).encode(
        y=alt.Y("level:N", title=None, scale=alt.Scale(domain=_ROWS), axis=alt.Axis(ticks=False, domain=False)),
        x=alt.X("share:Q", title="share of all student-steps", axis=_PERCENT, scale=SHARE),
        tooltip=["dimension:N", *_TOOLTIP],
    )
    bars = base.mark_bar(cornerRadiusEnd=2).encode(color=alt.Color("colour:N", scale=None))
    values = base.mark_text(align="left", dx=5).encode(text=alt.Text("share:Q", format=".0%"))
    return (bars + values).properties(
        width=WIDTH,
        height=21 * len(_ROWS),
        title="Behaviour, emotion and cognition of the class",
        description="Bars: the share of all student-steps at each level of behaviour, emotion and cognition.",
    )


def bec_by_student(student_steps: pd.DataFrame, column: str = "behaviour") -> Any:
    """The shares of one dimension for each student."""
    rows = _shares(student_steps, column, ["student"]) if len(student_steps) else student_steps
    if rows.empty:
        return nothing("No step has been taken yet.")
    return (
        alt.Chart(rows_of(rows))
        .mark_bar()
        .encode(
            x=alt.X("share:Q", stack="zero", axis=_PERCENT, scale=SHARE, title="share of steps"),
            y=alt.Y("student:N", title=None, sort=None, axis=alt.Axis(ticks=False, domain=False)),
            color=colours(None, _named(column), "level:N"),
            order="order:Q",
            tooltip=["student:N", *_TOOLTIP],
        )
        .properties(
            width=WIDTH,
            height=22 * rows["student"].nunique(),
            title=f"{column.capitalize()} of each student",
            description=f"Stacked bars: each student's share of steps at each level of {column}.",
        )
    )


def bec_over_time(student_steps: pd.DataFrame, column: str = "behaviour") -> Any:
    """The share of students at each level, step by step."""
    rows = _shares(student_steps, column, ["lesson", "step"]) if len(student_steps) else student_steps
    if rows.empty:
        return nothing("No step has been taken yet.")
    rows = rows.sort_values(["order"], kind="stable")
    rows["top"] = rows.groupby(["lesson", "step"], sort=False)["share"].cumsum()
    rows["foot"] = rows["top"] - rows["share"]
    return by_lesson(rows, lambda part: _steps(part, column))


def _steps(rows: pd.DataFrame, column: str) -> Any:
    # Bars of given height and width: Vega-Lite does not stack bars that reach from one number to another.
    placed = rows.assign(left=rows["step"] - BAR / 2, right=rows["step"] + BAR / 2)
    return (
        alt.Chart(rows_of(placed))
        .mark_rect()
        .encode(
            x=step_axis(rows, "left:Q"),
            x2="right:Q",
            y=alt.Y("foot:Q", axis=_PERCENT, scale=SHARE, title="share of students"),
            y2="top:Q",
            color=colours(None, _named(column), "level:N"),
            tooltip=["step:Q", *_TOOLTIP],
        )
        .properties(
            width=WIDTH,
            height=150,
            title=f"{column.capitalize()} step by step",
            description=f"Stacked bars: the share of students at each level of {column} in each step.",
        )
    )
