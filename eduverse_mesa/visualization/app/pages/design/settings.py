"""How the lesson is run."""

from __future__ import annotations

from typing import Any

import solara

from eduverse_mesa.scenarios.drafting.documents import mapping
from eduverse_mesa.scenarios.plain import Trail
from eduverse_mesa.scenarios.scenario import Settings
from eduverse_mesa.visualization.app.kit import Form, use_words
from eduverse_mesa.visualization.app.lessons.workshop import Workshop
from eduverse_mesa.visualization.app.pages.design.fields import Fields, head, options, trail_of, use_seen
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.words import Words

_USUAL = Settings()
_WAIT: Trail = ("settings", "people", "wait")


@solara.component
def SettingsPanel(shop: Workshop) -> None:
    """Steps, gate, pacing, perception, memory."""
    use_seen()
    t = use_words()
    fields = Fields(shop, t)

    shown = _shown(shop, fields, t)
    shown += fields.rest(("settings",), shown)

    def hear(field: str, value: Any) -> None:
        trail = trail_of(field)
        if trail == _WAIT and value is None:  # to wait as long as it takes is something else than the usual
            people = mapping(shop.draft.document, _WAIT[:-1])
            shop.do(shop.draft.set, _WAIT[:-1], {**people, "wait": None})
            return
        value = round(value, 4) if isinstance(value, float) else value
        shop.do(shop.draft.set, trail, None if value == "" and trail == ("title",) else value)

    Form(shown, hear, label=t("design.tab.settings"))


def _shown(shop: Workshop, fields: Fields, t: Words) -> list[Field]:
    def at(*trail: str, kind: str = "range", usual: Any, **more: Any) -> Field:
        name = ".".join(trail)
        text = {"help": t(f"design.settings.{name}_help")} if f"design.settings.{name}_help" in t else {}
        return fields.at(("settings", *trail), t(f"design.settings.{name}"), kind, usual, **text, **more)

    pacing = options(("adaptive", "fixed"), lambda one: t(f"design.settings.pacing.{one}"))
    return [
        fields.at(("title",), t("design.settings.title"), usual=""),
        fields.at(("name",), t("design.settings.name"), help=t("design.settings.name_help"), maxlength=80),
        head("lesson", t("design.settings.lesson")),
        at("steps", kind="number", usual=_USUAL.steps, min=1, max=1000, step=1, width="half"),
        at("floor", kind="number", usual=_USUAL.floor, min=1, max=100, step=1, width="half"),
        at("pacing", "mode", kind="select", usual=_USUAL.pacing.mode, options=pacing, width="half"),
        at("pacing", "stretch", usual=_USUAL.pacing.stretch, min=1, max=3, step=0.05, width="half"),
        head("social", t("design.settings.social")),
        at(
            "gate",
            "threshold",
            usual=_USUAL.gate.threshold,
            min=0,
            max=1,
            step=0.01,
            low=t("design.settings.gate.low"),
            high=t("design.settings.gate.high"),
        ),
        at("perception", "radius", usual=_USUAL.perception.radius, min=1, max=40, step=0.5, width="half"),
        at(
            "perception",
            "capacity",
            kind="number",
            usual=_USUAL.perception.capacity,
            min=0,
            max=100,
            step=1,
            width="half",
        ),
        head("people", t("design.settings.seated")),
        at("people", "wait", kind="number", usual=_wait(shop), min=0, step=5, width="half"),
        at("people", "away", kind="number", usual=_USUAL.people.away, min=0, step=5, width="half"),
        head("between", t("design.settings.between")),
        at("memory", "carry", kind="check", usual=_USUAL.memory.carry),
        at(
            "memory",
            "days_between",
            kind="number",
            usual=_USUAL.memory.days_between,
            min=0,
            max=3650,
            step=0.5,
            width="half",
        ),
    ]


def _wait(shop: Workshop) -> float | str:
    """What is waited where no number stands: nothing there is the usual time, null is no end."""
    return "" if "wait" in mapping(shop.draft.document, _WAIT[:-1]) else _USUAL.people.wait or ""
