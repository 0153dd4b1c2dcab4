"""Who asked whom, and what became of it: as a network, and as a table of a class too large for one."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd

from eduverse_mesa.measures.networks import centralities, peer_graph
from eduverse_mesa.visualization.charts.drawing import ChartFunction, Drawing, empty, source
from eduverse_mesa.visualization.charts.frame import (
    WIDTH,
    Rows,
    Say,
    Width,
    Words,
    colours,
    legend,
    named,
    saying,
)
from eduverse_mesa.visualization.palette import BLUE, REQUEST

Pair = tuple[str, str]

LARGE = 14
"""From this many students on a network is a ball of wool."""

_BEND = 0.12
_PIECES = 12


@ChartFunction
def request_network(
    requests: pd.DataFrame,
    students: Sequence[str] = (),
    *,
    words: Words | None = None,
    width: Width = WIDTH,
    height: int = 340,
) -> Drawing:
    """Students in a circle, in the class's order. A line tapers from who asked to who was asked; a larger disc has more
    exchanges (degree centrality)."""
    say = saying(words)
    fates = _fates(requests)
    everybody = list(dict.fromkeys([*students, *(name for pair in fates for name in pair)]))
    if not everybody:
        return empty("no_requests_yet", say, width)
    places = _circle(everybody)
    names = named(everybody)
    rows = {
        "lines": [row for pair, counted in fates.items() for row in _lines(pair, counted, places, names, say)],
        "discs": _discs(requests, fates, places, names),
    }
    return Drawing(_network, (say, width, height), rows)


@ChartFunction
def request_matrix(
    requests: pd.DataFrame, students: Sequence[str] = (), *, words: Words | None = None, width: Width = WIDTH
) -> Drawing:
    """Rows asked columns: the fuller the colour, the more requests were taken up; a ring stands for those refused."""
    say = saying(words)
    fates = _fates(requests)
    everybody = list(dict.fromkeys([*students, *(name for pair in fates for name in pair)]))
    if not everybody:
        return empty("no_requests_yet", say, width)
    names = named(everybody)
    rows = [
        {
            "sender": names[sender],
            "receiver": names[receiver],
            **{status: counted[status] for status in REQUEST},
            "ev_on": {"pair": [sender, receiver]},
        }
        for (sender, receiver), counted in fates.items()
    ]
    return Drawing(_matrix, (tuple(names.values()), say, width), {"pairs": rows})


def _fates(requests: pd.DataFrame) -> dict[Pair, Counter[str]]:
    """What became of the requests of each pair."""
    fates: dict[Pair, Counter[str]] = {}
    columns = (requests[name].tolist() for name in ("sender", "receiver", "status"))
    for sender, receiver, status in zip(*columns, strict=True):
        fates.setdefault((sender, receiver), Counter())[status] += 1
    return fates


def _circle(everybody: Sequence[str]) -> dict[str, tuple[float, float]]:
    turn = 2 * math.pi / len(everybody)
    return {name: (math.sin(place * turn), math.cos(place * turn)) for place, name in enumerate(everybody)}


def _lines(
    pair: Pair, counted: Counter[str], places: dict[str, tuple[float, float]], names: dict[str, str], say: Say
) -> Rows:
    """A bent line for each fate: thick where it begins. Bent, so that both ways between two students can be seen."""
    (x, y), (x2, y2) = places[pair[0]], places[pair[1]]
    told = {
        "pair": f"{names[pair[0]]} → {names[pair[1]]}",
        **{status: counted[status] for status in REQUEST},
        "ev_on": {"pair": list(pair)},
    }
    rows: Rows = []
    for number, status in enumerate(REQUEST):
        if not counted[status]:
            continue
        bend = _BEND * (number + 1)
        middle = (x + x2) / 2 + bend * (y2 - y), (y + y2) / 2 - bend * (x2 - x)
        for piece in range(_PIECES + 1):
            t = piece / _PIECES
            rows.append(
                {
                    "line": f"{pair[0]}\n{pair[1]}\n{status}",
                    "order": piece,
                    "x": (1 - t) ** 2 * x + 2 * t * (1 - t) * middle[0] + t**2 * x2,
                    "y": (1 - t) ** 2 * y + 2 * t * (1 - t) * middle[1] + t**2 * y2,
                    "thick": (1 - t) * min(2 + 2 * counted[status], 12) + 0.5,
                    "status": say(status),
                    **told,
                }
            )
    return rows


def _discs(
    requests: pd.DataFrame,
    fates: dict[Pair, Counter[str]],
    places: dict[str, tuple[float, float]],
    names: dict[str, str],
) -> Rows:
    central = centralities(peer_graph(requests)).set_index("student")["degree"].to_dict()
    asked: Counter[str] = Counter()
    accepted: Counter[str] = Counter()
    for (sender, receiver), counted in fates.items():
        asked[sender] += counted.total()
        accepted[receiver] += counted["accepted"]
    return [
        {
            "name": names[name],
            "x": x,
            "y": y,
            "label_y": y + (0.2 if y >= 0 else -0.2),
            "degree": central.get(name, 0.0),
            "asked": asked[name],
            "took_up": accepted[name],
            "ev_on": {"student": name},
        }
        for name, (x, y) in places.items()
    ]


def _network(say: Say, width: Width, height: int) -> Any:
    plane = alt.Scale(domain=[-1.35, 1.35], nice=False)
    x, y = alt.X("x:Q", axis=None, scale=plane), alt.Y("y:Q", axis=None, scale=plane)
    counts = [alt.Tooltip(f"{status}:Q", title=say(status)) for status in REQUEST]
    lines = (
        alt.Chart(source("lines"))
        .mark_trail(opacity=0.75)
        .encode(
            x=x,
            y=y,
            order="order:Q",
            detail="line:N",
            size=alt.Size("thick:Q", legend=None, scale=alt.Scale(domain=[0, 12], range=[0, 12])),
            color=colours(
                "status", REQUEST, say, legend=legend(symbolType="stroke", symbolStrokeWidth=4, symbolOpacity=1)
            ),
            tooltip=[alt.Tooltip("pair:N", title=say("asked")), *counts],
        )
    )
    told = [
        alt.Tooltip("name:N", title=say("student")),
        alt.Tooltip("asked:Q", title=say("asked")),
        alt.Tooltip("took_up:Q", title=say("took_up")),
        alt.Tooltip("degree:Q", title=say("degree_centrality"), format=".2f"),
    ]
    base = alt.Chart(source("discs")).encode(x=x, tooltip=told)
    discs = base.mark_circle(color=BLUE, opacity=1, cursor="pointer").encode(
        y=y, size=alt.Size("degree:Q", legend=None, scale=alt.Scale(domain=[0, 2], range=[160, 900]))
    )
    labels = base.mark_text(fontSize=11, limit=100).encode(y=alt.Y("label_y:Q"), text="name:N")
    return alt.layer(lines, discs, labels, width=width, height=height).resolve_scale(size="independent")


def _matrix(names: tuple[str, ...], say: Say, width: Width) -> Any:
    order = list(names)
    scale = alt.Scale(domain=order)
    counts = [alt.Tooltip(f"{status}:Q", title=say(status)) for status in REQUEST]
    base = alt.Chart(source("pairs")).encode(
        x=alt.X("receiver:N", title=say("was_asked"), scale=scale, axis=alt.Axis(labelAngle=-60, labelLimit=80)),
        y=alt.Y("sender:N", title=say("asked"), scale=scale, axis=alt.Axis(labelLimit=90)),
        tooltip=[
            alt.Tooltip("sender:N", title=say("asked")),
            alt.Tooltip("receiver:N", title=say("was_asked")),
            *counts,
        ],
    )
    strength = alt.Opacity("accepted:Q", legend=None, scale=alt.Scale(domain=[0, 4], range=[0, 1], clamp=True))
    cells = base.mark_rect(cursor="pointer").encode(
        color=alt.value(REQUEST["accepted"]),
        opacity=strength,
    )
    rings = base.transform_filter("datum.rejected > 0").mark_point(
        shape="circle", size=60, strokeWidth=1.5, stroke=REQUEST["rejected"], filled=False, opacity=1
    )
    return alt.layer(cells, rings, width=width, height=18 * len(names))
