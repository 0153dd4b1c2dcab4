"""The name of the scenario, whether it can be played, and the buttons that are always there."""

from __future__ import annotations

from typing import Any

import solara

from eduverse_mesa.scenarios.drafting import Step
from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.kit import Form, Note, Reading, use_words
from eduverse_mesa.visualization.app.lessons.workshop import Workshop
from eduverse_mesa.visualization.app.pages.design.fields import buttons, use_seen
from eduverse_mesa.visualization.app.pages.design.saying import say
from eduverse_mesa.visualization.words import Words

_KEYS = {
    "ctrl+z": ["tools", "undo"],
    "ctrl+shift+z": ["tools", "redo"],
    "ctrl+y": ["tools", "redo"],
}


@solara.component
def TopBar(desk: Desk, shop: Workshop) -> None:
    """What stands above the room."""
    use_seen()
    t = use_words()
    router = solara.use_router()
    history = shop.draft.history
    ready = shop.draft.scenario is not None

    def hear(_: str, what: Any) -> None:
        if what == "undo":
            shop.undo()
        elif what == "redo":
            shop.redo()
        elif what == "play" and (scenario := shop.draft.scenario) is not None:
            desk.open_classroom(scenario)
            router.push("/")

    choices = buttons(
        "tools",
        ("undo", t("design.undo"), "plain", history.last is None),
        ("redo", t("design.redo"), "plain", history.next is None),
        ("play", t("design.play"), "primary", not ready),
        label=t("design.tools"),
    )
    with solara.Div(classes=["ev-design-top"]):
        Reading(_heading(shop, t, ready))
        Form([choices], hear, shortcuts=_KEYS)
    _Said(shop)


def _heading(shop: Workshop, t: Words, ready: bool) -> list[Any]:
    title = shop.draft.get("title") or shop.draft.get("name") or t("design.untitled")
    count = len(shop.draft.problems)
    chip = (
        ["span", {"class": "ev-chip is-ok"}, t("design.ready")]
        if ready
        else ["span", {"class": "ev-chip is-warn"}, t("design.problems.count", n=count)]
    )
    return ["div", {"class": "ev-design-title"}, ["h1", {}, ["bdi", {}, str(title)[:200]]], chip]


@solara.component
def _Said(shop: Workshop) -> None:
    """What was refused, or done, last."""
    use_seen()
    t = use_words()
    if shop.refused is not None:
        with solara.Div(classes=["ev-design-refused"]):
            Note(say(t, shop.refused), kind="bad")
    elif shop.listed_seats:
        Note(t("design.listed_seats"))
    else:
        text = describe(t, shop.done)
        Reading(["p", {"class": "ev-design-said", "role": "status"}, text or t("design.hint")])


def describe(t: Words, step: Step | None) -> str:
    """What an edit did, in words."""
    key = f"design.done.{step.code}" if step is not None else ""
    return t(key, **step.values) if step is not None and key in t else ""
