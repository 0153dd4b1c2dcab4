"""The table of measures: which rows, in which order, and how they look. Plain functions, without a page."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import pandas as pd

from eduverse_mesa.runs.comparing import Arm, differences
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words

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
    """Where a measure belongs."""
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
