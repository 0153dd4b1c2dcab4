"""The room with what is drawn over it, and the bar that plays it."""

from __future__ import annotations

from typing import Any

import solara

from eduverse_mesa.visualization.app.kit import Card, Choice, use_words
from eduverse_mesa.visualization.app.lessons.film import Shot
from eduverse_mesa.visualization.app.lessons.lesson import PACES, ClassroomLesson
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.widgets.room import USUAL, RoomWidget, room_labels
from eduverse_mesa.visualization.widgets.sealed import Sealed
from eduverse_mesa.visualization.widgets.transport import Transport
from eduverse_mesa.visualization.words import Words

OVERLAYS = ("names", "bubbles", "exchanges", "perception", "graph", "arenas", "legend")
_TRANSPORT = ("play", "pause", "step", "back", "first", "scrub")


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
                _Overlay(name, overlays, set_overlays)


@solara.component
def _Overlay(name: str, overlays: tuple[str, ...], set_overlays: Any) -> None:
    t = use_words()
    shown = name in overlays
    others = tuple(other for other in overlays if other != name)
    solara.Button(
        t(f"classroom.overlay.{name}"),
        small=True,
        outlined=True,
        classes=["ev-toggle", "on"] if shown else ["ev-toggle"],
        attributes={"aria-pressed": str(shown).lower()},
        on_click=lambda: set_overlays(others if shown else (*others, name)),
    )


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

    def hear(event: Any) -> None:
        what = event.get("do") if isinstance(event, dict) else None
        if what in ("seek", "glance") and isinstance(event.get("to"), int):
            getattr(lesson, what)(event["to"])
        elif what in ("play", "pause", "step", "rest"):
            getattr(lesson, what)()

    shots = list(lesson.film.shots)
    took = shots[-1].step if shots and lesson.player.status == "complete" else None
    with solara.Div():  # two parts without one around them would be laid on a sheet of their own
        Transport.element(
            at=min(lesson.at, lesson.last),
            last=lesson.last,
            playing=lesson.playing,
            over=lesson.over or not lesson.has_play,
            plays=lesson.has_play,
            names=[name_of(t, shot, several=bool(several), took=took) for shot in shots],
            phases=_phases(t, shots),
            labels={name: t(f"classroom.transport.{name}") for name in _TRANSPORT},
            on_event=hear,
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
        text = t("classroom.status.waits_for", names=", ".join(waiting))
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
    """What a place of the film is called; `several`: of several lessons. `took` is how many steps the lesson has taken,
    once it is over: until then there is only its plan."""
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
    stretches: list[list[Any]] = []
    for place, shot in enumerate(shots[1:], start=1):
        if shot.step == 0:
            continue
        if stretches and stretches[-1][3] == shot.frame.phase and stretches[-1][4] == shot.lesson:
            stretches[-1][2] = place
        else:
            stretches.append([t.code(shot.frame.phase), place - 1, place, shot.frame.phase, shot.lesson])
    return [stretch[:4] for stretch in stretches]
