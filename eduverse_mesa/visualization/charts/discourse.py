"""Initiation, response and feedback, step by step."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from eduverse_mesa.measures import irf_by_step
from eduverse_mesa.visualization.charts.drawing import ChartFunction, Drawing, Lessons, per_lesson, source
from eduverse_mesa.visualization.charts.frame import (
    WIDTH,
    Rows,
    Say,
    Width,
    Words,
    cell,
    colours,
    legend,
    over_time,
    saying,
    steps_axis,
    wide,
)
from eduverse_mesa.visualization.charts.states import lessons_of
from eduverse_mesa.visualization.palette import DISCOURSE, GREY, PHASE

_PACE = {"extend": "+", "advance": "»"}
"""What the teacher decided at the end of a step, where it is more than going on."""


@ChartFunction
def irf_ribbon(
    student_steps: pd.DataFrame,
    teacher_steps: pd.DataFrame,
    *,
    words: Words | None = None,
    width: Width = WIDTH,
    steps: int = 1,
) -> Drawing | Lessons:
    """Which of I, R and F happened in each step, above the phases of the lesson and how they were paced."""
    say = saying(words)
    said = _said(say)

    def one(lesson: str, width: Width) -> Drawing:
        taught = teacher_steps[teacher_steps["lesson"] == lesson]
        by_step = irf_by_step(student_steps[student_steps["lesson"] == lesson], taught)
        last = max([steps, *taught["step"].tolist()])
        moves = [
            {**cell(step), "row": said[move], "happened": said[move], "act": say(act) if act else ""}
            for step, act, *happened in zip(
                by_step["step"].tolist(),
                taught["act"].tolist(),
                *(by_step[move].tolist() for move in DISCOURSE),
                strict=True,
            )
            for move, true in zip(DISCOURSE, happened, strict=True)
            if true
        ]
        for row in moves:
            row["ev_on"] = {"step": row["step"]}
        return Drawing(_ribbon, (last, say, width), {"moves": moves, "phases": _phases(taught, say)})

    return per_lesson(lessons_of(teacher_steps), one, say=say, width=width)


def _said(say: Say) -> dict[str, str]:
    return {move: say(f"irf_{move}") for move in DISCOURSE}


def _phases(taught: pd.DataFrame, say: Say) -> Rows:
    columns = (taught[name].tolist() for name in ("step", "phase", "act", "pacing", "pacing_reason"))
    return [
        {
            **cell(step),
            "from": step - 0.5,
            "to": step + 0.5,
            "row": say("phase"),
            "phase": say(phase),
            "act": say(act) if act else "",
            "pacing": say(pacing) if pacing else "",
            "reason": reason,
            "sign": _PACE.get(pacing, ""),
            "ev_on": {"step": step},
        }
        for step, phase, act, pacing, reason in zip(*columns, strict=True)
    ]


def _ribbon(last: int, say: Say, width: Width) -> Any:
    x, order = steps_axis(last, say), [*_said(say).values(), say("phase")]
    row = alt.Y(
        "row:N",
        title=None,
        sort=order,
        scale=alt.Scale(domain=order, paddingInner=0.12),
        axis=alt.Axis(**{**wide(), "labelLimit": 70}),
    )
    step, act = alt.Tooltip("step:Q", title=say("step")), alt.Tooltip("act:N", title=say("act"))
    moves = (
        alt.Chart(source("moves"))
        .mark_rect(cursor="pointer", cornerRadius=2)
        .encode(
            x=x,
            x2="to:Q",
            y=row,
            color=colours("happened", dict(zip(_said(say).values(), DISCOURSE.values(), strict=True)), legend=None),
            tooltip=[step, alt.Tooltip("happened:N", title=say("move")), act],
        )
    )
    told = [
        step,
        alt.Tooltip("phase:N", title=say("phase")),
        act,
        alt.Tooltip("pacing:N", title=say("pacing")),
        alt.Tooltip("reason:N", title=say("reason")),
    ]
    base = alt.Chart(source("phases")).encode(y=row, tooltip=told)
    phases = base.mark_rect(cursor="pointer").encode(
        x=x, x2="to:Q", color=colours("phase", PHASE, say, legend=legend(columns=3))
    )
    signs = base.mark_text(fontWeight="bold", color="#000000", fontSize=12).encode(
        x=steps_axis(last, say, "step:Q"), text="sign:N"
    )
    every = base.mark_rect(aria=False, color=GREY, opacity=0)  # the row is there before its first phase
    return over_time(every, moves, phases, signs, width=width, height=110).resolve_scale(color="independent")
