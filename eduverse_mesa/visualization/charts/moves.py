"""What kind of sentences were said when: discourse moves by step."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from eduverse_mesa.measures.codes import MOVES, STUDENT, TEACHER
from eduverse_mesa.measures.tables import heard_by_all
from eduverse_mesa.visualization.charts.frame import WIDTH, by_lesson, colours, nothing, rows_of, step_axis
from eduverse_mesa.visualization.palette import ROLE

_ROLES = {TEACHER: "teacher", STUDENT: "student"}


def moves_over_time(sentences: pd.DataFrame) -> Any:
    """How many sentences of each move the class heard in each step: the teacher's moves above, the students' below."""
    if "step" not in sentences.columns:
        return nothing("This transcript knows no steps.")
    heard = heard_by_all(sentences)
    heard = heard[heard["role"].isin(list(_ROLES))]
    if heard.empty:
        return nothing("Nothing has been said to the class yet.")
    said = heard.assign(
        who=heard["role"].map(_ROLES), move=[move or "none" for move in heard["move"].fillna("").astype(str)]
    )
    counted = said.groupby(["lesson", "step", "who", "move"], sort=False).size().rename("sentences").reset_index()
    counted["kind"] = counted["who"] + ": " + counted["move"]
    return by_lesson(counted, _dots)


def _dots(counted: pd.DataFrame) -> Any:
    order = [f"{_ROLES[role]}: {move}" for role in (TEACHER, STUDENT) for move in MOVES[role]]
    order += [
        kind for kind in dict.fromkeys(counted["kind"]) if kind not in order
    ]  # a corpus may have moves of its own
    return (
        alt.Chart(rows_of(counted))
        .mark_circle(opacity=0.9)
        .encode(
            x=step_axis(counted),
            y=alt.Y("kind:N", title=None, scale=alt.Scale(domain=order), axis=alt.Axis(grid=True, ticks=False)),
            size=alt.Size("sentences:Q", legend=None, scale=alt.Scale(domainMin=0, range=[0, 180])),
            color=colours(None, ROLE, "who:N"),
            tooltip=["step:Q", "kind:N", "sentences:Q"],
        )
        .properties(
            width=WIDTH,
            height=18 * len(order),
            title="Discourse moves by step",
            description="Dots: how many sentences of each move the teacher and the students said in each step.",
        )
    )
