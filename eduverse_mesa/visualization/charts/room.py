"""The room from above: who sits where, who talked with whom, and who takes part where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd

from eduverse_mesa.measures.equity import participation
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
    named,
    saying,
    source,
)
from eduverse_mesa.visualization.palette import BLUE, GREY, ORANGE, ROOM
from eduverse_mesa.visualization.reports.tables import Room

Bounds = tuple[float, float, float, float]

_PEOPLE = ("student", "teacher")
_MARGIN = 1.5
_NAMES_UP_TO = 40
_WIDEST = 420
"""How high a room as wide as its page may become."""


@ChartFunction
def room_plan(room: Room, *, words: Words | None = None, width: Width = WIDTH) -> Drawing:
    """Board, furniture, people and the links of the seat graph, front at the top."""
    say = saying(words)
    if not room.things:
        return empty("an_empty_room", say, width)
    rows = {"links": _links(room, room.edges), "things": _things(room, say), "people": _people(room, say)}
    return Drawing(_plan, (_bounds(room), len(rows["people"]), say, width), rows)


def _plan(bounds: Bounds, people: int, say: Say, width: Width) -> Any:
    place = _place(bounds)
    things = alt.Chart(source("things")).encode(**place, tooltip=_told(say))
    names = things.mark_text(dy=-14, fontSize=9, opacity=0.75, limit=90).encode(text="name:N")
    layers = [_rules(place, GREY, say), things.mark_square(size=150, color=GREY, opacity=0.45), names]
    return alt.layer(*layers, *_faces(place, people, say), **_size(bounds, width))


@ChartFunction
def interaction_network(
    room: Room, requests: pd.DataFrame, *, words: Words | None = None, width: Width = WIDTH
) -> Drawing:
    """Accepted exchanges between students, at their seats; the wider, the more often."""
    say = saying(words)
    accepted = requests[requests["status"] == "accepted"]
    if accepted.empty or not room.things:
        return empty("no_exchange", say, width)
    pairs = [tuple(sorted(pair)) for pair in zip(accepted["sender"], accepted["receiver"], strict=True)]
    rows = {"links": _links(room, pairs), "people": _people(room, say)}
    return Drawing(_exchanges, (_bounds(room, _PEOPLE), len(rows["people"]), say, width), rows)


def _exchanges(bounds: Bounds, people: int, say: Say, width: Width) -> Any:
    place = _place(bounds)
    return alt.layer(_rules(place, ORANGE, say), *_faces(place, people, say), **_size(bounds, width))


@ChartFunction
def action_zone(
    room: Room,
    student_steps: pd.DataFrame,
    teacher_steps: pd.DataFrame,
    *,
    words: Words | None = None,
    width: Width = WIDTH,
) -> Drawing:
    """How much the student of each seat took part: the fuller the colour, the more often."""
    say = saying(words)
    rates = {name: rate for name, rate in participation(student_steps, teacher_steps).items() if rate == rate}
    if not rates or not room.things:
        return empty("no_steps_yet", say, width)
    names = named(thing["name"] for thing in room.things if thing["kind"] == "student")
    seats = [
        {
            "x": thing["x"],
            "y": thing["y"],
            "name": names[thing["name"]],
            "rate": rates[thing["name"]],
            "ev_on": {"student": thing["name"]},
        }
        for thing in room.things
        if thing["kind"] == "student" and thing["name"] in rates
    ]
    marks = [{**row, "name": say(row["kind"])} for row in room.things if row["kind"] in {"teacher", "board"}]
    return Drawing(
        _zone, (_bounds(room, (*_PEOPLE, "board")), len(seats), say, width), {"seats": seats, "marks": marks}
    )


def _zone(bounds: Bounds, people: int, say: Say, width: Width) -> Any:
    place, few = _place(bounds), people <= _NAMES_UP_TO
    told = [
        alt.Tooltip("name:N", title=say("student")),
        alt.Tooltip("rate:Q", title=say("takes_part"), format=".0%"),
    ]
    seats = alt.Chart(source("seats")).encode(**place, tooltip=told)
    strength = alt.Opacity("rate:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[0.06, 1]))
    rings = seats.mark_circle(size=900 if few else 300, fill="transparent", stroke=BLUE, opacity=1)
    discs = seats.mark_circle(size=900 if few else 300, color=BLUE, cursor="pointer").encode(opacity=strength)
    names = seats.mark_text(dy=25, fontSize=10, limit=90).encode(text="name:N")
    marks = alt.Chart(source("marks")).mark_text(fontSize=11, opacity=0.75).encode(**place, text="name:N")
    return alt.layer(rings, discs, *([names] if few else []), marks, **_size(bounds, width))


# --- the parts ---


def _place(bounds: Bounds) -> dict[str, Any]:
    # The board is at the top: rows are counted from it.
    left, top, right, bottom = bounds
    return {
        "x": alt.X("x:Q", axis=None, scale=alt.Scale(domain=[left, right], nice=False)),
        "y": alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[bottom, top], nice=False)),
    }


def _bounds(room: Room, kinds: Sequence[str] = ()) -> Bounds:
    """The part of the room in which there is anything, or anything of these kinds, with a margin."""
    things = [thing for thing in room.things if not kinds or thing["kind"] in kinds]
    across, down = [thing["x"] for thing in things], [thing["y"] for thing in things]
    return min(across) - _MARGIN, min(down) - _MARGIN, max(across) + _MARGIN, max(down) + _MARGIN


def _size(bounds: Bounds, width: Width) -> dict[str, Any]:
    left, top, right, bottom = bounds
    height = round((WIDTH if width == "container" else width) * (bottom - top) / (right - left))
    return {"width": width, "height": min(height, _WIDEST) if width == "container" else height}


def _links(room: Room, pairs: Sequence[tuple[str, ...]]) -> Rows:
    places = {thing["name"]: thing for thing in room.things if thing["kind"] in _PEOPLE}
    names = named(places)
    return [
        {
            "x": places[one]["x"],
            "y": places[one]["y"],
            "x2": places[other]["x"],
            "y2": places[other]["y"],
            "pair": f"{names[one]}, {names[other]}",
            "times": times,
        }
        for (one, other), times in Counter(pairs).items()
        if one in places and other in places
    ]


def _rules(place: dict[str, Any], colour: str, say: Say) -> Any:
    return (
        alt.Chart(source("links"))
        .mark_rule(color=colour, opacity=0.7)
        .encode(
            **place,
            x2="x2:Q",
            y2="y2:Q",
            strokeWidth=alt.StrokeWidth("times:Q", legend=None, scale=alt.Scale(domain=[1, 6], range=[1.5, 7])),
            tooltip=[alt.Tooltip("pair:N", title=say("students")), alt.Tooltip("times:Q", title=say("times"))],
        )
    )


def _things(room: Room, say: Say) -> Rows:
    return [
        {"x": thing["x"], "y": thing["y"], "name": furniture_name(thing["name"], say), "what": say(thing["kind"])}
        for thing in room.things
        if thing["kind"] not in _PEOPLE
    ]


def furniture_name(name: str, say: Say) -> str:
    """A piece of furniture as the words call it, also with a letter or a number: `desk A`; another name stays."""
    if (known := say(name)) != name:
        return known
    what, _, which = name.rpartition(" ")
    return f"{say(what)} {which}" if what and (which.isdecimal() or len(which) == 1) else name


def _people(room: Room, say: Say) -> Rows:
    people = [thing for thing in room.things if thing["kind"] in _PEOPLE]
    names = named(thing["name"] for thing in people)
    return [
        {"x": thing["x"], "y": thing["y"], "name": names[thing["name"]], "what": say(thing["kind"])} for thing in people
    ]


def _faces(place: dict[str, Any], people: int, say: Say) -> list[Any]:
    few = people <= _NAMES_UP_TO
    base = alt.Chart(source("people")).encode(**place, tooltip=_told(say))
    dots = base.mark_circle(size=260 if few else 90, opacity=1).encode(
        color=colours("what", ROOM, say, legend=legend(symbolType="circle"))
    )
    return [dots, base.mark_text(dy=18, fontSize=10, limit=110).encode(text="name:N")] if few else [dots]


def _told(say: Say) -> list[Any]:
    return [alt.Tooltip("name:N", title=say("name")), alt.Tooltip("what:N", title=say("kind"))]
