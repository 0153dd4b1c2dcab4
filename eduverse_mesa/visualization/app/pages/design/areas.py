"""The areas of the room: listed, and the one that was picked with its name and its cells."""

from __future__ import annotations

from typing import Any

import solara

from eduverse_mesa.scenarios.layout import Arena
from eduverse_mesa.visualization.app.kit import Form, Reading, use_words
from eduverse_mesa.visualization.app.lessons.workshop import Workshop
from eduverse_mesa.visualization.app.pages.design.fields import field, head, use_seen
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.words import Words

AREA = "area"
"""The kind of what is picked, where it is an area."""
_SIDES = ("left", "top", "right", "bottom")


def pick_area(shop: Workshop, name: str) -> None:
    """Look at an area, with all areas drawn."""
    shown = shop.overlays if "arenas" in shop.overlays else (*shop.overlays, "arenas")
    shop.renew(picked=(AREA, name), overlays=shown, tab="room")


def add_area(shop: Workshop) -> None:
    """An area more, to be looked at."""
    made: list[str] = []
    if shop.do(lambda: made.append(shop.draft.areas.add())):
        pick_area(shop, made[0])


def area_name(name: str, t: Words) -> str:
    """What an area is called: those of the built-in layouts in the page's language."""
    return t.get(f"room.zone.{name}") or name.replace("_", " ")


@solara.component
def PickedArea(shop: Workshop) -> None:
    """Name and cells of the area that was picked."""
    use_seen()
    t = use_words()
    arena = _picked(shop)
    if arena is None:
        solara.Div(classes=["ev-idle"])
        return

    def hear(what: str, value: Any) -> None:
        now = _picked(shop)  # it may have changed since the form was drawn
        if now is None:
            return
        areas = shop.draft.areas
        if what == "name":
            if shop.do(areas.rename, now.name, value):
                pick_area(shop, str(value).strip())
        elif what == "presentation":
            shop.do(areas.present, now.name, value)
        elif what in _SIDES:
            box = dict(zip(_SIDES, now.area, strict=True)) | {what: value}
            shop.do(areas.resize, now.name, tuple(box[side] for side in _SIDES))

    sides: list[Field] = [
        field(side, "number", t(f"design.area.{side}"), at, width="quarter", min=0, step=1)
        for side, at in zip(_SIDES, arena.area, strict=True)
    ]
    shown: list[Field] = [
        head("head", t("design.area.title", name=area_name(arena.name, t))),
        field("name", "text", t("design.room.name"), arena.name),
        *sides,
        field(
            "presentation", "check", t("design.area.presentation"), arena.presentation, help=t("design.area.seen_help")
        ),
    ]
    Form(shown, hear, label=arena.name)


def _picked(shop: Workshop) -> Arena | None:
    kind, name = shop.picked
    return next((one.arena for one in shop.draft.areas.all if kind == AREA and one.arena.name == name), None)


@solara.component
def AreaList(shop: Workshop) -> None:
    """All areas of the room."""
    use_seen()
    t = use_words()
    areas = [one.arena for one in shop.draft.areas.all]

    def hear(name: Any) -> None:
        if any(arena.name == name for arena in areas):
            pick_area(shop, str(name))

    def row(arena: Arena) -> list[Any]:
        here = shop.picked == (AREA, arena.name)
        left, top, right, bottom = arena.area
        look = {"on": arena.name, "class": "ev-pick here" if here else "ev-pick", "aria-pressed": str(here).lower()}
        cells = ["span", {"class": "ev-muted"}, f"{left}, {top} – {right}, {bottom}"]
        return ["li", {"key": arena.name}, ["button", look, ["b", {}, ["bdi", {}, area_name(arena.name, t)]], cells]]

    many = ["summary", {}, t("design.area.count", n=len(areas))]
    Reading(["details", {"key": "areas"}, many, ["ul", {"class": "ev-picks"}, *map(row, areas)]], on_event=hear)
