"""Who takes part, seat by seat."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from eduverse_mesa.measures import participation
from eduverse_mesa.visualization.charts.frame import nothing
from eduverse_mesa.visualization.charts.plan import places, plan_of
from eduverse_mesa.visualization.palette import GREY, ROLE
from eduverse_mesa.visualization.tables import Room

_ALL = 2600
"""Area of the dot of somebody who takes part in every step."""
_RADIUS = f"sqrt(datum.share * {_ALL} / PI)"


def participation_at_seats(room: Room, student_steps: pd.DataFrame, teacher_steps: pd.DataFrame) -> Any:
    """The share of steps in which each student took part in the teacher's lesson, drawn at the seats: the larger, the
    more."""
    students = [thing for thing in places(room).values() if thing["kind"] == "student"]
    if not students or student_steps.empty:
        return nothing("No step has been taken yet.")
    shares = participation(student_steps, teacher_steps if len(teacher_steps) else None)
    seats = pd.DataFrame(students)[["x", "y", "name"]]
    seats["share"] = [shares.get(name, float("nan")) for name in seats["name"]]
    seats = seats.dropna(subset="share")
    board = [thing for thing in room.things if thing["kind"] in ("board", "teacher")]
    plan = plan_of([*students, *board])
    front = pd.DataFrame(board)[["x", "y", "name"]] if board else pd.DataFrame(columns=["x", "y", "name"])
    tooltip = ["name:N", alt.Tooltip("share:Q", format=".1%", title="took part")]
    layers = [
        plan.chart(front).mark_square(size=120, color=GREY, opacity=0.5),
        plan.names(front, size=10, dy=-14, opacity=0.65),
        plan.chart(seats)
        .mark_circle(opacity=0.9, color=ROLE["student"])
        .encode(
            size=alt.Size("share:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[0, _ALL])), tooltip=tooltip
        ),
        plan.chart(seats)
        .mark_text(dy=alt.expr(f"-6 - {_RADIUS}"), fontSize=11)
        .encode(text=alt.Text("share:Q", format=".0%"), tooltip=tooltip),
        plan.people(seats, dy=alt.expr(f"4 + {_RADIUS}"), opacity=0.8),
    ]
    return plan.finish(
        layers,
        "Who takes part",
        "Students at their seats; the larger the dot, the more steps the student took part in.",
    )
