"""One learner: mastery of every concept by grade, how it will be forgotten, and coverage of the standard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd

from eduverse_mesa.visualization.charts.drawing import ChartFunction, Drawing, empty, source
from eduverse_mesa.visualization.charts.frame import (
    WIDTH,
    Say,
    Width,
    Words,
    line_at,
    named,
    saying,
    strokes,
)
from eduverse_mesa.visualization.palette import ARMS, GREY, SERIES, in_turn

_ROW = 19
_HEIGHT = 240


@ChartFunction
def mastery_map(
    concepts: pd.DataFrame,
    order: Sequence[str] = (),
    *,
    words: Words | None = None,
    width: Width = WIDTH,
) -> Drawing:
    """A heat map of `concept` and `grade`: `mastery`; what the standard expects by then (`expected`) is framed.

    `order` is that of the concepts; without it they stand as they come.
    """
    say = saying(words)
    rows = concepts.to_dict("records")
    if not rows:
        return empty("nothing_learned_yet", say, width)
    short = named([*order, *(str(row["concept"]) for row in rows)])
    tiles = [
        {
            "concept": short[str(row["concept"])],
            "grade": int(row["grade"]),
            "mastery": float(row["mastery"]),
            "expected": bool(row["expected"]),
            "told": say("yes" if row["expected"] else "no"),
        }
        for row in rows
    ]
    return Drawing(_map, (tuple(short.values()), say, width), {"tiles": tiles})


def _map(names: tuple[str, ...], say: Say, width: Width) -> Any:
    base = alt.Chart(source("tiles")).encode(
        x=alt.X("grade:O", title=say("grade"), axis=alt.Axis(labelAngle=0, orient="top")),
        y=alt.Y("concept:N", sort=list(names), title=None, axis=alt.Axis(labelLimit=170)),
        tooltip=[
            alt.Tooltip("concept:N", title=say("concept")),
            alt.Tooltip("grade:O", title=say("grade")),
            alt.Tooltip("mastery:Q", title=say("mastery"), format=".2f"),
            alt.Tooltip("told:N", title=say("expected")),
        ],
    )
    scale = alt.Scale(scheme="blues", domain=[0, 1])
    key = alt.Legend(orient="bottom", gradientLength=160)
    fill = base.mark_rect().encode(color=alt.Color("mastery:Q", title=say("mastery"), scale=scale, legend=key))
    frames = base.transform_filter("datum.expected").mark_rect(fillOpacity=0, stroke=GREY, strokeWidth=1.4)
    return alt.layer(fill, frames, width=width, height=_ROW * len(names))


@ChartFunction
def forgetting(kept: pd.DataFrame, *, words: Words | None = None, width: Width = WIDTH) -> Drawing:
    """What will be left of something over `days` from now on (`mastery`, from 0 to 1), a line a `trace`."""
    say = saying(words)
    traces = named(str(trace) for trace in kept["trace"]) if len(kept) else {}
    if not traces:
        return empty("nothing_learned_yet", say, width)
    rows = [
        {"trace": traces[str(row["trace"])], "days": float(row["days"]), "mastery": float(row["mastery"])}
        for row in kept.to_dict("records")
    ]
    return Drawing(_curves, (tuple(traces.values()), say, width), {"kept": rows})


def _curves(names: tuple[str, ...], say: Say, width: Width) -> Any:
    meanings = in_turn(names, SERIES)
    # A concept that is known by one of its units lies below it: dashes let it be seen.
    return (
        alt.Chart(source("kept"))
        .mark_line(strokeWidth=2.5)
        .encode(
            x=alt.X("days:Q", title=say("days_from_now"), scale=alt.Scale(nice=False)),
            y=alt.Y("mastery:Q", title=say("mastery"), scale=alt.Scale(domain=[0, 1])),
            **strokes("trace", meanings, columns=1, labelLimit=300),
            tooltip=[
                alt.Tooltip("trace:N", title=say("trace")),
                alt.Tooltip("days:Q", title=say("days_from_now"), format=".0f"),
                alt.Tooltip("mastery:Q", title=say("mastery"), format=".2f"),
            ],
        )
        .properties(width=width, height=_HEIGHT)
    )


@ChartFunction
def coverage(shares: pd.DataFrame, *, words: Words | None = None, width: Width = WIDTH) -> Drawing:
    """Coverage of the standard by `grade`: familiar concepts over expected ones. The dashed line is the standard."""
    say = saying(words)
    rows = [
        {
            "grade": int(row["grade"]),
            "coverage": float(row["coverage"]),
            "familiar": int(row["familiar"]),
            "expected": int(row["expected"]),
        }
        for row in shares.to_dict("records")
    ]
    if not rows:
        return empty("nothing_learned_yet", say, width)
    return Drawing(_bars, (say, width), {"shares": rows})


def _bars(say: Say, width: Width) -> Any:
    bars = (
        alt.Chart(source("shares"))
        .mark_bar(color=ARMS[0], size=34)
        .encode(
            x=alt.X("grade:O", title=say("grade"), axis=alt.Axis(labelAngle=0)),
            y=alt.Y("coverage:Q", title=say("coverage"), axis=alt.Axis(format="%"), scale=alt.Scale(domainMin=0)),
            tooltip=[
                alt.Tooltip("grade:O", title=say("grade")),
                alt.Tooltip("familiar:Q", title=say("familiar")),
                alt.Tooltip("expected:Q", title=say("expected")),
                alt.Tooltip("coverage:Q", title=say("coverage"), format=".0%"),
            ],
        )
    )
    return alt.layer(bars, line_at(y=alt.datum(1.0)), width=width, height=_HEIGHT)
