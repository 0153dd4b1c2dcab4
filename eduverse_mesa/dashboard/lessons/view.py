"""The lesson as pages show it: the room and how it is played, the step that is looked at, and all that was said."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

import solara

from eduverse_mesa.dashboard.elements import (
    Card,
    Choice,
    Form,
    PlayBar,
    Reading,
    Toggle,
    chip,
    stretches,
    turned,
    use_words,
)
from eduverse_mesa.dashboard.lessons.lesson import PACES, ClassroomLesson
from eduverse_mesa.dashboard.lessons.playback import Shot
from eduverse_mesa.dashboard.notice import use_live
from eduverse_mesa.decisions import Status
from eduverse_mesa.visualization.frames import Frame, Sentence
from eduverse_mesa.visualization.widgets.base import Sealed
from eduverse_mesa.visualization.widgets.fields import field, select
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.widgets.room import USUAL, RoomWidget, room_labels
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.labels import reason_of

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
        facts.append(_fact(t("classroom.now.called"), t.names(teacher.called)))
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
            ["span", {"class": "ev-muted"}, t.aside(reason_of(one.reason, t))],
        ]
        for one in frame.rejections
    ]
    head = ["summary", {}, t("classroom.now.refused") + t.aside(len(rows))]
    return ["details", {"class": "ev-small"}, head, ["ul", {}, *rows]]


def _troubles(frame: Frame, t: Words) -> Tree:
    rows = [
        [
            "li",
            {},
            ["b", {"dir": "auto"}, one.agent],
            f" · {t.told(asked(one.kind, t))}",
            chip(t.code(one.status), _CHIPS.get(cast(Status, one.status), "")),
            ["span", {"class": "ev-muted", "dir": "auto"}, f" {reason_of(one.reason, t)}"],
        ]
        for one in frame.troubles
    ]
    head = ["summary", {}, t("classroom.now.trouble") + t.aside(len(rows))]
    return ["details", {"class": "ev-small", "open": True}, head, ["ul", {}, *rows]]


def asked(kind: str, t: Words) -> str:
    """Return the name of a kind of question that was asked."""
    key = f"classroom.asked.{kind}"
    return t(key) if key in t else t.code(kind)


def _outcomes(outcomes: Mapping[Status, int], t: Words) -> Tree:
    chips: list[Tree] = []
    for status, count in outcomes.items():
        if count:
            chips += [chip(t.counted(status, count), _CHIPS.get(status, "")), " "]
    return ["p", {"class": "ev-small ev-muted"}, t.told(t("classroom.now.outcomes")), *chips]


OVERLAYS = ("names", "bubbles", "exchanges", "perception", "graph", "arenas", "legend")


@solara.component
def SeenRoom(lesson: ClassroomLesson) -> None:
    """The room at the step that is looked at."""
    t = use_words()
    overlays, set_overlays = solara.use_state((*USUAL, "perception"))
    with Card(classes=["ev-room-card"]):
        _Drawing(lesson, overlays)
        _Playing(lesson)
        with solara.Div(classes=["ev-row", "ev-overlays"]):
            solara.Text(t("classroom.overlay.label"), classes=["ev-quiet"])
            for name in OVERLAYS:
                label, changed = t(f"classroom.overlay.{name}"), turned(overlays, name)
                Toggle(label, name in overlays, lambda changed=changed: set_overlays(changed))


@solara.component
def _Drawing(lesson: ClassroomLesson, overlays: tuple[str, ...]) -> None:
    t = use_words()
    use_live(lesson.moved)
    use_live(lesson.passed)
    use_live(lesson.chosen)
    shot = lesson.shot
    if shot is not None:
        RoomWidget.element(
            stage=Sealed(lesson.film.stages[shot.lesson]),
            frame=Sealed(shot.drawn),
            selected=lesson.selected,
            on_selected=lesson.select,
            overlays=list(overlays),
            labels=Sealed(room_labels(t.language)),
        )


@solara.component
def _Playing(lesson: ClassroomLesson) -> None:
    t = use_words()
    use_live(lesson.moved)
    use_live(lesson.passed)
    several = lesson.player.run.spec.scenario.lessons[1:]

    shots = list(lesson.film.shots)
    took = shots[-1].step if shots and lesson.player.status == "complete" else None
    with solara.Div():  # two parts without one around them would be laid on a sheet of their own
        PlayBar(
            lesson,
            [name_of(t, shot, several=bool(several), took=took) for shot in shots],
            _phases(t, shots),
            over=lesson.over or not lesson.has_play,
            plays=lesson.has_play,
        )
        with solara.Div(classes=["ev-row", "ev-standing-row"]):
            _Standing(lesson)
            _Pace(lesson)


@solara.component
def _Standing(lesson: ClassroomLesson) -> None:
    t = use_words()
    use_live(lesson.moved)
    status = lesson.player.status
    waiting = list(dict.fromkeys(one.agent for one in lesson.player.thinking))
    text = t(f"classroom.status.{status}")
    if waiting:
        text = t("classroom.status.waits_for", names=t.names(waiting))
    solara.Text(text, classes=["ev-quiet", "ev-standing"])


@solara.component
def _Pace(lesson: ClassroomLesson) -> None:
    t = use_words()
    pace, set_pace = solara.use_state(lesson.pace)
    shown = {str(one): _told(one, t) for one in PACES}

    def choose(name: str) -> None:
        chosen = next(one for one in PACES if str(one) == name)
        set_pace(chosen)
        lesson.set_pace(chosen)

    with solara.Div(classes=["ev-inline"]):
        Choice(t("classroom.lesson.speed"), shown, str(pace), choose)


def _told(pace: float | None, t: Words) -> str:
    if pace is None:
        return t("classroom.lesson.fast")
    return t("classroom.lesson.per_second", n=int(pace) if pace.is_integer() else pace)


def name_of(t: Words, shot: Shot, *, several: bool, took: int | None = None) -> str:
    """Return the name of a place of the film; `several`: of several lessons. `took` is how many steps the lesson has
    taken, once it is over: until then there is only its plan."""
    if shot.step == 0 and not several:
        return t("classroom.transport.before")
    if several:
        return t("classroom.transport.at_lesson", lesson=shot.lesson, step=shot.step)
    if took is not None:
        return t("classroom.transport.of", step=shot.step, steps=took)
    if shot.step > shot.frame.steps:
        return t("classroom.transport.beyond", step=shot.step)
    return t("classroom.transport.at", step=shot.step, steps=shot.frame.steps)


def _phases(t: Words, shots: list[Shot]) -> list[list[Any]]:
    """Stretches of the film: [name, from, to, kind]."""
    phases = [(shot.frame.phase, shot.lesson) if shot.step else None for shot in shots]
    found = stretches(phases, lambda kind: t.code(kind[0]))
    return [[name, start, end, phase] for name, start, end, (phase, _) in found]


_LONGEST = 2000
"""Letters of a sentence that are shown; all of them are in the exports."""


@solara.component
def Transcript(lesson: ClassroomLesson) -> None:
    """All talk up to the step that is looked at."""
    t = use_words()
    use_live(lesson.moved)
    search, set_search = solara.use_state("")
    person, set_person = solara.use_state("")
    move, set_move = solara.use_state("")
    shots = lesson.film.shots[: lesson.at + 1]
    moves = sorted({said.move for shot in shots for said in shot.frame.sentences if said.move})
    people = list(dict.fromkeys(said.speaker for shot in shots for said in shot.frame.sentences))
    fields: list[Field] = [
        field("search", "text", t("classroom.transcript.search"), search, live=True, width="third"),
        _choice("person", t, ["", *people], person, t("classroom.transcript.all"), str),
        _choice("move", t, ["", *moves], move, t("classroom.transcript.any"), t.code),
    ]
    setters = {"search": set_search, "person": set_person, "move": set_move}

    def heard(event: object) -> None:
        if isinstance(event, dict) and isinstance(event.get("place"), int):
            lesson.seek(event["place"])

    with Card(t("classroom.transcript.title")):
        Form(fields, lambda name, value: setters[name](value), label=t("classroom.transcript.title"))
        Reading(transcript_tree(shots, t, search, person, move), on_event=heard)


def _choice(name: str, t: Words, values: list[str], chosen: str, nothing: str, say: Callable[[str], str]) -> Field:
    names = {value: say(value) if value else nothing for value in values}
    return select(name, t(f"classroom.transcript.{name}"), names, chosen, width="third")


def transcript_tree(
    shots: Iterable[Shot], t: Words, search: str = "", person: str = "", move: str = "", keep: int = 400
) -> Tree:
    """Lines of talk, oldest first; the last `keep` of those that fit."""
    wanted = search.casefold().strip()
    lines: list[Tree] = []
    spoken = False
    for place, shot in enumerate(shots):
        for number, said in enumerate(shot.frame.sentences):
            spoken = True
            if person and person not in (said.speaker, said.to):
                continue
            if move and said.move != move:
                continue
            if wanted and wanted not in f"{said.speaker} {said.text} {said.move}".casefold():
                continue
            lines.append(_line(place, shot, number, said, t))
    if not lines:
        return [
            "p",
            {"class": "ev-muted"},
            t("classroom.transcript.no_match" if spoken else "classroom.transcript.none"),
        ]
    found = ["p", {"class": "ev-small ev-muted", "role": "status"}, t("classroom.transcript.found", n=len(lines))]
    told = found if (search or person or move) else ""
    title = t("classroom.transcript.title")
    log = {"class": "ev-talk", "data-follow": True, "data-roving": True, "role": "log", "aria-label": title}
    return ["div", {}, told, ["div", log, ["ol", {}, *lines[-keep:]]]]


def _line(place: int, shot: Shot, number: int, said: Sentence, t: Words) -> Tree:
    role = "teacher" if said.role == "T" else "student"
    to = "" if said.to in ("class", "") else t("classroom.transcript.to", name=t.code(said.to))
    moved = ["span", {"class": "ev-move"}, t.code(said.move)] if said.move not in ("", "none") else ""
    return [
        "li",
        {"key": f"{place}-{number}", "class": f"ev-line {role} {said.channel}"},
        [
            "button",
            {
                "class": "ev-step",
                "aria-label": t("classroom.transcript.step", step=shot.step, name=said.speaker),
                "on": {"place": place},
            },
            str(shot.step),
        ],
        [
            "div",
            {},
            ["b", {"dir": "auto"}, said.speaker],
            ["span", {"class": "ev-muted"}, f" {to}"],
            ["p", {"dir": "auto"}, said.text[:_LONGEST]],
            moved,
        ],
    ]
