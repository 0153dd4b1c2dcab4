"""Charts of experiments: beside the paper, beside real classes, sensitivity and calibration."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

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
    saying,
    shapes,
    source,
)
from eduverse_mesa.visualization.palette import ARMS, BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILION, in_turn

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


_OURS, _REAL, _SHUFFLED = "simulated", "real", "simulated, turns in any order"
_QUANTILES = ("q10", "q25", "q50", "q75", "q90")


def spread_beside_real(measures: pd.DataFrame, width: int = WIDTH) -> Any:
    """Of each measure the middle 80 % (thin), the middle half (thick) and the median, ours and the real lessons', in
    the real lessons' standard deviations from their mean. Columns as in experiments.realism.Realism.measures."""
    rows = []
    for row in measures.to_dict("records"):
        scale = row["real_sd"]
        if not scale > 0:
            continue
        for who, prefix in ((_OURS, ""), (_REAL, "real_")):
            found = {name: (row[prefix + name] - row["real_mean"]) / scale for name in _QUANTILES}
            if found["q50"] == found["q50"]:
                rows.append({"measure": str(row["measure"]).replace("_", " "), "who": who, **found})
    order = list(dict.fromkeys(row["measure"] for row in rows))
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        y=alt.Y("measure:N", sort=order, title=None, axis=alt.Axis(labelLimit=270, grid=True)),
        yOffset=alt.YOffset("who:N", sort=[_OURS, _REAL]),
        color=_colours([_OURS, _REAL], [ARMS[0], GREY]),
        tooltip=["measure:N", "who:N", *(alt.Tooltip(f"{name}:Q", format="+.2f") for name in _QUANTILES)],
    )
    title = "standard deviations of real lessons from their mean"
    thin = base.mark_rule(strokeWidth=1.5).encode(x=alt.X("q10:Q", title=title), x2="q90:Q")
    thick = base.mark_rule(strokeWidth=6).encode(x="q25:Q", x2="q75:Q")
    middle = base.mark_point(filled=True, size=45, fill="#ffffff", strokeWidth=2, opacity=1).encode(x="q50:Q")
    return alt.layer(thin, thick, middle, width=width - 290, height=26 * max(len(order), 1))


def gaps_beside_real(gaps: pd.DataFrame, width: int = WIDTH) -> Any:
    """Each contingency gap: ours, ours with the turns in any order, and the real lessons', with what is near enough."""
    rows, bands = [], []
    for row in gaps.to_dict("records"):
        name = str(row["gap"]).removeprefix("gap_").replace("_", " ")
        bands.append({"gap": name, "low": row["real_mean"] - 0.1, "high": row["real_mean"] + 0.1})
        for who, column in ((_OURS, "mean"), (_SHUFFLED, "shuffled"), (_REAL, "real_mean")):
            if row[column] == row[column]:
                rows.append({"gap": name, "who": who, "value": row[column]})
    y = alt.Y("gap:N", title=None, sort=[band["gap"] for band in bands], axis=alt.Axis(labelLimit=270, grid=True))
    near = (
        alt.Chart(alt.InlineData(values=bands))
        .mark_rule(strokeWidth=12, color=GREY, opacity=0.3)
        .encode(y=y, x=alt.X("low:Q", title="difference of shares"), x2="high:Q")
    )
    dots = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_point(filled=True, size=110, opacity=1)
        .encode(
            y=y,
            x="value:Q",
            color=_colours([_OURS, _SHUFFLED, _REAL], [ARMS[0], ORANGE, GREY]),
            shape=alt.Shape("who:N", sort=[_OURS, _SHUFFLED, _REAL], legend=None),
            tooltip=["gap:N", "who:N", alt.Tooltip("value:Q", format=".3f")],
        )
    )
    return alt.layer(near, dots, width=width - 290, height=34 * max(len(bands), 1))


def _colours(names: list[str], shades: list[str]) -> alt.Color:
    return alt.Color("who:N", title=None, scale=alt.Scale(domain=names, range=shades), legend=legend(columns=3))


Method = Literal["morris", "sobol"]
_FIRST = {"morris": ("mu_star", "mu_star_conf", "mu*"), "sobol": ("ST", "ST_conf", "total effect ST")}
_MOST = 40


def effects(indices: pd.DataFrame, method: Method, chance: float | None = None, width: int = WIDTH) -> Any:
    """The inputs of one measure by their effects, each with its 95 % interval; of Sobol's method the effect alone (S1)
    beside the total one. `chance` is where luck would reach."""
    column, half, title = _FIRST[method]
    shown = indices[indices[column].notna()].nlargest(_MOST, column)
    rows = [
        {"input": row["input"], "which": title, "value": row[column], "half": row[half]}
        for row in shown.to_dict("records")
    ]
    if method == "sobol":
        rows += [
            {"input": row["input"], "which": "alone S1", "value": row["S1"], "half": row["S1_conf"]}
            for row in shown.to_dict("records")
        ]
    for row in rows:
        row["low"], row["high"] = row["value"] - row["half"], row["value"] + row["half"]
    names = [title, "alone S1"] if method == "sobol" else [title]
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        y=alt.Y("input:N", sort=shown["input"].tolist(), title=None, axis=alt.Axis(labelLimit=260)),
        yOffset=alt.YOffset("which:N", sort=names),
        color=alt.Color(
            "which:N",
            title=None,
            scale=alt.Scale(domain=names, range=[ARMS[0], ORANGE][: len(names)]),
            legend=alt.Legend(orient="bottom") if len(names) > 1 else None,
        ),
        tooltip=["input:N", "which:N", alt.Tooltip("value:Q", format=".4f"), alt.Tooltip("half:Q", format=".4f")],
    )
    bars = base.mark_bar(opacity=0.75).encode(x=alt.X("value:Q", title=title))
    spans = base.mark_rule(strokeWidth=1.5, color=GREY).encode(x="low:Q", x2="high:Q", color=alt.value(GREY))
    layers = [bars, spans]
    if chance is not None and chance == chance:
        mark = alt.Chart(alt.InlineData(values=[{}])).mark_rule(strokeDash=[4, 3], color=GREY)
        layers.append(mark.encode(x=alt.datum(chance)))
    return alt.layer(*layers, width=width - 280, height=(12 * len(names) + 6) * max(len(shown), 1))


def effects_of_all(indices: pd.DataFrame, method: Method, width: int = WIDTH) -> Any:
    """Every input and measure: the darker, the nearer to what matters most for the measure."""
    column = _FIRST[method][0]
    largest = indices.groupby("measure")[column].transform("max")
    table = indices.assign(share=(indices[column] / largest).where(largest > 0))
    order = table.groupby("input")["share"].mean().sort_values(ascending=False, kind="stable").index.tolist()[:_MOST]
    rows = [
        {"input": row["input"], "measure": row["measure"], "share": row["share"], "value": row[column]}
        for row in table[table["input"].isin(order)].to_dict("records")
        if row["share"] == row["share"]
    ]
    chart = alt.Chart(alt.InlineData(values=rows)).mark_rect()
    return chart.encode(
        x=alt.X("measure:N", title=None, sort=list(dict.fromkeys(indices["measure"])), axis=alt.Axis(labelAngle=-40)),
        y=alt.Y("input:N", title=None, sort=order, axis=alt.Axis(labelLimit=260)),
        color=alt.Color("share:Q", title="share of the largest", scale=alt.Scale(scheme="blues", domain=[0, 1])),
        tooltip=["input:N", "measure:N", alt.Tooltip("value:Q", format=".4f"), alt.Tooltip("share:Q", format=".2f")],
    ).properties(width=width - 330, height=18 * max(len(order), 1))


def interplay(indices: pd.DataFrame, width: int = WIDTH) -> Any:
    """Morris' plane: far right matters, high up depends on the other inputs or is not a straight line."""
    table = indices[["input", "mu_star", "sigma"]].dropna()
    rows: list[dict[str, Any]] = [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("mu_star:Q", title="mu*"),
        y=alt.Y("sigma:Q", title="sigma"),
        tooltip=["input:N", "mu_star:Q", "sigma:Q"],
    )
    dots = base.mark_circle(size=70, color=ARMS[0], opacity=0.8)
    names = base.mark_text(align="left", dx=6, fontSize=10, color=GREY).encode(text="input:N")
    return alt.layer(dots, names, width=width - 100, height=260)


_BEFORE, _AFTER = "before", "fitted"


def learned(spread: pd.DataFrame, width: int = WIDTH) -> Any:
    """Of each parameter the middle 95 % before (grey) and after the fit, in standard deviations of what was expected.
    Columns as of experiments.calibration.Fit.spread."""
    rows = []
    for row in spread.sort_values("learned", ascending=False).to_dict("records"):
        scale, middle = row["prior_sd"], row["prior_mean"]
        if not scale > 0:
            continue
        common = {"parameter": row["parameter"], "learned": row["learned"]}
        rows.append({**common, "when": _BEFORE, "low": -1.96, "high": 1.96, "mean": 0.0})
        after = {name: (row[name] - middle) / scale for name in ("low", "high", "mean")}
        rows.append({**common, "when": _AFTER, **after})
    order = list(dict.fromkeys(row["parameter"] for row in rows))
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        y=alt.Y("parameter:N", sort=order, title=None, axis=alt.Axis(labelLimit=270, grid=True)),
        yOffset=alt.YOffset("when:N", sort=[_BEFORE, _AFTER]),
        color=_calibration_colours(),
        tooltip=["parameter:N", "when:N", alt.Tooltip("mean:Q", format="+.2f"), alt.Tooltip("learned:Q", format=".0%")],
    )
    bars = base.mark_rule(strokeWidth=3).encode(
        x=alt.X("low:Q", title="standard deviations of what was expected, from it"), x2="high:Q"
    )
    middle = base.mark_point(filled=True, size=40, opacity=1).encode(x="mean:Q")
    return alt.layer(bars, middle, width=width - 290, height=18 * max(len(order), 1))


def beside_targets(targets: pd.DataFrame, width: int = WIDTH) -> Any:
    """Each target against what is reached, before and after, by group. Columns as of Calibration.targets."""
    rows = []
    for row in targets.to_dict("records"):
        for when, column in ((_BEFORE, "before"), (_AFTER, "after")):
            if row[column] == row[column]:
                named = {name: row[name] for name in ("target", "group", "wanted")}
                rows.append({**named, "when": when, "reached": row[column]})
    base = alt.Chart(alt.InlineData(values=rows))
    dots = base.mark_point(filled=True, size=45, opacity=0.8).encode(
        x=alt.X("wanted:Q", title="wanted", scale=alt.Scale(zero=False)),
        y=alt.Y("reached:Q", title="reached", scale=alt.Scale(zero=False)),
        color=_calibration_colours(),
        tooltip=["target:N", "when:N", alt.Tooltip("wanted:Q", format=".3f"), alt.Tooltip("reached:Q", format=".3f")],
    )
    line = base.mark_line(color=GREY, strokeDash=[4, 3]).encode(x="wanted:Q", y="wanted:Q")
    side = (width - 90) // 2
    layered = alt.layer(line, dots, width=side - 40, height=side - 100)
    return layered.facet(alt.Facet("group:N", title=None), columns=2).resolve_scale(x="independent", y="independent")


def profiled(profiles: pd.DataFrame, width: int = WIDTH) -> Any:
    """The misfit along each parameter, the fitted value marked. Columns as of
    experiments.calibration.report.profile."""
    rows = [{str(name): value for name, value in row.items()} for row in profiles.to_dict("records")]
    base = alt.Chart(alt.InlineData(values=rows))
    line = base.mark_line(color=ARMS[0], point=True).encode(
        x=alt.X("value:Q", title=None, scale=alt.Scale(zero=False)),
        y=alt.Y("misfit:Q", title="misfit", scale=alt.Scale(zero=False)),
        tooltip=["parameter:N", alt.Tooltip("value:Q", format=".3f"), alt.Tooltip("misfit:Q", format=".3f")],
    )
    fitted = base.mark_rule(color=GREY, strokeDash=[4, 3]).encode(x="mean(fitted):Q")
    side = (width - 120) // 3
    layered = alt.layer(fitted, line, width=side - 30, height=side - 60)
    return layered.facet(alt.Facet("parameter:N", title=None), columns=3).resolve_scale(
        x="independent", y="independent"
    )


def _calibration_colours() -> Any:
    scale = alt.Scale(domain=[_BEFORE, _AFTER], range=[GREY, ARMS[0]])
    return alt.Color("when:N", title=None, scale=scale, legend=legend())
