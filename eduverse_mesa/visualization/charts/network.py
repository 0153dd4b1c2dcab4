"""Who talked with whom."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd

from eduverse_mesa.measures import peer_graph
from eduverse_mesa.visualization.charts.frame import nothing
from eduverse_mesa.visualization.charts.plan import places, plan_of
from eduverse_mesa.visualization.palette import EXCHANGE, ROLE
from eduverse_mesa.visualization.tables import Room

Place = tuple[float, float]

_BEND = 0.14
"""How far a bent line leaves the straight one, as a share of its length."""
_POINTS = 12


def interaction_network(room: Room, requests: pd.DataFrame) -> Any:
    """Requests between students that were taken up, drawn at their seats; the wider the line, the more often."""
    pairs = exchanges(requests)
    students = {name: thing for name, thing in places(room).items() if thing["kind"] == "student"}
    pairs = pairs[pairs["one"].isin(students.keys()) & pairs["other"].isin(students.keys())]
    if pairs.empty:
        return nothing("No student took up what another one wanted.")
    plan = plan_of(students.values())
    seats = {name: (float(thing["x"]), float(thing["y"])) for name, thing in students.items()}
    ends = list(zip(pairs["one"], pairs["other"], strict=True))
    ways = [_way(seats[one], seats[other], list(seats.values())) for one, other in ends]
    lines = pairs.assign(way=ways).explode("way", ignore_index=True)
    lines["x"], lines["y"] = [x for x, _ in lines["way"]], [y for _, y in lines["way"]]
    lines["point"] = range(len(lines))
    labels = pairs.assign(x=[way[len(way) // 2][0] for way in ways], y=[way[len(way) // 2][1] for way in ways])
    # Only lines that lie flat carry their number: on others it would stand in somebody's name.
    flat = [abs(seats[one][1] - seats[other][1]) < abs(seats[one][0] - seats[other][0]) / 2 for one, other in ends]
    times = pd.concat([pairs.set_index("one")["times"], pairs.set_index("other")["times"]]).groupby(level=0).sum()
    nodes = pd.DataFrame(list(students.values()))[["x", "y", "name"]]
    nodes["exchanges"] = [int(times.get(name, 0)) for name in nodes["name"]]
    width = alt.Scale(domain=[1, max(2, int(pairs["times"].max()))], range=[1.5, 9])
    layers = [
        plan.chart(lines.drop(columns="way"))
        .mark_line(color=EXCHANGE, opacity=0.75, strokeCap="round")
        .encode(
            order="point:Q",
            detail="pair:N",
            strokeWidth=alt.StrokeWidth("times:Q", legend=None, scale=width),
            tooltip=["pair:N", "times:Q", "asked:N"],
        ),
        plan.chart(nodes)
        .mark_circle(opacity=1, color=ROLE["student"])
        .encode(
            size=alt.Size("exchanges:Q", legend=None, scale=alt.Scale(domainMin=0, range=[90, 420])),
            tooltip=["name:N", "exchanges:Q"],
        ),
        plan.people(nodes, dy=14),
        plan.names(labels[flat], field="times", dy=-9),
    ]
    return plan.finish(
        layers,
        "Who talked with whom",
        "Students at their seats; a line for every pair with an exchange, with the number of exchanges.",
    )


def _way(one: Place, other: Place, seats: Sequence[Place]) -> list[Place]:
    """The line between two seats: straight, or bent where it would run over somebody else's seat."""
    (x, y), (u, v) = one, other
    middle = ((x + u) / 2, (y + v) / 2)
    bend = 0.0
    for seat in seats:
        if seat not in (one, other) and math.dist(one, seat) + math.dist(seat, other) < 1.02 * math.dist(one, other):
            bend = _BEND
    if not bend:
        return [one, middle, other]
    # A quadratic curve through the middle, which is moved aside: upwards, or to the right.
    side = 1.0 if x < u or (x == u and y < v) else -1.0
    top = (middle[0] + side * bend * (v - y), middle[1] - side * bend * (u - x))
    handle = (2 * top[0] - middle[0], 2 * top[1] - middle[1])
    parts = [place / _POINTS for place in range(_POINTS + 1)]
    return [
        (
            (1 - t) ** 2 * x + 2 * t * (1 - t) * handle[0] + t**2 * u,
            (1 - t) ** 2 * y + 2 * t * (1 - t) * handle[1] + t**2 * v,
        )
        for t in parts
    ]


def exchanges(requests: pd.DataFrame) -> pd.DataFrame:
    """A row a pair, most exchanges first: one, other, times, and who asked how often."""
    graph = peer_graph(requests) if len(requests) else None
    found: dict[tuple[str, str], list[str]] = {}
    times: dict[tuple[str, str], int] = {}
    for sender, receiver, weight in graph.edges(data="weight") if graph is not None else ():
        one, other = sorted((sender, receiver))
        times[one, other] = times.get((one, other), 0) + weight
        found.setdefault((one, other), []).append(f"{sender} {weight}")
    rows = [
        {"one": one, "other": other, "pair": f"{one}, {other}", "times": many, "asked": ", ".join(found[one, other])}
        for (one, other), many in sorted(times.items(), key=lambda item: -item[1])
    ]
    return pd.DataFrame(rows, columns=["one", "other", "pair", "times", "asked"])
