"""The rooms side by side, at the same step, and the bar that plays them."""

from __future__ import annotations

from typing import Any

import solara

from eduverse_mesa.visualization.app.kit import Card, Choice, Reading, use_words
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.app.pages.compare.comparison import PACES, Comparison
from eduverse_mesa.visualization.app.pages.compare.sides import Side, told_place, unlike
from eduverse_mesa.visualization.widgets.room import RoomWidget, room_labels
from eduverse_mesa.visualization.widgets.sealed import Sealed
from eduverse_mesa.visualization.widgets.transport import Transport
from eduverse_mesa.visualization.words import Words

_TRANSPORT = ("play", "pause", "step", "back", "first", "scrub")
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
        Reading(_title(side, number, t("compare.rooms.over") if over else ""))
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


def _title(side: Side, number: int, more: str) -> Any:
    told = f"{side.shown.spec.seed}" if side.shown is not None else ""
    dot = ["span", {"class": f"ev-dot s{number + 1}", "aria-hidden": "true"}]
    chips = [["span", {"class": "ev-chip"}, text] for text in (f"# {told}", more) if text]
    return ["h3", {"class": "ev-side-name"}, dot, ["bdi", {}, side.name], *chips]


def _unlike(names: list[str], everybody: int, t: Words) -> str:
    if not names:
        return t("compare.rooms.same")
    shown = ", ".join(names[:_NAMED]) + ("…" if len(names) > _NAMED else "")
    return t("compare.rooms.unlike", count=len(names), all=everybody, names=shown)


@solara.component
def _Bar(comparison: Comparison) -> None:
    t = use_words()
    use_live(comparison.moved)

    def hear(event: Any) -> None:
        what = event.get("do") if isinstance(event, dict) else None
        if what in ("seek", "glance") and type(event.get("to")) is int:
            comparison.seek(event["to"])
        elif what in ("play", "pause", "step"):
            getattr(comparison, what)()

    several = len({lesson for lesson, _ in comparison.places}) > 1
    Transport.element(
        at=comparison.at,
        last=comparison.last,
        playing=comparison.playing,
        over=False,
        names=[told_place(lesson, step, several, t) for lesson, step in comparison.places],
        phases=_phases(comparison, t),
        labels={name: t(f"classroom.transport.{name}") for name in _TRANSPORT},
        on_event=hear,
    )


def _phases(comparison: Comparison, t: Words) -> list[list[Any]]:
    """The phases of the first side under the slider: [name, from, to, kind]."""
    stretches: list[list[Any]] = []
    for at, place in enumerate(comparison.places):
        shot = comparison.sides[0].shot(place)
        phase = shot.frame.phase if shot is not None and (shot.lesson, shot.step) == place else ""
        if not phase:
            continue
        if stretches and stretches[-1][3] == phase and stretches[-1][2] == at - 1:
            stretches[-1][2] = at
        else:
            stretches.append([t.code(phase), at - 1, at, phase])
    return stretches


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
