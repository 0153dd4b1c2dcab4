"""Charts of talk: initiation, response and feedback, requests, networks, and who gets a share."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

import pandas as pd

from eduverse_mesa.measures import irf_by_step
from eduverse_mesa.measures.equity import gini, speaking_turns, teacher_attention
from eduverse_mesa.measures.networks import centralities, peer_graph
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
    legend,
    named,
    over_time,
    per_lesson,
    saying,
    source,
    steps_axis,
    strokes,
    wide,
)
from eduverse_mesa.visualization.charts.states import lessons_of
from eduverse_mesa.visualization.palette import BLUE, DISCOURSE, GREEN, GREY, ORANGE, PHASE, REQUEST, SKY, VERMILION

_PACE = {"extend": "+", "advance": "»"}
"""Signs for the teacher's decision at the end of a step, if it is more than going on."""


@ChartFunction
def irf_ribbon(
    student_steps: pd.DataFrame,
    teacher_steps: pd.DataFrame,
    *,
    words: Words | None = None,
    width: Width = WIDTH,
    steps: int = 1,
) -> Drawing | Lessons:
    """Moves (I, R and F) that happened in each step, above the phases of the lesson and how they were paced."""
    say = saying(words)
    said = _said(say)

    def one(lesson: str, width: Width) -> Drawing:
        taught = teacher_steps[teacher_steps["lesson"] == lesson]
        by_step = irf_by_step(student_steps[student_steps["lesson"] == lesson], taught)
        last = max([steps, *taught["step"].tolist()])
        moves = [
            {**cell(step), "row": said[move], "happened": said[move], "act": say(act) if act else ""}
            for step, act, *happened in zip(
                by_step["step"].tolist(),
                taught["act"].tolist(),
                *(by_step[move].tolist() for move in DISCOURSE),
                strict=True,
            )
            for move, true in zip(DISCOURSE, happened, strict=True)
            if true
        ]
        for row in moves:
            row["ev_on"] = {"step": row["step"]}
        return Drawing(_ribbon, (last, say, width), {"moves": moves, "phases": _phases(taught, say)})

    return per_lesson(lessons_of(teacher_steps), one, say=say, width=width)


def _said(say: Say) -> dict[str, str]:
    return {move: say(f"irf_{move}") for move in DISCOURSE}


def _phases(taught: pd.DataFrame, say: Say) -> Rows:
    columns = (taught[name].tolist() for name in ("step", "phase", "act", "pacing", "pacing_reason"))
    return [
        {
            **cell(step),
            "from": step - 0.5,
            "to": step + 0.5,
            "row": say("phase"),
            "phase": say(phase),
            "act": say(act) if act else "",
            "pacing": say(pacing) if pacing else "",
            "reason": reason,
            "sign": _PACE.get(pacing, ""),
            "ev_on": {"step": step},
        }
        for step, phase, act, pacing, reason in zip(*columns, strict=True)
    ]


def _ribbon(last: int, say: Say, width: Width) -> Any:
    x, order = steps_axis(last, say), [*_said(say).values(), say("phase")]
    row = alt.Y(
        "row:N",
        title=None,
        sort=order,
        scale=alt.Scale(domain=order, paddingInner=0.12),
        axis=alt.Axis(**{**wide(), "labelLimit": 70}),
    )
    step, act = alt.Tooltip("step:Q", title=say("step")), alt.Tooltip("act:N", title=say("act"))
    moves = (
        alt.Chart(source("moves"))
        .mark_rect(cursor="pointer", cornerRadius=2)
        .encode(
            x=x,
            x2="to:Q",
            y=row,
            color=colours("happened", dict(zip(_said(say).values(), DISCOURSE.values(), strict=True)), legend=None),
            tooltip=[step, alt.Tooltip("happened:N", title=say("move")), act],
        )
    )
    told = [
        step,
        alt.Tooltip("phase:N", title=say("phase")),
        act,
        alt.Tooltip("pacing:N", title=say("pacing")),
        alt.Tooltip("reason:N", title=say("reason")),
    ]
    base = alt.Chart(source("phases")).encode(y=row, tooltip=told)
    phases = base.mark_rect(cursor="pointer").encode(
        x=x, x2="to:Q", color=colours("phase", PHASE, say, legend=legend(columns=3))
    )
    signs = base.mark_text(fontWeight="bold", color="#000000", fontSize=12).encode(
        x=steps_axis(last, say, "step:Q"), text="sign:N"
    )
    every = base.mark_rect(aria=False, color=GREY, opacity=0)  # the row is there before its first phase
    return over_time(every, moves, phases, signs, width=width, height=110).resolve_scale(color="independent")


@ChartFunction
def gate_scores(scores: pd.DataFrame, threshold: float, *, words: Words | None = None, width: Width = WIDTH) -> Drawing:
    """A bar a factor (columns factor, score of 0 to 100, weight, reason), as thick as its weight, and the weighted mean
    against the threshold (0 to 1) from which on a request is taken up."""
    say = saying(words)
    if scores.empty:
        return empty("not_scored", say, width)
    columns = (scores[name].tolist() for name in ("factor", "score", "weight", "reason"))
    rows: Rows = [
        {"factor": say(factor), "score": score, "weight": weight, "part": score * weight, "reason": reason}
        for factor, score, weight, reason in zip(*columns, strict=True)
    ]
    whole = sum(row["part"] for row in rows)
    taken_up = whole / 100 >= threshold  # as the gate compares: 100 * 0.56 is a hair more than 56
    end = {"factor": say("intention"), "score": whole, "colour": GREEN if taken_up else VERMILION}
    order = (*(row["factor"] for row in rows), say("intention"))
    of = {"scores": rows, "whole": [end], "threshold": [{"factor": say("intention"), "score": 100 * threshold}]}
    return Drawing(_bars, (order, say, width), of)


def _bars(order: tuple[str, ...], say: Say, width: Width) -> Any:
    y = alt.Y("factor:N", title=None, sort=list(order), scale=alt.Scale(domain=list(order)))
    x = alt.X("score:Q", title=None, scale=alt.Scale(domain=[0, 100]), axis=alt.Axis(tickCount=5))
    thick = alt.Size("weight:Q", legend=None, scale=alt.Scale(domain=[0, 0.5], range=[2, 24], clamp=True))
    base = alt.Chart(source("scores")).encode(
        x=x,
        y=y,
        tooltip=[
            alt.Tooltip("factor:N", title=say("factor")),
            alt.Tooltip("score:Q", title=say("score"), format=".0f"),
            alt.Tooltip("weight:Q", title=say("weight"), format=".2f"),
            alt.Tooltip("part:Q", title=say("score_times_weight"), format=".1f"),
            alt.Tooltip("reason:N", title=say("reason")),
        ],
    )
    bars = base.mark_bar(color=SKY).encode(size=thick)
    weights = base.mark_text(align="left", dx=5, fontSize=10).encode(text=alt.Text("weight:Q", format=".0%"))
    whole = alt.Chart(source("whole")).encode(
        x=x,
        y=y,
        tooltip=[
            alt.Tooltip("factor:N", title=say("weighted_mean")),
            alt.Tooltip("score:Q", title=say("score"), format=".0f"),
        ],
    )
    sums = whole.mark_bar(size=18).encode(color=alt.Color("colour:N", scale=None))
    number = whole.mark_text(align="left", dx=5, fontWeight="bold").encode(text=alt.Text("score:Q", format=".0f"))
    line = (
        alt.Chart(source("threshold"))
        .mark_tick(thickness=2, size=26, color=GREY)
        .encode(x=x, y=y, tooltip=[alt.Tooltip("score:Q", title=say("threshold"), format=".0f")])
    )
    return alt.layer(bars, weights, sums, number, line, width=width, height=26 * len(order)).resolve_scale(
        size="independent"
    )


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
    """Return the number of requests of each pair by their outcome."""
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
    return Drawing(_equity_bars, (tuple(names.values()), say, width), {"shares": rows})


@ChartFunction
def lorenz_curve(
    sentences: pd.DataFrame, student_steps: pd.DataFrame, *, words: Words | None = None, width: Width = WIDTH
) -> Drawing:
    """The share of all turns that the quietest part of the class has, with Gini's coefficient; equality is the
    diagonal."""
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


def _equity_bars(names: tuple[str, ...], say: Say, width: Width) -> Any:
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
