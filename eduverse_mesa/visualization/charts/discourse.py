"""Initiation, response and feedback, step by step."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from eduverse_mesa.measures import irf_by_step
from eduverse_mesa.visualization.charts.frame import WIDTH, nothing
from eduverse_mesa.visualization.palette import DISCOURSE, PHASE


def irf_ribbon(student_steps: pd.DataFrame, teacher_steps: pd.DataFrame) -> Any:
    """Which of I, R and F happened in each step, above the phases of the lesson."""
    if teacher_steps.empty:
        return nothing("No steps yet")
    by_step = irf_by_step(student_steps, teacher_steps).merge(
        teacher_steps[["lesson", "step", "phase", "act", "pacing", "pacing_reason"]], on=["lesson", "step"]
    )
    long = by_step.melt(
        id_vars=["lesson", "step", "phase", "act", "pacing_reason"],
        value_vars=list(DISCOURSE),
        var_name="move",
        value_name="happened",
    )
    x = alt.X("step:O", title="step", axis=alt.Axis(labelOverlap=True, labelAngle=0))
    moves = (
        alt.Chart(long[long["happened"]])
        .mark_rect(stroke="white")
        .encode(
            x=x,
            y=alt.Y("move:N", sort=list(DISCOURSE), title=None, scale=alt.Scale(domain=list(DISCOURSE))),
            color=alt.Color(
                "move:N", legend=None, scale=alt.Scale(domain=list(DISCOURSE), range=list(DISCOURSE.values()))
            ),
            tooltip=["step:O", "move:N", "act:N"],
        )
        .properties(width=WIDTH, height=70)
    )
    phases = (
        alt.Chart(by_step)
        .mark_rect()
        .encode(
            x=x,
            color=alt.Color(
                "phase:N",
                legend=alt.Legend(orient="bottom"),
                scale=alt.Scale(domain=list(PHASE), range=list(PHASE.values())),
            ),
            tooltip=["step:O", "phase:N", "act:N", "pacing:N", "pacing_reason:N"],
        )
        .properties(width=WIDTH, height=18)
    )
    lessons = list(dict.fromkeys(by_step["lesson"]))
    ribbons = [
        alt.vconcat(
            moves.transform_filter(alt.datum.lesson == lesson).properties(title=lesson if len(lessons) > 1 else ""),
            phases.transform_filter(alt.datum.lesson == lesson),
            spacing=2,
        ).resolve_scale(x="shared", color="independent")
        for lesson in lessons
    ]
    return ribbons[0] if len(ribbons) == 1 else alt.vconcat(*ribbons)
