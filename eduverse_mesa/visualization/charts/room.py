"""The room from above, and who talked with whom in it."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from eduverse_mesa.visualization.charts.frame import WIDTH, nothing
from eduverse_mesa.visualization.palette import BLUE, GREY, ORANGE, VERMILION
from eduverse_mesa.visualization.tables import Room

_PEOPLE = ("student", "teacher")
_MARGIN = 1.5


def room_plan(room: Room) -> Any:
    """Board, furniture, people and the links of the seat graph, front at the top."""
    if not room.things:
        return nothing("An empty room")
    return _links(room, room.edges, GREY) + _furniture(room) + _people(room)


def interaction_network(room: Room, requests: pd.DataFrame) -> Any:
    """Accepted exchanges between students, at their seats; the wider, the more often."""
    accepted = requests[requests["status"] == "accepted"]
    if accepted.empty or not room.things:
        return nothing("No exchange between students was taken up")
    pairs = [tuple(sorted(pair)) for pair in zip(accepted["sender"], accepted["receiver"], strict=True)]
    return _links(room, pairs, ORANGE) + _people(room)


def _scales(room: Room) -> tuple[alt.X, alt.Y]:
    # The board is at the top: rows are counted from it.
    left, top, right, bottom = _bounds(room)
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[left, right], nice=False))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[bottom, top], nice=False))
    return x, y


def _bounds(room: Room) -> tuple[float, float, float, float]:
    """The part of the room in which there is anything, with a margin."""
    across, down = [thing["x"] for thing in room.things], [thing["y"] for thing in room.things]
    return min(across) - _MARGIN, min(down) - _MARGIN, max(across) + _MARGIN, max(down) + _MARGIN


def _size(room: Room) -> dict[str, Any]:
    left, top, right, bottom = _bounds(room)
    return {"width": WIDTH, "height": round(WIDTH * (bottom - top) / (right - left))}


def _links(room: Room, pairs: list[Any], colour: str) -> Any:
    places = {thing["name"]: thing for thing in room.things if thing["kind"] in _PEOPLE}
    counts: dict[tuple[str, str], int] = {}
    for one, other in pairs:
        counts[one, other] = counts.get((one, other), 0) + 1
    rows = [
        {
            "x": places[one]["x"],
            "y": places[one]["y"],
            "x2": places[other]["x"],
            "y2": places[other]["y"],
            "pair": f"{one}, {other}",
            "times": times,
        }
        for (one, other), times in counts.items()
        if one in places and other in places
    ]
    frame = pd.DataFrame(rows, columns=["x", "y", "x2", "y2", "pair", "times"])
    x, y = _scales(room)
    return (
        alt.Chart(frame, **_size(room))
        .mark_rule(color=colour, opacity=0.7)
        .encode(
            x=x,
            y=y,
            x2="x2:Q",
            y2="y2:Q",
            strokeWidth=alt.StrokeWidth("times:Q", legend=None, scale=alt.Scale(domain=[1, 6], range=[1.5, 7])),
            tooltip=["pair:N", "times:Q"],
        )
    )


def _furniture(room: Room) -> Any:
    rows = [thing for thing in room.things if thing["kind"] not in _PEOPLE]
    frame = pd.DataFrame(rows, columns=["x", "y", "kind", "name"])
    x, y = _scales(room)
    base = alt.Chart(frame, **_size(room)).encode(x=x, y=y, tooltip=["name:N", "kind:N"])
    names = base.mark_text(dy=-14, fontSize=9, color=GREY, opacity=0.8).encode(text="name:N")
    return base.mark_square(size=150, color=GREY, opacity=0.45) + names


def _people(room: Room) -> Any:
    rows = [thing for thing in room.things if thing["kind"] in _PEOPLE]
    frame = pd.DataFrame(rows, columns=["x", "y", "kind", "name"])
    x, y = _scales(room)
    colour = alt.Color(
        "kind:N",
        title=None,
        legend=alt.Legend(orient="bottom"),
        scale=alt.Scale(domain=list(_PEOPLE), range=[BLUE, VERMILION]),
    )
    base = alt.Chart(frame, **_size(room)).encode(x=x, y=y, tooltip=["name:N", "kind:N"])
    few = len(rows) <= 40
    dots = base.mark_circle(size=260 if few else 90, opacity=1).encode(color=colour)
    return dots + base.mark_text(dy=18, fontSize=10, color=GREY).encode(text="name:N") if few else dots
