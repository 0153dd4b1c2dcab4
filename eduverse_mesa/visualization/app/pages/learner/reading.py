"""Dialogues, to be read: every line with what it was."""

from __future__ import annotations

from collections.abc import Sequence

import solara

from eduverse_mesa.decisions.tutoring import ANSWER_KINDS, MOVES
from eduverse_mesa.models.tutoring.journal import LineRow
from eduverse_mesa.visualization.app.kit import Choice, Note, Reading, use_words
from eduverse_mesa.visualization.app.pages.learner.naming import unit_name
from eduverse_mesa.visualization.app.pages.learner.school import Record, School
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words

_LOOKS = {"right": "is-ok", "partial": "is-warn", "misconception": "is-bad"}
_MOST = 400


@solara.component
def DialoguesPanel(school: School, name: str) -> None:
    """One dialogue, and which."""
    t = use_words()
    chosen, choose = solara.use_state("")
    records = {str(record.number): record for record in reversed(school.records.get(name, ())[-_MOST:])}
    if not records:
        Note(t("learner.read.none"))
        return
    record = records.get(chosen) or next(iter(records.values()))
    with solara.Div(classes=["ev-stack"]):
        names = {number: _title(one, school, t) for number, one in records.items()}
        Choice(t("learner.read.choose"), names, str(record.number), choose)
        Reading(record_tree(record, name, school, t))


def _title(record: Record, school: School, t: Words) -> str:
    key = "learner.read.own" if record.own else "learner.read.episode"
    unit = unit_name(school.setup.curriculum, record.unit)
    return t(key, number=record.number, day=round(record.day), grade=t.ordinal(record.grade), unit=unit)


def record_tree(record: Record, name: str, school: School, t: Words) -> Tree:
    """A dialogue with what is remembered of it."""
    stays: Tree = ["p", {"class": "ev-quote", "dir": "auto"}, record.summary] if record.summary else ""
    if not record.lines:
        return ["div", {}, stays, ["p", {"class": "ev-muted"}, t("learner.read.forgotten")]]
    return ["div", {}, stays, talk_tree(record.lines, name, school, t)]


def talk_tree(lines: Sequence[LineRow], name: str, school: School, t: Words, *, follow: bool = False) -> Tree:
    """Lines of a dialogue, oldest first."""
    listed = {
        "class": "ev-talk",
        "tabindex": "0",
        "role": "log",
        "aria-label": t("learner.read.title"),
        "data-follow": follow,
    }
    shown: list[Tree] = [_line(place, line, name, school, t) for place, line in enumerate(lines)]
    return ["div", listed, ["ol", {}, *shown]]


def _line(place: int, line: LineRow, name: str, school: School, t: Words) -> Tree:
    tutor = line.speaker == "tutor"
    return [
        "li",
        {"key": str(place), "class": "ev-line teacher" if tutor else "ev-line student"},
        ["span", {"class": "ev-step"}, str(line.turn)],
        [
            "div",
            {},
            ["b", {"dir": "auto"}, t("learner.read.tutor") if tutor else name],
            ["p", {"dir": "auto"}, line.text or t("learner.read.silence")],
            ["span", {"class": "ev-labels"}, *_labels(line, school, t)],
        ],
    ]


def _labels(line: LineRow, school: School, t: Words) -> list[Tree]:
    if line.speaker == "tutor":
        return [_chip(t(f"learner.move.{line.kind}"))] if line.kind in MOVES and line.kind != "other" else []
    labels = [_chip(t(f"learner.kind.{line.kind}"), _LOOKS.get(line.kind, ""))] if line.kind in ANSWER_KINDS else []
    if line.hedged:
        labels.append(_chip(t("learner.read.hedged")))
    if line.leaks:
        units = ", ".join(unit_name(school.setup.curriculum, unit) for unit in line.leaks.split(";"))
        labels.append(_chip(t("learner.read.leak"), "is-bad"))
        labels.append(["span", {"class": "ev-muted ev-small"}, f" {units}"])
    return labels


def _chip(text: str, look: str = "") -> Tree:
    return ["span", {"class": f"ev-chip {look}".strip()}, text]
