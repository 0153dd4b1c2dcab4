"""Charts of students' states: behaviour, emotion and cognition, and the latent states behind them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd

from eduverse_mesa.measures.codes import LEVEL_NAMES, LEVELS
from eduverse_mesa.visualization.charts import vega as alt
from eduverse_mesa.visualization.charts.frame import (
    WIDTH,
    ChartFunction,
    Drawing,
    Lessons,
    Rows,
    Say,
    Width,
    Words,
    cell,
    colours,
    empty,
    named,
    over_time,
    per_lesson,
    saying,
    share_axis,
    source,
    steps_axis,
    strokes,
    wide,
)
from eduverse_mesa.visualization.palette import BEHAVIOUR, BLUE, COGNITION, EMOTION, SERIES

_COLOURS = {"behaviour": BEHAVIOUR, "emotion": EMOTION, "cognition": COGNITION}


def level_of(column: str, code: str) -> str:
    """The name of a code's level: `side_talk` is interactive."""
    return LEVEL_NAMES[column][LEVELS[column][code]]


# --- in all ---


@ChartFunction
def bec_shares_chart(student_steps: pd.DataFrame, *, words: Words | None = None, width: Width = WIDTH) -> Drawing:
    """Shares of the levels of behaviour, emotion and cognition over all student-steps."""
    say = saying(words)
    rows = {}
    for column in LEVELS:
        counted = Counter(level_of(column, code) for code in student_steps[column] if code)
        rows[column] = [{"dimension": say(column), **part} for part in _stacked(column, counted, say)]
    if not any(rows.values()):
        return empty("no_steps_yet" if student_steps.empty else "no_answers", say, width)
    return Drawing(_shares, (say, width), rows)


def _shares(say: Say, width: Width) -> Any:
    order = say.all(LEVELS)
    layers = [_bars(column, column, "dimension", order, say, None) for column in LEVELS]
    return alt.layer(*layers, width=width, height=110).resolve_scale(color="independent")


@ChartFunction
def bec_by_student(
    student_steps: pd.DataFrame, column: str = "behaviour", *, words: Words | None = None, width: Width = WIDTH
) -> Drawing:
    """The same shares for each student."""
    say = saying(words)
    counts: dict[str, Counter[str]] = {}
    for student, code in zip(student_steps["student"], student_steps[column], strict=True):
        if code:
            counts.setdefault(student, Counter())[level_of(column, code)] += 1
    if not counts:
        return empty("no_steps_yet", say, width)
    names = named(counts)
    rows = [
        {"student": names[student], "ev_on": {"student": student}, **part}
        for student, counted in counts.items()
        for part in _stacked(column, counted, say)
    ]
    return Drawing(_by_student, (column, tuple(names.values()), say, width), {"shares": rows})


def _by_student(column: str, names: tuple[str, ...], say: Say, width: Width) -> Any:
    bars = _bars("shares", column, "student", names, say, say("share_of_steps"))
    return bars.properties(width=width, height=22 * len(names))


def _stacked(column: str, counted: Counter[str], say: Say) -> Rows:
    """A row a level, each beginning where the one before ends."""
    total, done, rows = counted.total(), 0, []
    for level in _COLOURS[column]:
        count = counted[level]
        if count:
            low, high = done / total, (done + count) / total
            rows.append({"level": say(level), "count": count, "share": count / total, "low": low, "high": high})
        done += count
    return rows


def _bars(name: str, column: str, field: str, order: tuple[str, ...], say: Say, title: str | None) -> Any:
    return (
        alt.Chart(source(name))
        .mark_bar()
        .encode(
            x=alt.X("low:Q", axis=alt.Axis(format="%", tickCount=5), scale=alt.Scale(domain=[0, 1]), title=title),
            x2="high:Q",
            y=alt.Y(f"{field}:N", title=None, sort=list(order), axis=alt.Axis(labelLimit=150)),
            color=colours("level", _COLOURS[column], say, title=say(column)),
            tooltip=[
                alt.Tooltip(f"{field}:N", title=say(field)),
                alt.Tooltip("level:N", title=say(column)),
                alt.Tooltip("share:Q", title=say("share"), format=".1%"),
            ],
        )
    )


# --- step by step ---


@ChartFunction
def bec_over_time(
    student_steps: pd.DataFrame,
    column: str = "behaviour",
    *,
    words: Words | None = None,
    width: Width = WIDTH,
    steps: int = 1,
) -> Drawing | Lessons:
    """How much of the class was at which level, step by step. `steps`: how long the lesson will be at least."""
    say = saying(words)

    def one(lesson: str, width: Width) -> Drawing:
        counts: dict[int, Counter[str]] = {}
        for place, step, code in zip(
            *(student_steps[name].tolist() for name in ("lesson", "step", column)), strict=True
        ):
            if place == lesson and code:
                counts.setdefault(step, Counter())[level_of(column, code)] += 1
        rows = [
            {**cell(step), "ev_on": {"step": step}, **part}
            for step, counted in counts.items()
            for part in _stacked(column, counted, say)
        ]
        return Drawing(_class_over_time, (column, max(steps, *counts), say, width), {"shares": rows})

    return per_lesson(lessons_of(student_steps, column), one, say=say, width=width)


def _class_over_time(column: str, last: int, say: Say, width: Width) -> Any:
    cells = (
        alt.Chart(source("shares"))
        .mark_rect(cursor="pointer")
        .encode(
            x=steps_axis(last, say),
            x2="to:Q",
            y=alt.Y("low:Q", axis=share_axis(), scale=alt.Scale(domain=[0, 1]), title=None),
            y2="high:Q",
            color=colours("level", _COLOURS[column], say),
            tooltip=[
                alt.Tooltip("step:Q", title=say("step")),
                alt.Tooltip("level:N", title=say(column)),
                alt.Tooltip("count:Q", title=say("students")),
            ],
        )
    )
    return over_time(cells, width=width, height=150)


@ChartFunction
def bec_of_student(
    student_steps: pd.DataFrame, student: str, *, words: Words | None = None, width: Width = WIDTH, steps: int = 1
) -> Drawing | Lessons:
    """One student's behaviour, emotion and cognition, step by step."""
    say = saying(words)
    own = student_steps[student_steps["student"] == student]

    def one(lesson: str, width: Width) -> Drawing:
        part = own[own["lesson"] == lesson]
        rows = {column: _tile_rows(part, column, say) for column in LEVELS}
        return Drawing(_tiles, (max([steps, *part["step"].tolist()]), say, width), rows)

    return per_lesson(lessons_of(own, *LEVELS), one, say=say, width=width)


def _tile_rows(part: pd.DataFrame, column: str, say: Say) -> Rows:
    return [
        {
            **cell(step),
            "dimension": say(column),
            "level": say(level_of(column, code)),
            "code": say(code),
            "ev_on": {"step": step},
        }
        for step, code in zip(part["step"].tolist(), part[column].tolist(), strict=True)
        if code
    ]


def _tiles(last: int, say: Say, width: Width) -> Any:
    order = say.all(LEVELS)
    rows = alt.Y(
        "dimension:N",
        title=None,
        sort=list(order),
        scale=alt.Scale(domain=list(order), paddingInner=0.15),
        axis=alt.Axis(**wide()),
    )
    layers = [
        alt.Chart(source(column))
        .mark_rect(cursor="pointer")
        .encode(
            x=steps_axis(last, say),
            x2="to:Q",
            y=rows,
            color=colours("level", _COLOURS[column], say, title=say(column)),
            tooltip=[
                alt.Tooltip("step:Q", title=say("step")),
                alt.Tooltip("code:N", title=say(column)),
                alt.Tooltip("level:N", title=say("level")),
            ],
        )
        for column in LEVELS
    ]
    return over_time(*layers, width=width, height=84).resolve_scale(color="independent")


def lessons_of(steps: pd.DataFrame, *columns: str) -> list[str]:
    """The lessons in which there is anything to show, in their order."""
    if columns and len(steps):
        steps = steps[(steps[list(columns)] != "").any(axis=1)]
    return list(dict.fromkeys(steps["lesson"].tolist()))


STATES = ("attention", "understanding", "confidence", "affect", "fatigue", "rapport")
_BELOW_ZERO = "affect"


@ChartFunction
def state_over_time(
    student_steps: pd.DataFrame,
    state: str = "attention",
    *,
    words: Words | None = None,
    width: Width = WIDTH,
    steps: int = 1,
) -> Drawing | Lessons:
    """A latent state of each student, step by step."""
    say = saying(words)
    names = named(student_steps["student"])

    def one(lesson: str, width: Width) -> Drawing:
        part = student_steps[student_steps["lesson"] == lesson]
        rows = [
            {"step": step, "from": step, "who": names[student], "value": value, "ev_on": {"student": student}}
            for step, student, value in zip(*(part[name].tolist() for name in ("step", "student", state)), strict=True)
        ]
        last = max([steps, *part["step"].tolist()])
        low = -1 if state == _BELOW_ZERO else 0
        return Drawing(_lines, (tuple(names.values()), low, say(state), "student", last, say, width), {"states": rows})

    return per_lesson(lessons_of(student_steps), one, say=say, width=width)


@ChartFunction
def states_of_student(
    student_steps: pd.DataFrame,
    student: str,
    states: Sequence[str] = STATES,
    *,
    words: Words | None = None,
    width: Width = WIDTH,
    steps: int = 1,
) -> Drawing | Lessons:
    """The latent states of one student, step by step. Affect goes from -1 to 1, the others from 0 to 1."""
    say = saying(words)
    own = student_steps[student_steps["student"] == student]

    def one(lesson: str, width: Width) -> Drawing:
        part = own[own["lesson"] == lesson]
        rows = [
            {"step": step, "from": step, "who": say(state), "value": value, "ev_on": {"step": step}}
            for state in states
            for step, value in zip(part["step"].tolist(), part[state].tolist(), strict=True)
        ]
        last = max([steps, *part["step"].tolist()])
        low = -1 if _BELOW_ZERO in states else 0
        return Drawing(_lines, (say.all(states), low, None, "state", last, say, width), {"states": rows})

    return per_lesson(lessons_of(own), one, say=say, width=width)


def _lines(who: tuple[str, ...], low: int, title: str | None, what: str, last: int, say: Say, width: Width) -> Any:
    few = len(who) <= len(SERIES)
    y = alt.Y("value:Q", title=title, scale=alt.Scale(domain=[low, 1]), axis=alt.Axis(tickCount=5, **wide()))
    base = alt.Chart(source("states")).encode(
        x=steps_axis(last, say),
        y=y,
        detail="who:N",
        **(strokes("who", dict(zip(who, SERIES, strict=False)), columns=3) if few else {"color": alt.value(BLUE)}),
        tooltip=[
            alt.Tooltip("who:N", title=say(what)),
            alt.Tooltip("step:Q", title=say("step")),
            alt.Tooltip("value:Q", title=say("value"), format=".2f"),
        ],
    )
    lines = base.mark_line(strokeWidth=2 if few else 1, opacity=1 if few else 0.5)
    return over_time(lines, base.mark_point(size=60, opacity=0), width=width, height=170)
