"""A cohort under a tutor: every learner from test to test, and who gains how much."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd

from eduverse_mesa.visualization.charts.drawing import ChartFunction, Drawing, empty, source
from eduverse_mesa.visualization.charts.frame import (
    WIDTH,
    Rows,
    Say,
    Width,
    Words,
    colours,
    legend,
    line_at,
    saying,
    strokes,
)
from eduverse_mesa.visualization.palette import BLUE, GREY, ORANGE, in_turn

EXAMS = {"pre": "test before", "post": "test after", "delayed": "delayed test"}
_GROUPS = {"low third": ORANGE, "middle third": GREY, "high third": BLUE}


@ChartFunction
def exams_over_time(
    outcomes: Mapping[str, pd.DataFrame], *, words: Words | None = None, width: Width = WIDTH
) -> Drawing:
    """A faint line for each learner and a bold one for the mean, from the first test to the delayed one; `outcomes` are
    the rows of learners by tutor (columns learner, pre, post, delayed)."""
    say = saying(words)
    lines: Rows = []
    means: Rows = []
    for tutor, table in outcomes.items():
        for exam, called in EXAMS.items():
            shares = table[exam].tolist()
            lines += [
                {"tutor": tutor, "learner": f"{tutor} {learner}", "exam": say(called), "share": share}
                for learner, share in zip(table["learner"], shares, strict=True)
                if math.isfinite(share)
            ]
            found = [share for share in shares if math.isfinite(share)]
            if found:
                mean = sum(found) / len(found)
                means.append({"tutor": tutor, "exam": say(called), "share": mean, "n": len(found)})
    if not means:
        return empty("nothing_to_compare", say, width)
    return Drawing(_over_time, (tuple(outcomes), say, width), {"learners": lines, "means": means})


def _over_time(tutors: tuple[str, ...], say: Say, width: Width) -> Any:
    meanings = in_turn(tutors)
    x = alt.X(
        "exam:N", title=None, sort=[say(exam) for exam in EXAMS.values()], axis=alt.Axis(labelAngle=0), scale=_edges()
    )
    y = alt.Y("share:Q", title=say("share of full marks"), scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%"))
    told = strokes("tutor", meanings, columns=2, labelLimit=240, symbolOpacity=1)
    learners = (
        alt.Chart(source("learners"))
        .mark_line(opacity=0.18, strokeWidth=1)
        .encode(x=x, y=y, detail="learner:N", **told, tooltip=[alt.Tooltip("learner:N", title=say("name"))])
    )
    means = (
        alt.Chart(source("means"))
        .mark_line(strokeWidth=3, point=alt.OverlayMarkDef(size=70))
        .encode(
            x=x,
            y=y,
            **told,
            tooltip=[
                alt.Tooltip("tutor:N", title=say("tutor")),
                alt.Tooltip("exam:N", title=say("test")),
                alt.Tooltip("share:Q", title=say("mean"), format=".3f"),
                alt.Tooltip("n:Q", title=say("learners")),
            ],
        )
    )
    return alt.layer(learners, means, width=width, height=280)


def _edges() -> alt.Scale:
    return alt.Scale(type="point", padding=0.3)


@ChartFunction
def gains_by_group(
    groups: Sequence[tuple[str, str, float, float, float, int]], *, words: Words | None = None, width: Width = WIDTH
) -> Drawing:
    """A dot and an interval for the low, middle and high third of each factor: rows of factor, group, mean, low, high
    and n."""
    say = saying(words)
    rows = [
        {
            "factor": say(factor),
            "group": say(f"{group} third"),
            "mean": mean,
            "low": low if math.isfinite(low) else mean,
            "high": high if math.isfinite(high) else mean,
            "n": n,
        }
        for factor, group, mean, low, high, n in groups
        if math.isfinite(mean)
    ]
    if not rows:
        return empty("nothing_to_compare", say, width)
    factors = tuple(dict.fromkeys(str(row["factor"]) for row in rows))
    return Drawing(_by_group, (factors, say, width), {"groups": rows})


def _by_group(factors: tuple[str, ...], say: Say, width: Width) -> Any:
    order = [say(group) for group in _GROUPS]
    place: dict[str, Any] = {
        "y": alt.Y("factor:N", title=None, sort=list(factors), axis=alt.Axis(labelLimit=170, grid=True)),
        "yOffset": alt.YOffset("group:N", sort=order, scale=alt.Scale(paddingOuter=0.4)),
        "color": colours("group", _GROUPS, say, legend=legend(symbolType="circle", symbolOpacity=1)),
        "tooltip": [
            alt.Tooltip("factor:N", title=say("factor")),
            alt.Tooltip("group:N", title=say("arm")),
            alt.Tooltip("mean:Q", title=say("mean"), format=".3f"),
            alt.Tooltip("low:Q", title=say("interval_from"), format=".3f"),
            alt.Tooltip("high:Q", title=say("interval_to"), format=".3f"),
            alt.Tooltip("n:Q", title=say("learners")),
        ],
    }
    zero = line_at(x=alt.datum(0))
    base = alt.Chart(source("groups")).encode(**place)
    bars = base.mark_rule(strokeWidth=2.5, strokeCap="round").encode(x=alt.X("low:Q", title=say("gain")), x2="high:Q")
    dots = base.mark_circle(size=80, opacity=1).encode(x=alt.X("mean:Q", title=say("gain")))
    return alt.layer(zero, bars, dots, width=width, height=48 * len(factors))
