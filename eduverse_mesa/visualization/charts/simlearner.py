"""Learners over the years: coverage of the standard, concepts by grade, trajectories, scores, and how it is forgotten.

Pure functions from tables to charts. A table of means has the columns mean, low and high, beside what it is split by.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd

from eduverse_mesa.visualization.charts.frame import WIDTH, line_at, strokes
from eduverse_mesa.visualization.palette import GREY, in_turn

_HEIGHT = 260
_RANGE = ("from", "to")


def coverage_by_grade(means: pd.DataFrame, band: tuple[float, float] | None = None, width: int = WIDTH) -> Any:
    """Coverage of the standard by `grade`, a line an `arm`; the standard a dashed line, the paper's band a shade."""
    layers = [line_at(y=alt.datum(1.0))]
    if band is not None:
        rows = [dict(zip(_RANGE, band, strict=True))]
        shade = alt.Chart(alt.InlineData(values=rows)).mark_rect(color=GREY, opacity=0.22)
        layers.insert(0, shade.encode(y="from:Q", y2="to:Q"))
    return _lines(means, "arm", "coverage of the standard", layers, width=width, shown="%")


def trajectories(means: pd.DataFrame, width: int = WIDTH) -> Any:
    """Mastery by `grade`, a line a `learner`, with error bars."""
    return _lines(means, "learner", "mean mastery of expected concepts", [], width=width)


def scores_by_grade(means: pd.DataFrame, published: Mapping[int, float] | None = None, width: int = WIDTH) -> Any:
    """Judged scores from 1 to 10 by the `grade` of what was asked, a line an `arm`; the paper's a diamond."""
    layers = []
    if published:
        rows = [{"grade": grade, "mean": value} for grade, value in published.items()]
        marks = alt.Chart(alt.InlineData(values=rows)).mark_point(
            shape="diamond", size=110, color=GREY, filled=False, strokeWidth=2.5, opacity=1
        )
        layers.append(marks.encode(x="grade:O", y="mean:Q", tooltip=[alt.Tooltip("mean:Q", title="paper")]))
    return _lines(means, "arm", "judged score", layers, width=width, domain=(1, 10))


def mastery_by_grade(
    cells: pd.DataFrame, column: str = "mastery", order: Sequence[str] = (), width: int = WIDTH
) -> Any:
    """A heat map of `concept` and `grade`, side by side for each `arm`; what the standard expects by then is framed.

    `order` is that of the concepts; without it they stand as they come.
    """
    rows = _rows(cells, ("arm", "concept", "grade", column, "expected"))
    arms = list(dict.fromkeys(row["arm"] for row in rows))
    names = list(order) or list(dict.fromkeys(row["concept"] for row in rows))
    base = alt.Chart().encode(
        x=alt.X("grade:O", title="grade", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("concept:N", sort=names, title=None),
    )
    colour = alt.Color(
        f"{column}:Q", title=column, scale=alt.Scale(scheme="blues", domain=[0, 1]), legend=alt.Legend(orient="bottom")
    )
    told = [*(f"{name}:N" for name in ("arm", "concept", "grade")), alt.Tooltip(f"{column}:Q", format=".2f")]
    tiles = base.mark_rect().encode(color=colour, tooltip=told)
    frames = base.transform_filter("datum.expected > 0").mark_rect(fill=None, stroke=GREY, strokeWidth=1.4)
    size = max(120, width // max(len(arms), 1) - 110)
    layered = alt.layer(tiles, frames, data=alt.InlineData(values=rows), width=size, height=16 * max(len(names), 1))
    return layered.facet(column=alt.Column("arm:N", title=None, sort=arms))


def forgetting_curves(kept: pd.DataFrame, width: int = WIDTH) -> Any:
    """What is left of a trace over `days`, a line a `trace`, side by side for each `law`."""
    rows = _rows(kept, ("law", "trace", "days", "kept"))
    traces = list(dict.fromkeys(row["trace"] for row in rows))
    laws = list(dict.fromkeys(row["law"] for row in rows))
    lines = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_line(strokeWidth=2.5)
        .encode(
            x=alt.X("days:Q", title="days"),
            y=alt.Y("kept:Q", title="left", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%")),
            **strokes("trace", in_turn(traces), labelLimit=240),
            tooltip=["law:N", "trace:N", "days:Q", alt.Tooltip("kept:Q", format=".2f")],
        )
        .properties(width=max(200, width // max(len(laws), 1) - 90), height=_HEIGHT)
    )
    return lines.facet(column=alt.Column("law:N", title=None, sort=laws))


def _lines(
    means: pd.DataFrame,
    by: str,
    title: str,
    below: Sequence[Any],
    *,
    width: int,
    shown: str = "",
    domain: tuple[float, float] | None = None,
) -> Any:
    rows = _rows(means, (by, "grade", "mean", "low", "high"))
    for row in rows:  # one seed has no interval
        row["low"], row["high"] = (row["mean"] if row[end] is None else row[end] for end in ("low", "high"))
    names = list(dict.fromkeys(row[by] for row in rows))
    scale = alt.Scale(domain=list(domain)) if domain else alt.Scale(zero=True)
    told = strokes(by, in_turn(names), labelLimit=240)
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("grade:O", title="grade", axis=alt.Axis(labelAngle=0)), color=told["color"]
    )
    axis = alt.Axis(format=shown) if shown else alt.Axis()
    line = base.mark_line(strokeWidth=2.5, point={"filled": True, "size": 60}).encode(
        strokeDash=told["strokeDash"],
        y=alt.Y("mean:Q", title=title, scale=scale, axis=axis),
        tooltip=[f"{by}:N", "grade:O", *(alt.Tooltip(f"{name}:Q", format=".3f") for name in ("mean", "low", "high"))],
    )
    bars = base.mark_rule(strokeWidth=2).encode(y="low:Q", y2="high:Q")
    return alt.layer(*below, bars, line, width=width - 120, height=_HEIGHT)


def _rows(table: pd.DataFrame, columns: Sequence[str]) -> list[dict[str, Any]]:
    """As JSON knows it: nothing where nothing was measured."""
    return [
        {name: None if row[name] != row[name] else row[name] for name in columns} for row in table.to_dict("records")
    ]
