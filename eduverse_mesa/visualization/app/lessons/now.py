"""What is going on in the step that is looked at: phase, teacher, pace, and what could not be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import solara

from eduverse_mesa.decisions import Status
from eduverse_mesa.visualization.app.kit import Card, Reading, use_words
from eduverse_mesa.visualization.app.lessons.lesson import ClassroomLesson
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.frames import Frame
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.reasons import reason_of

_CHIPS: dict[Status, str] = {"repaired": "is-warn", "fallback": "is-warn", "failed": "is-bad"}


@solara.component
def Now(lesson: ClassroomLesson) -> None:
    """The step in words."""
    t = use_words()
    use_live(lesson.moved)
    shot = lesson.shot
    with Card(t("classroom.now.title")):
        if shot is None or shot.step == 0:
            Reading(["p", {"class": "ev-muted"}, t(f"classroom.now.{lesson.begins}")])
        else:
            Reading(now_tree(shot.frame, lesson.player.spending.outcomes, t, pace_of(lesson, lesson.at, shot.frame, t)))


def pace_of(lesson: ClassroomLesson, place: int, frame: Frame, t: Words) -> tuple[str, str]:
    """How the lesson goes on after this step, and why: at its end there is nowhere to go on to."""
    if lesson.ends(place):
        return t("classroom.now.ends"), ""
    return t.code(frame.pacing), reason_of(frame.pacing_reason, t)


def now_tree(frame: Frame, outcomes: Mapping[Status, int], t: Words, pace: tuple[str, str]) -> Tree:
    """A step in words, as a tree for a sheet."""
    teacher = frame.teacher
    facts = [
        _fact(t("classroom.now.phase"), t.code(frame.phase)),
        _fact(t("classroom.now.teacher"), f"{t.code(teacher.act)} · {t.code(teacher.tone)}" if teacher.act else "–"),
        _fact(t("classroom.now.pacing"), *pace),
    ]
    if teacher.called:
        facts.append(_fact(t("classroom.now.called"), ", ".join(teacher.called)))
    parts: list[Tree] = [["dl", {"class": "ev-facts"}, *facts]]
    if teacher.words:
        parts.append(["blockquote", {"class": "ev-quote", "dir": "auto"}, teacher.words])
    if frame.rejections:
        parts.append(_rejections(frame, t))
    if frame.troubles:
        parts.append(_troubles(frame, t))
    if any(outcomes.get(status) for status in _CHIPS):
        parts.append(_outcomes(outcomes, t))
    return ["div", {"class": "ev-now"}, *parts]


def _fact(name: str, value: str, more: str = "") -> Tree:
    told = ["span", {"class": "ev-muted ev-small", "dir": "auto"}, f" {more}"] if more else ""
    return ["div", {}, ["dt", {}, name], ["dd", {}, value, told]]


def _rejections(frame: Frame, t: Words) -> Tree:
    rows = [
        [
            "li",
            {},
            ["b", {"dir": "auto"}, one.agent],
            f" {t.code(one.wanted)}",
            f" → {t.code(one.instead)}" if one.instead else "",
            ["span", {"class": "ev-muted"}, f" ({reason_of(one.reason, t)})"],
        ]
        for one in frame.rejections
    ]
    head = ["summary", {}, f"{t('classroom.now.refused')} ({len(rows)})"]
    return ["details", {"class": "ev-small"}, head, ["ul", {}, *rows]]


def _troubles(frame: Frame, t: Words) -> Tree:
    rows = [
        [
            "li",
            {},
            ["b", {"dir": "auto"}, one.agent],
            f" · {asked(one.kind, t)}: ",
            ["span", {"class": f"ev-chip {_CHIPS.get(cast(Status, one.status), '')}"}, t.code(one.status)],
            ["span", {"class": "ev-muted", "dir": "auto"}, f" {reason_of(one.reason, t)}"],
        ]
        for one in frame.troubles
    ]
    head = ["summary", {}, f"{t('classroom.now.trouble')} ({len(rows)})"]
    return ["details", {"class": "ev-small", "open": True}, head, ["ul", {}, *rows]]


def asked(kind: str, t: Words) -> str:
    """What somebody was asked."""
    key = f"classroom.asked.{kind}"
    return t(key) if key in t else t.code(kind)


def _outcomes(outcomes: Mapping[Status, int], t: Words) -> Tree:
    chips: list[Tree] = []
    for status, count in outcomes.items():
        if count:
            chips += [["span", {"class": f"ev-chip {_CHIPS.get(status, '')}"}, f"{count} {t.code(status)}"], " "]
    return ["p", {"class": "ev-small ev-muted"}, f"{t('classroom.now.outcomes')}: ", *chips]
