"""The paper's experiments: our means and single lessons, the paper's lesson and the real one, in the same place."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import altair as alt

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
    shapes,
)
from eduverse_mesa.visualization.palette import ARMS, BLUE, GREEN, GREY, PURPLE, VERMILION, in_turn

_MARKS = ("ours", "paper", "real")
_SHAPES = ("circle", "diamond", "square")
_LINES = (BLUE, GREEN, PURPLE, GREY)
_WHOLE = (0.0, 1.0)
_BEND = 0.07
_PIECES = 10


class Beside(NamedTuple):
    """One place in such a picture: a line of its axis, and one of several in it."""

    line: str
    arm: str
    mean: float = math.nan
    low: float = math.nan
    high: float = math.nan
    spread: tuple[float, float] = (math.nan, math.nan)
    paper: float = math.nan
    real: float = math.nan


@ChartFunction
def beside_paper(rows: Sequence[Beside], *, words: Words | None = None, width: Width = WIDTH) -> Drawing:
    """A dot with its interval for ours, a faint bar for our single lessons, a diamond for the paper's lesson, a square
    for the real one; several arms in each line."""
    say = saying(words)
    known = [row for row in rows if any(map(math.isfinite, (row.mean, row.paper, row.real)))]
    if not known:
        return empty("nothing_to_compare", say, width)
    lines, arms = (tuple(dict.fromkeys(getattr(row, name) for row in known)) for name in ("line", "arm"))
    data = {
        "bars": [
            {"line": row.line, "arm": row.arm, "low": row.low, "high": row.high}
            for row in known
            if math.isfinite(row.low)
        ],
        "spreads": [
            {"line": row.line, "arm": row.arm, "from": row.spread[0], "to": row.spread[1]}
            for row in known
            if math.isfinite(row.spread[0])
        ],
        "points": _points(known, say),
    }
    return Drawing(_beside, (lines, arms, tuple(name for name in data if data[name]), say, width), data)


def _points(rows: Iterable[Beside], say: Say) -> Rows:
    found: Rows = []
    for row in rows:
        for mark, value in zip(_MARKS, (row.mean, row.paper, row.real), strict=True):
            if math.isfinite(value):
                found.append(
                    {"line": row.line, "arm": row.arm, "mark": say(f"legend.{mark}"), "value": value, "key": mark}
                )
    return found


def _beside(lines: tuple[str, ...], arms: tuple[str, ...], layers: tuple[str, ...], say: Say, width: Width) -> Any:
    meanings = in_turn(arms)
    place: dict[str, Any] = {
        "y": alt.Y("line:N", title=None, sort=list(lines), axis=alt.Axis(labelLimit=230, grid=True)),
        "color": colours("arm", meanings, legend=_arms_legend(arms)),
    }
    if len(arms) > 1:
        place["yOffset"] = alt.YOffset("arm:N", sort=list(arms), scale=alt.Scale(paddingOuter=0.3))
    spreads = alt.Chart(source("spreads")).mark_rule(strokeWidth=7, opacity=0.22)
    bars = alt.Chart(source("bars")).mark_rule(strokeWidth=2.5, strokeCap="round")
    marks = [say(f"legend.{mark}") for mark in _MARKS]
    points = (
        alt.Chart(source("points"))
        .mark_point(filled=True, size=75, opacity=1, stroke="#ffffff", strokeWidth=0.6)
        .encode(
            **place,
            x=_x("value"),
            shape=alt.Shape(
                "mark:N",
                title=None,
                scale=alt.Scale(domain=marks, range=list(_SHAPES)),
                legend=legend(symbolType="circle", columns=1, labelLimit=320, symbolFillColor=GREY),
            ),
            tooltip=[
                alt.Tooltip("line:N", title=say("measure")),
                alt.Tooltip("arm:N", title=say("arm")),
                alt.Tooltip("mark:N", title=say("kind")),
                alt.Tooltip("value:Q", title=say("value"), format=".3f"),
            ],
        )
    )
    drawn = {
        "spreads": spreads.encode(**place, x=_x("from"), x2="to:Q"),
        "bars": bars.encode(**place, x=_x("low"), x2="high:Q"),
        "points": points,
    }
    chosen = [drawn[name] for name in ("spreads", "bars", "points") if name in layers]
    return alt.layer(*chosen, width=width, height=(15 * len(arms) + 8) * len(lines))


def _x(field: str) -> alt.X:
    return alt.X(f"{field}:Q", title=None, scale=alt.Scale(zero=False, nice=True))


def _arms_legend(arms: Sequence[str]) -> alt.Legend | None:
    return legend(symbolType="circle", columns=4, labelLimit=200, symbolOpacity=1) if len(arms) > 1 else None


class Point(NamedTuple):
    """A session of one line."""

    line: str
    session: int
    mean: float
    low: float
    high: float
    paper: float


@ChartFunction
def over_sessions(points: Sequence[Point], *, words: Words | None = None, width: Width = WIDTH) -> Drawing:
    """Lines from session to session: ours with its interval, the paper's broken."""
    say = saying(words)
    known = [point for point in points if math.isfinite(point.mean)]
    if not known:
        return empty("nothing_to_compare", say, width)
    lines = tuple(dict.fromkeys(point.line for point in known))
    ours = [
        {
            "line": point.line,
            "session": point.session,
            "mean": point.mean,
            "low": point.low if math.isfinite(point.low) else point.mean,
            "high": point.high if math.isfinite(point.high) else point.mean,
        }
        for point in known
    ]
    papers = [
        {"line": point.line, "session": point.session, "mean": point.paper}
        for point in known
        if math.isfinite(point.paper)
    ]
    return Drawing(_sessions, (lines, say, width), {"ours": ours, "papers": papers})


def _sessions(lines: tuple[str, ...], say: Say, width: Width) -> Any:
    meanings = {line: _LINES[place % len(_LINES)] for place, line in enumerate(lines)}
    x = alt.X("session:O", title=say("session_axis"), axis=alt.Axis(labelAngle=0))
    y = alt.Y("mean:Q", title=None, scale=alt.Scale(domain=list(_WHOLE)), axis=alt.Axis(format="%", tickCount=5))
    told = [
        alt.Tooltip("line:N", title=say("measure")),
        alt.Tooltip("session:O", title=say("session_axis")),
        alt.Tooltip("mean:Q", title=say("mean"), format=".3f"),
    ]
    marks = shapes("line", meanings, columns=4, labelLimit=220)
    base = alt.Chart(source("ours")).encode(x=x, color=marks["color"])
    band = base.mark_area(opacity=0.18).encode(y=alt.Y("low:Q", title=None), y2="high:Q")
    line = base.mark_line(strokeWidth=2.5).encode(y=y)
    dots = base.mark_point(filled=True, size=70, opacity=1).encode(y=y, shape=marks["shape"], tooltip=told)
    paper = alt.Chart(source("papers")).encode(x=x, y=y, color=marks["color"])
    dashes = paper.mark_line(strokeWidth=2, strokeDash=[6, 4])
    rings = paper.mark_point(fill="#ffffff", size=70, opacity=1).encode(shape=marks["shape"], tooltip=told)
    return alt.layer(band, line, dots, dashes, rings, width=width, height=260)


class Difference(NamedTuple):
    """A contrast: ours and the paper's."""

    line: str
    difference: float
    low: float
    high: float
    paper: float
    verdict: str


@ChartFunction
def contrasts_beside_paper(rows: Sequence[Difference], *, words: Words | None = None, width: Width = WIDTH) -> Drawing:
    """Differences around zero: ours with its interval, green where all of it is above zero; the paper's a diamond."""
    say = saying(words)
    known = [row for row in rows if math.isfinite(row.difference)]
    if not known:
        return empty("nothing_to_compare", say, width)
    ours = [
        {
            "line": row.line,
            "value": row.difference,
            "verdict": row.verdict,
            "low": row.low if math.isfinite(row.low) else row.difference,
            "high": row.high if math.isfinite(row.high) else row.difference,
        }
        for row in known
    ]
    papers = [{"line": row.line, "value": row.paper} for row in known if math.isfinite(row.paper)]
    lines = tuple(dict.fromkeys(row.line for row in known))
    return Drawing(_contrasts, (lines, say, width), {"ours": ours, "papers": papers})


def _contrasts(lines: tuple[str, ...], say: Say, width: Width) -> Any:
    y = alt.Y("line:N", title=None, sort=list(lines), axis=alt.Axis(labelLimit=330, grid=True))
    verdicts = {"holds": GREEN, "uncertain": GREY, "fails": VERMILION, "unknown": GREY}
    zero = line_at(x=alt.datum(0))
    base = alt.Chart(source("ours")).encode(
        y=y,
        color=alt.Color(
            "verdict:N", scale=alt.Scale(domain=list(verdicts), range=list(verdicts.values())), legend=None
        ),
        tooltip=[
            alt.Tooltip("line:N", title=say("measure")),
            alt.Tooltip("value:Q", title=say("difference"), format="+.3f"),
            alt.Tooltip("low:Q", title=say("interval_from"), format="+.3f"),
            alt.Tooltip("high:Q", title=say("interval_to"), format="+.3f"),
        ],
    )
    axis = alt.Axis(format="+.2~f")
    bars = base.mark_rule(strokeWidth=3, strokeCap="round").encode(x=alt.X("low:Q", title=None, axis=axis), x2="high:Q")
    dots = base.mark_circle(size=90, opacity=1).encode(x="value:Q")
    papers = (
        alt.Chart(source("papers"))
        .mark_point(shape="diamond", size=80, color=ARMS[1], filled=False, strokeWidth=2, opacity=1)
        .encode(y=y, x="value:Q", tooltip=[alt.Tooltip("value:Q", title=say("legend.paper"), format="+.3f")])
    )
    return alt.layer(zero, bars, dots, papers, width=width, height=22 * len(lines))


class Web(NamedTuple):
    """A network: how often each pair had an exchange."""

    title: str
    students: tuple[str, ...]
    shares: Mapping[tuple[str, str], float]


@ChartFunction
def exchange_networks(webs: Sequence[Web], *, words: Words | None = None, width: Width = WIDTH) -> Drawing:
    """Networks side by side: the wider a line, the larger the share of lessons in which the two had an exchange."""
    say = saying(words)
    if not any(web.shares for web in webs):
        return empty("no_exchange", say, width)
    lines: Rows = []
    discs: Rows = []
    for number, web in enumerate(webs):
        places = _circle(web.students, number)
        for (one, other), share in web.shares.items():
            lines += _line(number, (one, other), share, places)
        for name, (x, y) in places.items():
            part = [share for pair, share in web.shares.items() if name in pair]
            met = sum(part) / max(len(web.students) - 1, 1)
            discs.append({"x": x, "y": y, "name": name, "met": met, "above": y + 0.27 if y >= 0 else y - 0.27})
    titles = [{"title": web.title, "x": 3.0 * number, "y": 1.75} for number, web in enumerate(webs)]
    return Drawing(_webs, (len(webs), say, width), {"lines": lines, "discs": discs, "titles": titles})


def _circle(students: Sequence[str], number: int) -> dict[str, tuple[float, float]]:
    turn = 2 * math.pi / max(len(students), 1)
    return {
        name: (3.0 * number + math.sin(place * turn), math.cos(place * turn)) for place, name in enumerate(students)
    }


def _line(number: int, pair: tuple[str, str], share: float, places: Mapping[str, tuple[float, float]]) -> Rows:
    """A slightly bent line: straight ones through the middle would lie on one another."""
    (x, y), (x2, y2) = places[pair[0]], places[pair[1]]
    middle = (x + x2) / 2 + _BEND * (y2 - y), (y + y2) / 2 - _BEND * (x2 - x)
    rows: Rows = []
    for piece in range(_PIECES + 1):
        t = piece / _PIECES
        a, b, c = (1 - t) ** 2, 2 * t * (1 - t), t**2
        rows.append(
            {
                "line": f"{number} {pair[0]} {pair[1]}",
                "pair": " – ".join(pair),
                "share": share,
                "order": piece,
                "x": a * x + b * middle[0] + c * x2,
                "y": a * y + b * middle[1] + c * y2,
            }
        )
    return rows


def _webs(number: int, say: Say, width: Width) -> Any:
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[-1.5, 3.0 * (number - 1) + 1.5], nice=False))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[-1.6, 1.9], nice=False))
    lines = (
        alt.Chart(source("lines"))
        .mark_line(color=BLUE, strokeCap="round", opacity=0.75)
        .encode(
            x=x,
            y=y,
            detail="line:N",
            order="order:Q",
            strokeWidth=alt.StrokeWidth("share:Q", scale=alt.Scale(domain=list(_WHOLE), range=[0, 9]), legend=None),
            tooltip=[
                alt.Tooltip("pair:N", title=say("pairs")),
                alt.Tooltip("share:Q", title=say("legend.share_of_lessons"), format=".0%"),
            ],
        )
    )
    discs = (
        alt.Chart(source("discs"))
        .mark_circle(color=BLUE, opacity=1, stroke="#ffffff", strokeWidth=1.5)
        .encode(
            x=x,
            y=y,
            size=alt.Size("met:Q", scale=alt.Scale(domain=list(_WHOLE), range=[60, 700]), legend=None),
            tooltip=[alt.Tooltip("name:N", title=say("name")), alt.Tooltip("met:Q", title=say("share"), format=".0%")],
        )
    )
    names = alt.Chart(source("discs")).mark_text(fontSize=11).encode(x=x, y=alt.Y("above:Q", axis=None), text="name:N")
    titles = alt.Chart(source("titles")).mark_text(fontSize=12, fontWeight=600).encode(x=x, y=y, text="title:N")
    return alt.layer(lines, discs, names, titles, width=width, height=250)
