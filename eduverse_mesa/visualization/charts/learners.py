"""Charts of learners: mastery, forgetting, coverage, test results and gains."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from eduverse_mesa.visualization.charts import vega as alt
from eduverse_mesa.visualization.charts.frame import (
    WIDTH,
    ChartFunction,
    Drawing,
    Rows,
    Say,
    Width,
    Words,
    colours,
    empty,
    legend,
    line_at,
    named,
    saying,
    source,
    strokes,
)
from eduverse_mesa.visualization.palette import ARMS, BLUE, GREY, ORANGE, SERIES, in_turn

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
    """The share that will be left of something over `days` from now on (`mastery`, from 0 to 1), a line a `trace`."""
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


_SIMLEARNER_HEIGHT = 260
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
    """The share that is left of a trace over `days`, a line a `trace`, side by side for each `law`."""
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
        .properties(width=max(200, width // max(len(laws), 1) - 90), height=_SIMLEARNER_HEIGHT)
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
    return alt.layer(*below, bars, line, width=width - 120, height=_SIMLEARNER_HEIGHT)


def _rows(table: pd.DataFrame, columns: Sequence[str]) -> list[dict[str, Any]]:
    """Return rows for JSON, with None where nothing was measured."""
    return [
        {name: None if row[name] != row[name] else row[name] for name in columns} for row in table.to_dict("records")
    ]


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
