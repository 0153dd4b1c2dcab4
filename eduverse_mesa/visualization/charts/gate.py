"""How a request was judged: five scores with their weights, and what they come to (EduVerse Eq. 4-5)."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from eduverse_mesa.visualization.charts.drawing import ChartFunction, Drawing, empty, source
from eduverse_mesa.visualization.charts.frame import WIDTH, Rows, Say, Width, Words, saying
from eduverse_mesa.visualization.palette import GREEN, GREY, SKY, VERMILION

FACTORS = ("personality", "confidence", "relevance", "history", "closeness")


@ChartFunction
def gate_scores(scores: pd.DataFrame, threshold: float, *, words: Words | None = None, width: Width = WIDTH) -> Drawing:
    """A bar a factor (columns factor, score of 0 to 100, weight, reason), as thick as its weight, and the weighted mean
    against the threshold (0 to 1) from which on a request is taken up."""
    say = saying(words)
    if scores.empty:
        return empty("not_scored", say, width)
    columns = (scores[name].tolist() for name in ("factor", "score", "weight", "reason"))
    rows: Rows = [
        {"factor": say(factor), "score": score, "weight": weight, "part": score * weight, "reason": reason}
        for factor, score, weight, reason in zip(*columns, strict=True)
    ]
    whole = sum(row["part"] for row in rows)
    taken_up = whole / 100 >= threshold  # as the gate compares: 100 * 0.56 is a hair more than 56
    end = {"factor": say("intention"), "score": whole, "colour": GREEN if taken_up else VERMILION}
    order = (*(row["factor"] for row in rows), say("intention"))
    of = {"scores": rows, "whole": [end], "threshold": [{"factor": say("intention"), "score": 100 * threshold}]}
    return Drawing(_bars, (order, say, width), of)


def _bars(order: tuple[str, ...], say: Say, width: Width) -> Any:
    y = alt.Y("factor:N", title=None, sort=list(order), scale=alt.Scale(domain=list(order)))
    x = alt.X("score:Q", title=None, scale=alt.Scale(domain=[0, 100]), axis=alt.Axis(tickCount=5))
    thick = alt.Size("weight:Q", legend=None, scale=alt.Scale(domain=[0, 0.5], range=[2, 24], clamp=True))
    base = alt.Chart(source("scores")).encode(
        x=x,
        y=y,
        tooltip=[
            alt.Tooltip("factor:N", title=say("factor")),
            alt.Tooltip("score:Q", title=say("score"), format=".0f"),
            alt.Tooltip("weight:Q", title=say("weight"), format=".2f"),
            alt.Tooltip("part:Q", title=say("score_times_weight"), format=".1f"),
            alt.Tooltip("reason:N", title=say("reason")),
        ],
    )
    bars = base.mark_bar(color=SKY).encode(size=thick)
    weights = base.mark_text(align="left", dx=5, fontSize=10).encode(text=alt.Text("weight:Q", format=".0%"))
    whole = alt.Chart(source("whole")).encode(
        x=x,
        y=y,
        tooltip=[
            alt.Tooltip("factor:N", title=say("weighted_mean")),
            alt.Tooltip("score:Q", title=say("score"), format=".0f"),
        ],
    )
    sums = whole.mark_bar(size=18).encode(color=alt.Color("colour:N", scale=None))
    number = whole.mark_text(align="left", dx=5, fontWeight="bold").encode(text=alt.Text("score:Q", format=".0f"))
    line = (
        alt.Chart(source("threshold"))
        .mark_tick(thickness=2, size=26, color=GREY)
        .encode(x=x, y=y, tooltip=[alt.Tooltip("score:Q", title=say("threshold"), format=".0f")])
    )
    return alt.layer(bars, weights, sums, number, line, width=width, height=26 * len(order)).resolve_scale(
        size="independent"
    )
