"""What all charts share: their width, how data gets in, what stands where there is nothing, one chart a lesson."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import altair as alt
import pandas as pd

from eduverse_mesa.measures.tables import parts, plain
from eduverse_mesa.visualization.palette import GREY

WIDTH = 720
"""Fits a notebook cell; a page gives its own."""

SHARE = alt.Scale(domain=[0, 1])
BAR = 0.92
"""Width of a bar that stands on a step, in steps."""

_DIGITS = 4


def rows_of(table: pd.DataFrame) -> alt.InlineData:
    """A table as a chart's own data. Altair's way with frames stops at 5000 rows, which thirty students in four lessons
    exceed."""
    values = [
        {key: round(cell, _DIGITS) if isinstance(cell, float) else cell for key, cell in plain(row).items()}
        for row in table.to_dict("records")
    ]
    return alt.InlineData(values=values)


def nothing(message: str) -> Any:
    """A chart that says why it is empty."""
    shown = rows_of(pd.DataFrame({"message": [message]}))
    mark = alt.Chart(shown, width=WIDTH, height=60, description=message).mark_text(size=14, color=GREY)
    return mark.encode(text="message:N")


def by_lesson(table: pd.DataFrame, draw: Callable[[pd.DataFrame], Any]) -> Any:
    """The chart of a lesson; of several lessons one below the other, each under its name."""
    lessons = [(str(lesson), part) for (lesson,), part in parts(table, ["lesson"])]
    if len(lessons) == 1:
        return draw(lessons[0][1])
    charts = [draw(part).properties(title=lesson) for lesson, part in lessons]
    return alt.vconcat(*charts, spacing=14).resolve_scale(color="shared")


def colours(title: str | None, of: Mapping[str, str], field: str, **legend: Any) -> alt.Color:
    """A field's colours, with the legend above the chart, where a narrow page has room for it."""
    scale = alt.Scale(domain=list(of), range=list(of.values()))
    return alt.Color(field, title=title, scale=scale, legend=alt.Legend(orient="top", **legend))


def step_axis(steps: pd.DataFrame, field: str = "step:Q") -> alt.X:
    """Steps along the bottom, with half a step of room at both ends for bars that stand on a step."""
    scale = alt.Scale(domain=[int(steps["step"].min()) - 0.5, int(steps["step"].max()) + 0.5], nice=False)
    return alt.X(field, title="step", axis=alt.Axis(tickMinStep=1, format="d", grid=False), scale=scale)
