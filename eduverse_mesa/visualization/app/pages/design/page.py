"""The design page: the room at the left, what it is made of at the right, and what is wrong above both."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import solara

from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.kit import Card, Reading, use_words
from eduverse_mesa.visualization.app.lessons.workshop import TABS, Workshop, tab_of, use_workshop
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.app.pages.design.fields import SEEN, use_seen
from eduverse_mesa.visualization.app.pages.design.files import FilePanel
from eduverse_mesa.visualization.app.pages.design.lesson import LessonPanel
from eduverse_mesa.visualization.app.pages.design.problems import ProblemList
from eduverse_mesa.visualization.app.pages.design.room import RoomEditor, RoomPanel
from eduverse_mesa.visualization.app.pages.design.rules import RulesPanel
from eduverse_mesa.visualization.app.pages.design.settings import SettingsPanel
from eduverse_mesa.visualization.app.pages.design.students import StudentsPanel
from eduverse_mesa.visualization.app.pages.design.topbar import TopBar
from eduverse_mesa.visualization.words import Words

_PANELS = {
    "room": RoomPanel,
    "students": StudentsPanel,
    "rules": RulesPanel,
    "lesson": LessonPanel,
    "settings": SettingsPanel,
    "file": FilePanel,
}


@solara.component
def DesignPage(desk: Desk) -> None:
    """A scenario, as somebody makes it."""
    shop = use_workshop(desk)
    SEEN.provide(use_live(shop.changed))
    t = use_words()
    solara.Style(_style())
    with solara.Div(classes=["ev-stack", "ev-design"]):
        TopBar(desk, shop)
        ProblemList(shop)
        with solara.Div(classes=["ev-split", "ev-design-split"]):
            RoomEditor(shop)
            with Card(classes=["ev-design-side"]):
                _Tabs(shop, t)
                with solara.Div(classes=["ev-design-panel"]).key(f"panel-{shop.tab}"):
                    _PANELS[shop.tab](shop)


@solara.component
def _Tabs(shop: Workshop, t: Words) -> None:
    use_seen()
    counts = dict.fromkeys(TABS, 0)
    for found in shop.draft.problems:
        counts[tab_of(found.trail)] += 1

    def hear(tab: Any) -> None:
        if tab in TABS:
            shop.open_tab(tab)

    Reading(
        [
            "div",
            {"class": "ev-tabs", "role": "tablist", "aria-label": t("design.tabs")},
            *(_tab(tab, counts[tab], shop.tab == tab, t) for tab in TABS),
        ],
        on_event=hear,
    )


def _tab(tab: str, count: int, here: bool, t: Words) -> list[Any]:
    name = t(f"design.tab.{tab}")
    attributes = {"key": tab, "role": "tab", "aria-selected": "true" if here else "false", "on": tab, "class": "ev-tab"}
    badge = (
        [["span", {"class": "ev-badge", "aria-label": t("design.problems.count", n=count)}, str(count)]]
        if count
        else []
    )
    return ["button", attributes, name, *badge]


@cache
def _style() -> str:
    return (files("eduverse_mesa.visualization.app.pages.design") / "design.css").read_text(encoding="utf-8")
