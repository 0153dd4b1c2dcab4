"""Who gets a share of the lesson: turns of the students, calls and feedback of the teacher."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from typing import Any

import altair as alt
import pandas as pd

from eduverse_mesa.measures.equity import gini, speaking_turns, teacher_attention
from eduverse_mesa.visualization.charts.drawing import ChartFunction, Drawing, empty, source
from eduverse_mesa.visualization.charts.frame import (
    WIDTH,
    Rows,
    Say,
    Width,
    Words,
    colours,
    named,
    saying,
    strokes,
)
from eduverse_mesa.visualization.palette import BLUE, ORANGE

_SHARED = {"turns": BLUE, "teacher_attention": ORANGE}


@ChartFunction
def shares_of_students(
    sentences: pd.DataFrame, student_steps: pd.DataFrame, *, words: Words | None = None, width: Width = WIDTH
) -> Drawing:
    """Turns before the class and the teacher's attention, student by student."""
    say = saying(words)
    shared = _shared(sentences, student_steps)
    if not shared:
        return empty("no_steps_yet", say, width)
    names = named(shared["turns"])
    rows = [
        {"student": names[student], "what": say(what), "count": count, "ev_on": {"student": student}}
        for what, counts in shared.items()
        for student, count in counts.items()
    ]
    return Drawing(_bars, (tuple(names.values()), say, width), {"shares": rows})


@ChartFunction
def lorenz_curve(
    sentences: pd.DataFrame, student_steps: pd.DataFrame, *, words: Words | None = None, width: Width = WIDTH
) -> Drawing:
    """What share of all turns the quietest part of the class has, with Gini's coefficient; equality is the diagonal."""
    say = saying(words)
    shared = _shared(sentences, student_steps)
    if not any(sum(counts.values()) for counts in shared.values()):
        return empty("nothing_shared_yet", say, width)
    rows = [row for what, counts in shared.items() for row in _curve(what, counts, say)]
    return Drawing(_curves, (say, width), {"curves": rows})


def _shared(sentences: pd.DataFrame, student_steps: pd.DataFrame) -> dict[str, dict[str, int]]:
    students = list(dict.fromkeys(student_steps["student"].tolist()))
    if not students:
        return {}
    turns = speaking_turns(sentences, students)
    given = teacher_attention(student_steps)
    return {
        "turns": {student: turns[student] for student in students},
        "teacher_attention": {student: given[student] for student in students},
    }


def _curve(what: str, counts: Mapping[str, int], say: Say) -> Rows:
    total = sum(counts.values())
    if not total:
        return []
    ordered = sorted(counts.values())
    title = say(what)
    return [
        {"what": title, "people": place / len(ordered), "share": done / total, "gini": gini(ordered)}
        for place, done in enumerate([0, *accumulate(ordered)])
    ]


def _bars(names: tuple[str, ...], say: Say, width: Width) -> Any:
    return (
        alt.Chart(source("shares"))
        .mark_bar(cursor="pointer")
        .encode(
            # Vega fits in one tick more than there is room for: with 1 there would be halves, written as whole numbers.
            x=alt.X("count:Q", title=None, axis=alt.Axis(tickMinStep=1.5, format="d")),
            y=alt.Y("student:N", title=None, sort=list(names), axis=alt.Axis(labelLimit=110)),
            yOffset=alt.YOffset("what:N", sort=list(say.all(_SHARED))),
            color=colours("what", _SHARED, say),
            tooltip=[
                alt.Tooltip("student:N", title=say("student")),
                alt.Tooltip("what:N", title=say("of")),
                alt.Tooltip("count:Q", title=say("times")),
            ],
        )
        .properties(width=width, height=24 * len(names))
    )


def _curves(say: Say, width: Width) -> Any:
    x = alt.X("people:Q", title=say("share_of_students"), axis=alt.Axis(format="%", tickCount=5))
    y = alt.Y("share:Q", title=None, axis=alt.Axis(format="%", tickCount=5))
    equal = (
        alt.Chart(alt.InlineData(values=[{"people": 0, "share": 0}, {"people": 1, "share": 1}]))
        .mark_line(aria=False, strokeDash=[4, 4], color="#8A8A8A", strokeWidth=1)
        .encode(x=x, y=y)
    )
    base = alt.Chart(source("curves")).encode(
        x=x,
        y=y,
        **strokes("what", _SHARED, say),
        tooltip=[
            alt.Tooltip("what:N", title=say("of")),
            alt.Tooltip("people:Q", title=say("students"), format=".0%"),
            alt.Tooltip("share:Q", title=say("share"), format=".0%"),
            alt.Tooltip("gini:Q", title=say("gini"), format=".2f"),
        ],
    )
    return alt.layer(equal, base.mark_line(strokeWidth=2), base.mark_circle(size=30), width=width, height=220)
