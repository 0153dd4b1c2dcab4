"""Initiation, response and feedback, step by step."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from eduverse_mesa.measures import irf_by_step
from eduverse_mesa.visualization.charts.frame import BAR, WIDTH, by_lesson, colours, nothing, rows_of, step_axis
from eduverse_mesa.visualization.palette import DISCOURSE, PHASE
from eduverse_mesa.visualization.words import spoken

_LETTERS = {"I": "initiation", "R": "response", "F": "feedback"}
_ROWS = ["phase", *DISCOURSE]
_KNOWN = ["lesson", "step", "phase", "act", "called", "pacing_reason"]


def irf_ribbon(student_steps: pd.DataFrame, teacher_steps: pd.DataFrame) -> Any:
    """Which of initiation, response and feedback happened in each step, below the phases of the lesson."""
    if teacher_steps.empty:
        return nothing("No step has been taken yet.")
    happened = irf_by_step(student_steps, teacher_steps).merge(teacher_steps[_KNOWN], on=["lesson", "step"])
    return by_lesson(happened, _ribbon)


def _ribbon(steps: pd.DataFrame) -> Any:
    y = alt.Y(
        "row:N", title=None, scale=alt.Scale(domain=_ROWS, paddingInner=0.12), axis=alt.Axis(ticks=False, domain=False)
    )
    colour = colours(None, PHASE | DISCOURSE, "colour:N", values=list(PHASE))
    x = step_axis(steps, "left:Q")
    bands = alt.Chart(rows_of(phase_bands(steps))).encode(x=x, y=y)
    phases = bands.mark_rect(opacity=0.45).encode(
        x2="right:Q", color=colour, tooltip=["phase:N", "steps:N", alt.Tooltip("pacing_reason:N", title="why it ended")]
    )
    # A name is cut to the width of its band.
    wide = len(steps)
    names = bands.mark_text(
        align="left", dx=5, fontSize=11, limit=alt.expr(f"max(1, (datum.right - datum.left) * width / {wide} - 8)")
    ).encode(text="phase:N")
    moves = (
        alt.Chart(rows_of(_moves(steps)))
        .mark_rect()
        .encode(x=x, x2="right:Q", y=y, color=colour, tooltip=["step:Q", "row:N", "act:N", "called:N"])
    )
    return alt.layer(phases, names, moves).properties(
        width=WIDTH,
        height=130,
        title="Initiation, response and feedback",
        description="A ribbon of steps: the phase of the lesson, and whether there was initiation, response, feedback.",
    )


def phase_bands(steps: pd.DataFrame) -> pd.DataFrame:
    """A row for each stretch of steps in one phase."""
    stretch = (steps["phase"] != steps["phase"].shift()).cumsum()
    rows = [
        {
            "row": "phase",
            "phase": part["phase"].iloc[0],
            "colour": part["phase"].iloc[0],
            "left": int(part["step"].iloc[0]) - 0.5,
            "right": int(part["step"].iloc[-1]) + 0.5,
            "steps": f"{part['step'].iloc[0]} to {part['step'].iloc[-1]}",
            "pacing_reason": part["pacing_reason"].iloc[-1],
        }
        for _, part in steps.groupby(stretch, sort=False)
    ]
    return pd.DataFrame(rows)


def _moves(steps: pd.DataFrame) -> pd.DataFrame:
    long = steps.rename(columns=_LETTERS).melt(
        id_vars=["step", "act", "called"], value_vars=list(DISCOURSE), var_name="row", value_name="happened"
    )
    shown = long[long["happened"].astype(bool)]
    return shown.assign(
        colour=shown["row"],
        act=shown["act"].map(spoken),
        left=shown["step"] - BAR / 2,
        right=shown["step"] + BAR / 2,
    ).drop(columns="happened")
