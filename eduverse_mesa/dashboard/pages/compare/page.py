"""The compare page: what is compared at the top, the rooms in step with each other, then what differs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pandas as pd
import solara

from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.elements import (
    Card,
    Choice,
    Form,
    Headline,
    Idle,
    Note,
    Picture,
    PlayBar,
    Reading,
    StyleSheet,
    TaskBar,
    Toggle,
    chart_words,
    chip,
    stretches,
    use_words,
)
from eduverse_mesa.dashboard.notice import use_live
from eduverse_mesa.dashboard.pages.compare.comparison import (
    PACES,
    Comparison,
    Place,
    Side,
    comparison_of,
    told_place,
    unlike,
)
from eduverse_mesa.dashboard.pages.compare.forms import ForkTold, FromStudy, PlayArms, WhatIf, search_field, take_ticked
from eduverse_mesa.runs.comparison import Arm, differences, pairing, summaries, values
from eduverse_mesa.runs.tables import run_tables
from eduverse_mesa.visualization import charts
from eduverse_mesa.visualization.charts.comparison import measure_words
from eduverse_mesa.visualization.charts.frame import saying
from eduverse_mesa.visualization.reports.run import told_few
from eduverse_mesa.visualization.widgets.base import Sealed
from eduverse_mesa.visualization.widgets.fields import field
from eduverse_mesa.visualization.widgets.room import RoomWidget, room_labels
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words, run_on
from eduverse_mesa.vocabulary import BEHAVIOUR_LEVEL, COGNITION_LEVEL, LEVEL_NAMES

GROUPS = ("class", "bec", "irf", "network", "equity", "student", "answers", "all")
SORTS = ("order", "measure", "difference", "effect")
_OF_CLASS = ("bec", "irf", "network", "equity")


class Row(NamedTuple):
    """A measure of two sides."""

    measure: str
    name: str
    group: str
    before: float
    after: float
    difference: float
    low: float
    high: float
    n: int
    effect: float

    @property
    def clear(self) -> bool:
        """The interval leaves out zero."""
        return math.isfinite(self.low) and (self.low > 0 or self.high < 0)


def group_of(measure: str) -> str:
    """Return the group of measures that a measure belongs to."""
    head = measure.partition(".")[0]
    if head == "student" or measure.startswith("network.students."):
        return "student"
    return head if head in _OF_CLASS else "answers"


def rows_of(one: Arm, other: Arm, said: Callable[[str], str]) -> list[Row]:
    """Every measure of two sides that was measured in both."""
    table: pd.DataFrame = differences(one, other)
    names = ("measure", "before", "after", "difference", "low", "high", "n", "effect")
    return [
        Row(measure, said(measure), group_of(measure), *numbers)
        for measure, *numbers in zip(*(table[name].tolist() for name in names), strict=True)
        if math.isfinite(numbers[2])
    ]


def chosen_rows(rows: Sequence[Row], group: str, search: str, sort: str, *, down: bool = True) -> list[Row]:
    """The rows of a group that hold the searched text, in order."""
    wanted = search.casefold().strip()
    fits = [
        row
        for row in rows
        if (group == "all" or row.group == group or (group == "class" and row.group in _OF_CLASS))
        and wanted in f"{row.name} {row.measure}".casefold()
    ]
    if sort == "order":  # a group stands together under its name
        return sorted(fits, key=lambda row: GROUPS.index(row.group))
    if sort == "measure":
        return sorted(fits, key=lambda row: row.name.casefold(), reverse=not down)
    if sort == "difference":
        return sorted(fits, key=lambda row: row.difference, reverse=down)
    if sort == "effect":
        return sorted(fits, key=_strength, reverse=down)
    return fits


def _strength(row: Row) -> tuple[float, float]:
    """By the effect; where seeds are too few for one, by the difference."""
    return (abs(row.effect) if math.isfinite(row.effect) else -1.0, abs(row.difference))


def tree(
    rows: Sequence[Row],
    sides: Sequence[tuple[int, str]],
    t: Words,
    *,
    sort: str,
    down: bool,
    chosen: str,
    intervals: bool,
) -> Tree:
    """The table; a head sends {"sort": ...}, a row {"measure": ...}."""
    heads: list[Tree] = [
        _head("measure", t("compare.table.measure"), sort, down),
        *(_side(number, name) for number, name in sides),
        _head("difference", t("compare.table.difference"), sort, down, "ev-num"),
    ]
    if intervals:
        heads += [
            ["th", {"class": "ev-num wide", "scope": "col"}, t("compare.table.interval")],
            ["th", {"class": "wide", "scope": "col"}, t("compare.table.picture")],
            _head("effect", t("compare.table.effect"), sort, down, "ev-num"),
        ]
    lines: list[Tree] = []
    group = ""
    for row in rows:
        if sort == "order" and row.group != group:
            group = row.group
            lines.append(
                [
                    "tr",
                    {"key": f"group {group}", "class": "group"},
                    ["th", {"colspan": len(heads), "scope": "colgroup"}, t(f"compare.group.{group}")],
                ]
            )
        lines.append(_line(row, chosen, intervals))
    body = lines or [["tr", {}, ["td", {"colspan": len(heads), "class": "ev-muted"}, t("compare.table.none")]]]
    return ["table", {"aria-label": t("compare.table.title")}, ["thead", {}, ["tr", {}, *heads]], ["tbody", {}, *body]]


def _head(name: str, said: str, sort: str, down: bool, style: str = "") -> Tree:
    here = name == sort
    order = ("ascending" if (name == "measure") == down else "descending") if here else "none"
    sign = {"ascending": " ▲", "descending": " ▼", "none": ""}[order]
    return [
        "th",
        {"class": style, "scope": "col", "aria-sort": order},
        ["button", {"on": {"sort": name}}, f"{said}{sign}"],
    ]


def _side(number: int, name: str) -> Tree:
    dot = ["span", {"class": f"ev-dot s{number + 1}", "aria-hidden": "true"}]
    return ["th", {"class": "ev-num wide name", "scope": "col"}, dot, " ", ["bdi", {}, name]]


def _line(row: Row, chosen: str, intervals: bool) -> Tree:
    marks = " ".join([*(["clear"] if row.clear else []), *(["chosen"] if row.measure == chosen else [])])
    cells: list[Tree] = [
        [
            "td",
            {},
            [
                "button",
                {"on": {"measure": row.measure}, "aria-pressed": str(row.measure == chosen).lower()},
                ["bdi", {}, row.name],
            ],
        ],
        ["td", {"class": "ev-num wide"}, number(row.before)],
        ["td", {"class": "ev-num wide"}, number(row.after)],
        ["td", {"class": "ev-num"}, number(row.difference, sign=True)],
    ]
    if intervals:
        between = f"{number(row.low, sign=True)} … {number(row.high, sign=True)}" if math.isfinite(row.low) else "–"
        cells += [
            ["td", {"class": "ev-num wide"}, between],
            ["td", {"class": "wide"}, _picture(row)],
            ["td", {"class": "ev-num"}, number(row.effect, sign=True, digits=2)],
        ]
    return ["tr", {"key": row.measure, "class": marks}, *cells]


def _picture(row: Row) -> Tree:
    """The interval around zero, in the middle; each row on its own scale."""
    ends = [abs(value) for value in (row.low, row.high, row.difference) if math.isfinite(value)]
    scale = 2 * max(ends, default=0.0) * 1.06
    if scale == 0:
        return ["span", {"class": "ev-iv", "aria-hidden": "true"}, ["i", {"class": "dot", "v": 0.5}]]
    parts: list[Tree] = []
    if math.isfinite(row.low):
        low, high = (0.5 + value / scale for value in (row.low, row.high))
        width = (high - low) / (1 - low)
        parts.append(["i", {"class": "from", "v": round(low, 4)}, ["i", {"class": "span", "v": round(width, 4)}]])
    parts.append(["i", {"class": "dot", "v": round(0.5 + row.difference / scale, 4)}])
    return ["span", {"class": "ev-iv", "aria-hidden": "true"}, *parts]


def number(value: float, *, sign: bool = False, digits: int = 3) -> str:
    """A number as the table shows it; a dash where there is none."""
    if not math.isfinite(value):
        return "–"
    if abs(value) >= 1000:
        return f"{value:+,.0f}" if sign else f"{value:,.0f}"
    if abs(value) < 0.5 * 10**-digits:
        return f"{0:.{digits}f}"  # no sign where there is nothing
    shown = f"{value:+.{digits}f}" if sign else f"{value:.{digits}f}"
    return shown.replace("-", "−")


def drawable(rows: Sequence[Row], most: int = 14) -> list[str]:
    """The first measures that one axis of shares can hold."""
    fits = [row.measure for row in rows if 0 <= row.before <= 1 and 0 <= row.after <= 1 and row.group != "answers"]
    return fits[:most]


_REST = 0.5
_CHANCE = 0.05


@solara.component
def Measures(comparison: Comparison) -> None:
    """The table, and beside it the picture."""
    t = use_words()
    use_live(comparison.changed, rest=_REST)
    against, set_against = solara.use_state("1")
    sides = comparison.sides
    if len(sides) < 2:
        with Card(t("compare.table.title")):
            Note(t("compare.table.one_side"))
        return
    other = min(int(against), len(sides) - 1)
    names = {str(number): side.name for number, side in enumerate(sides) if number}
    pick = []
    if len(sides) > 2:
        choice = Choice(t("compare.table.against"), names, str(other), set_against)
        pick = [solara.Div(classes=["ev-pick"], children=[choice])]
    with Card(t("compare.table.title"), actions=pick):
        _Two(comparison, other, comparison.version)


@solara.component
def _Two(comparison: Comparison, other: int, version: int) -> None:
    """The first side and another one."""
    t = use_words()
    arms = (comparison.arms[0], comparison.arms[other])
    say = saying(chart_words(t))
    rows = solara.use_memo(
        lambda: rows_of(*arms, lambda measure: measure_words(measure, say)), [version, other, t.language]
    )
    with solara.Div(classes=["ev-stack"]):
        _LeftOut(comparison, comparison.left_out, counts_all=comparison.counts_all)
        _Told(arms, rows, alone=comparison.forked is not None)
        _Found(comparison, other, rows, version)


@solara.component
def _LeftOut(comparison: Comparison, n: int, *, counts_all: bool) -> None:
    """Note on how many runs were interrupted, with the choice to count them."""
    t = use_words()
    if not n:
        Idle()
        return
    with solara.Div(classes=["ev-stack"]):
        Note(t(f"compare.note.{'counted_in' if counts_all else 'left_out'}", n=n), kind="warn")
        check = field("all", "check", t("compare.note.count_all"), counts_all)
        Form([check], hear=lambda _, value: comparison.count_all(bool(value)))


@solara.component
def _Told(arms: tuple[Arm, Arm], rows: list[Row], *, alone: bool) -> None:
    """How the sides are compared, and how much of it may be chance."""
    t = use_words()
    n = max((row.n for row in rows), default=0)
    if n == 0:  # all runs of a side were interrupted
        Note(t("compare.note.nothing"), kind="warn")
        return
    if n == 1:
        if alone:  # beside a fork it is said already
            Idle()
        else:
            Note(t("compare.note.one"), kind="warn")
        return
    Note(run_on(notes_of(arms, rows, t)), kind="warn" if told_few(n, t) else "info")


def notes_of(arms: tuple[Arm, Arm], rows: list[Row], t: Words) -> list[str]:
    """How the sides are compared, how many intervals leave out zero, and that the seeds are few where they are."""
    n = max(row.n for row in rows)
    how = "paired" if pairing(*arms) == "seeds" else "unpaired"
    bounded = [row for row in rows if row.low == row.low]
    clear = sum(row.clear for row in bounded)
    chance = round(_CHANCE * len(bounded))
    told = [t(f"compare.note.{how}", n=n), t("compare.note.chance", clear=clear, all=len(bounded), chance=chance)]
    return [*told, told_few(n, t)] if told_few(n, t) else told


@solara.component
def _Found(comparison: Comparison, other: int, rows: list[Row], version: int) -> None:
    t = use_words()
    heads = [(number, comparison.sides[number].name) for number in (0, other)]
    search, set_search = solara.use_state("")
    group, set_group = solara.use_state("class")
    order, set_order = solara.use_state(("order", True))
    chosen, set_chosen = solara.use_state("")
    sort, down = order
    found = chosen_rows(rows, group, search, sort, down=down)

    def hear(event: Any) -> None:
        if not isinstance(event, dict):
            return
        if event.get("sort") in SORTS:
            name = event["sort"]
            set_order((name, not down) if name == sort and down else ("order", True) if name == sort else (name, True))
        elif any(row.measure == event.get("measure") for row in rows):
            set_chosen("" if event["measure"] == chosen else event["measure"])

    with solara.Div(classes=["ev-stack"]):
        with solara.Div(classes=["ev-filters"]):
            Form([search_field(t("compare.table.search"), search)], hear=lambda _, text: set_search(text))
            Choice(t("compare.table.group"), {name: t(f"compare.group.{name}") for name in GROUPS}, group, set_group)
        intervals = any(row.low == row.low for row in rows)
        with solara.Div(classes=["ev-detail"]):
            with solara.Div(
                classes=["ev-numbers"],
                attributes={"tabindex": "0", "role": "region", "aria-label": t("compare.table.title")},
            ):
                Reading(tree(found, heads, t, sort=sort, down=down, chosen=chosen, intervals=intervals), on_event=hear)
            _Picture(comparison, tuple([chosen] if chosen else drawable(found)), version, hear)


@solara.component
def _Picture(comparison: Comparison, measures: tuple[str, ...], version: int, hear: Any) -> None:
    t = use_words()
    spec = solara.use_memo(lambda: _measures_spec(comparison, measures, t), [version, measures, t.language])
    with solara.Div(classes=["ev-figure"]):
        solara.Text(t("compare.picture.title"), classes=["ev-figure-title"])
        Picture(spec, label=t("compare.picture.label"), on_event=hear)


def _measures_spec(comparison: Comparison, measures: tuple[str, ...], t: Words) -> dict[str, Any]:
    arms = comparison.arms
    summary, single = summaries(arms), values(arms)
    return charts.measure_intervals.spec(
        summary[summary["measure"].isin(measures)],
        single[single["measure"].isin(measures)] if max(len(arm.seeds) for arm in arms) > 1 else None,
        words=chart_words(t),
        width="container",
    )


_NAMED = 4
"""Students who are named where two rooms differ; the others are counted."""


@solara.component
def Rooms(comparison: Comparison) -> None:
    """All sides at the step that is looked at."""
    t = use_words()
    use_live(comparison.changed)
    with Card(t("compare.rooms.title"), actions=[_Seed(comparison), _Pace(comparison)]):
        with solara.Div(classes=["ev-rooms"]):
            for number, side in enumerate(comparison.sides):
                _Room(comparison, side, number).key(f"{number}-{side.name}")
        _Bar(comparison)


@solara.component
def _Room(comparison: Comparison, side: Side, number: int) -> None:
    t = use_words()
    use_live(comparison.moved)
    shot, first = side.shot(comparison.place), comparison.sides[0]
    if shot is None:
        return
    over = (shot.lesson, shot.step) < comparison.place and side.shot((10**9, 0)) is shot
    with solara.Div(classes=["ev-side"]):
        Reading(_title(side, number, t("compare.rooms.over") if over else "", t))
        RoomWidget.element(
            stage=Sealed(side.film.stages[shot.lesson]),
            frame=Sealed(shot.drawn),
            selected=comparison.student,
            on_selected=comparison.select,
            overlays=["names", "bubbles", "exchanges"],
            labels=Sealed(room_labels(t.language)),
        )
        before = first.shot(comparison.place)
        if number and before is not None and shot.step:
            Reading(["p", {"class": "ev-muted ev-small"}, _unlike(unlike(before, shot), len(shot.frame.students), t)])


def _title(side: Side, number: int, more: str, t: Words) -> Any:
    told = t("compare.rooms.of_seed", n=side.shown.spec.seed) if side.shown is not None else ""
    dot = ["span", {"class": f"ev-dot s{number + 1}", "aria-hidden": "true"}]
    chips = [chip(text) for text in (told, more) if text]
    return ["h3", {"class": "ev-side-name"}, dot, ["bdi", {}, side.name], *chips]


def _unlike(names: list[str], everybody: int, t: Words) -> str:
    if not names:
        return t("compare.rooms.same")
    shown = t.names(names[:_NAMED]) + ("…" if len(names) > _NAMED else "")
    return t("compare.rooms.unlike", count=len(names), all=everybody, names=shown)


@solara.component
def _Bar(comparison: Comparison) -> None:
    t = use_words()
    use_live(comparison.moved)

    places = comparison.places
    several = len({lesson for lesson, _ in places}) > 1
    names = [told_place(lesson, step, several, t) for lesson, step in places]
    PlayBar(comparison, names, stretches([_phase(comparison, place) for place in places], t.code), over=False)


def _phase(comparison: Comparison, place: Place) -> str:
    """The phase of the first side at a place; empty where it has no such place."""
    shot = comparison.sides[0].shot(place)
    return shot.frame.phase if shot is not None and (shot.lesson, shot.step) == place else ""


@solara.component
def _Seed(comparison: Comparison) -> None:
    t = use_words()
    use_live(comparison.changed)
    names = {str(seed): f"{t('compare.rooms.seed')} {seed}" for seed in comparison.seeds}
    if len(names) > 1:
        with solara.Div(classes=["ev-pick"]):
            Choice(t("compare.rooms.shown"), names, str(comparison.seed), lambda seed: comparison.show_seed(int(seed)))


@solara.component
def _Pace(comparison: Comparison) -> None:
    t = use_words()
    use_live(comparison.moved)
    names = {str(pace): t("compare.rooms.pace", n=f"{pace:g}") for pace in PACES}
    with solara.Div(classes=["ev-pick"]):
        Choice(t("compare.rooms.speed"), names, str(comparison.pace), lambda pace: comparison.set_pace(float(pace)))


STATES = ("attention", "understanding", "confidence", "affect")
SHARES = ("off_task", "interactive", "positive", "high")
FOLLOWED = (*SHARES, *STATES)


@solara.component
def Series(comparison: Comparison) -> None:
    """A share or a mean state of the class, of each side."""
    t = use_words()
    use_live(comparison.changed, rest=0.3)
    what, set_what = solara.use_state("off_task")
    names = {name: t.code(name) for name in FOLLOWED}
    pick = solara.Div(classes=["ev-pick"], children=[Choice(t("compare.series.what"), names, what, set_what)])
    with Card(t("compare.series.title"), actions=[pick]):
        _Line(comparison, what)


@solara.component
def _Line(comparison: Comparison, what: str) -> None:
    t = use_words()
    use_live(comparison.moved)
    shown = tuple(id(side.shown) for side in comparison.sides)
    spec = solara.use_memo(lambda: _spec(comparison, what, t), [shown, what, t.language, len(comparison.places)])

    def hear(event: Any) -> None:
        if isinstance(event, dict) and type(event.get("step")) is int:
            comparison.seek(event["step"])

    label = t.told(t("compare.series.title"), t.code(what))
    Picture(spec, label=label, signals={"cursor": comparison.at}, on_event=hear)


def _spec(comparison: Comparison, what: str, t: Any) -> dict[str, Any]:
    series = series_of(comparison.sides, comparison.places, what)
    low = -1.0 if what == "affect" else 0.0
    return charts.series_together.spec(
        series, what, domain=(low, 1.0), words=chart_words(t), width="container", steps=max(comparison.last, 1)
    )


def series_of(sides: Sequence[Side], places: Sequence[Place], what: str) -> pd.DataFrame:
    """The class's share or mean at each place: run, step (the number of the place), value."""
    parts = [_of_side(side, {place: at for at, place in enumerate(places)}, what) for side in sides]
    return pd.concat(parts) if parts else pd.DataFrame(columns=["run", "step", "value"])


def _of_side(side: Side, numbers: dict[Place, int], what: str) -> pd.DataFrame:
    if side.shown is None:
        return pd.DataFrame(columns=["run", "step", "value"])
    rows = run_tables(side.shown).student_steps
    lessons = {lesson.model.lesson.name: lesson.number for lesson in side.shown.lessons}
    values = _values(rows, what)
    table = pd.DataFrame({"lesson": rows["lesson"].map(lessons), "step": rows["step"], "value": values})
    means = table.groupby(["lesson", "step"])["value"].mean().reset_index()
    at = [numbers.get(place) for place in zip(means["lesson"], means["step"], strict=True)]
    made = pd.DataFrame({"run": side.name, "step": at, "value": means["value"]})
    return made[made["step"].notna()].astype({"step": int})


def _values(rows: pd.DataFrame, what: str) -> pd.Series[float]:
    """1 and 0 for a share, NaN where nothing was answered; the state itself for a mean."""
    if what in STATES:
        return rows[what]
    if what == "positive":
        return (rows["emotion"] == what).where(rows["emotion"] != "").astype(float)
    if what == "high":
        return rows["cognition"].map(COGNITION_LEVEL).astype(float)
    levels = {code: float(LEVEL_NAMES[level] == what) for code, level in BEHAVIOUR_LEVEL.items()}
    return rows["behaviour"].map(levels).astype(float)


WAYS = {"play": PlayArms, "study": FromStudy, "fork": WhatIf}


@solara.component
def ComparePage(desk: Desk) -> None:
    """Runs side by side."""
    comparison = comparison_of(desk)
    use_live(comparison.changed)
    t = use_words()
    asked = solara.use_memo(lambda: take_ticked(desk, comparison, t), [])
    with solara.Div(classes=["ev-stack", "ev-compare"]):
        StyleSheet("compare/compare.css")
        _Head(desk, comparison, asked)
        TaskBar(comparison.work, lambda now: t("compare.progress", run=now.done + 1, runs=now.total))
        if comparison.sides:
            ForkTold(comparison)
            Rooms(comparison)
            Series(comparison)
            Measures(comparison)
        else:
            solara.Text(t("compare.empty"), classes=["ev-quiet"])


@solara.component
def _Head(desk: Desk, comparison: Comparison, asked: bool) -> None:
    """`asked`: what is compared was chosen elsewhere, and no form is needed."""
    t = use_words()
    use_live(comparison.changed)
    way, set_way = solara.use_state("" if comparison.sides or asked else "play")
    with solara.Div(classes=["ev-stack"]):
        _Title(comparison, way, set_way)
        if way:
            with Card(t(f"compare.way.{way}")):
                WAYS[way](desk, comparison, lambda: set_way("")).key(way)


@solara.component
def _Title(comparison: Comparison, way: str, set_way: Callable[[str], None]) -> None:
    t = use_words()
    use_live(comparison.changed)
    with Headline(t("compare.title"), _told(comparison, t)):
        for name in WAYS:
            other = "" if name == way else name
            Toggle(t(f"compare.way.{name}"), not other, lambda other=other: set_way(other), small=False)


def _told(comparison: Comparison, t: Words) -> str:
    if not comparison.sides:
        return t("compare.lead")
    seeds = len(comparison.seeds)
    return f"{t('compare.sides', n=len(comparison.sides))} · {t('compare.seeds_count', n=seeds)}"
