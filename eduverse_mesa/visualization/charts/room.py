"""The room from above: board, furniture, seats, people and what they are doing."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from eduverse_mesa.codes import BEHAVIOUR_LEVEL
from eduverse_mesa.measures.codes import LEVEL_NAMES
from eduverse_mesa.visualization.charts.frame import colours, nothing
from eduverse_mesa.visualization.charts.plan import Plan, places, plan_of
from eduverse_mesa.visualization.palette import BEHAVIOUR, GREY, ROLE
from eduverse_mesa.visualization.tables import PEOPLE, SEAT, Room
from eduverse_mesa.visualization.words import LEVEL_WORDS, spoken

_BOARD = "board"
_UNKNOWN = "no decision"
_LEVELS = {LEVEL_WORDS[level]: colour for level, colour in BEHAVIOUR.items()} | {_UNKNOWN: "#C9C9C9"}


def room_plan(room: Room, student_steps: pd.DataFrame | None = None, step: int | None = None) -> Any:
    """Board, furniture, seats, people and the links of the seat graph, front at the top.

    With `student_steps`, people have the colour of what they were doing in `step` (the last one, if none is given) of
    the last lesson in the table.
    """
    people = places(room)
    if not people:
        return nothing("Nobody is in the room.")
    plan = plan_of(thing for thing in room.things if thing["kind"] != SEAT or thing["name"] in people)
    layers = [_links(plan, room), _seats(plan, room), *_furniture(plan, room)]
    doing, when = _doing(student_steps, step)
    persons = pd.DataFrame(list(people.values()))[["x", "y", "kind", "name"]]
    persons["behaviour"] = [spoken(doing.get(name, "")) for name in persons["name"]]
    persons["colour"] = [
        "teacher" if kind == "teacher" else _level(doing, name)
        for kind, name in zip(persons["kind"], persons["name"], strict=True)
    ]
    known = {"teacher": ROLE["teacher"]} | (_LEVELS if doing else ROLE)
    shown = {word: colour for word, colour in known.items() if word != _UNKNOWN or _UNKNOWN in set(persons["colour"])}
    dots = (
        plan.chart(persons)
        .mark_point(filled=True, size=240, opacity=1)
        .encode(
            color=colours(None, shown, "colour:N"),
            shape=alt.Shape("kind:N", legend=None, scale=alt.Scale(domain=list(PEOPLE), range=["circle", "diamond"])),
            tooltip=["name:N", *(["behaviour:N"] if doing else [])],
        )
    )
    return plan.finish(
        [*layers, dots, plan.people(persons, dy=12)],
        f"The room{when}",
        "The room from above with the board at the top: furniture, seats, the teacher and the students by name. "
        "Lines join students who can easily turn to one another.",
    )


def _doing(student_steps: pd.DataFrame | None, step: int | None) -> tuple[dict[str, str], str]:
    if student_steps is None or student_steps.empty:
        return {}, ""
    last = student_steps[student_steps["lesson"] == student_steps["lesson"].iloc[-1]]
    number = int(last["step"].max()) if step is None else step
    rows = last[last["step"] == number]
    return dict(zip(rows["student"], rows["behaviour"], strict=True)), f" in step {number}"


def _level(doing: dict[str, str], name: str) -> str:
    if not doing:
        return "student"
    behaviour = doing.get(name, "")
    return LEVEL_WORDS[LEVEL_NAMES["behaviour"][BEHAVIOUR_LEVEL[behaviour]]] if behaviour else _UNKNOWN


def _links(plan: Plan, room: Room) -> Any:
    people = places(room)
    rows = [
        {"x": people[one]["x"], "y": people[one]["y"], "x2": people[other]["x"], "y2": people[other]["y"]}
        for one, other in room.edges
        if one in people and other in people
    ]
    lines = plan.chart(pd.DataFrame(rows, columns=["x", "y", "x2", "y2"]))
    return lines.mark_rule(color=GREY, opacity=0.45, strokeWidth=1.2).encode(x2="x2:Q", y2="y2:Q")


def _seats(plan: Plan, room: Room) -> Any:
    taken = {(thing["x"], thing["y"]) for thing in room.things if thing["kind"] in PEOPLE}
    free = [thing for thing in room.things if thing["kind"] == SEAT and (thing["x"], thing["y"]) not in taken]
    marks = plan.chart(pd.DataFrame(free, columns=["x", "y", "kind", "name"]))
    return marks.mark_circle(filled=False, color=GREY, size=110, opacity=0.7).encode(
        tooltip=[alt.Tooltip("name:N", title="free seat")]
    )


def _furniture(plan: Plan, room: Room) -> list[Any]:
    rows = [thing for thing in room.things if thing["kind"] not in (*PEOPLE, SEAT)]
    frame = pd.DataFrame(rows, columns=["x", "y", "kind", "name"])
    board = frame[frame["kind"] == _BOARD]
    wide = board.assign(left=board["x"] - 2.5, right=board["x"] + 2.5)
    tooltip = ["name:N", "kind:N"]
    return [
        plan.chart(frame[frame["kind"] != _BOARD])
        .mark_square(size=190, color=GREY, opacity=0.35, cornerRadius=2)
        .encode(tooltip=tooltip),
        plan.chart(wide)
        .mark_rule(strokeWidth=7, color=GREY, strokeCap="round")
        .encode(x=plan.x("left:Q"), x2="right:Q", tooltip=tooltip),
        plan.names(frame, size=10, dy=-15, opacity=0.65),
    ]
