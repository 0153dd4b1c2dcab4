"""The rules of the seat graph, and single pairs."""

from __future__ import annotations

from typing import Any, get_args

import solara

from eduverse_mesa.scenarios.drafting import PRESETS
from eduverse_mesa.scenarios.drafting.documents import mapping
from eduverse_mesa.scenarios.drafting.rules import Do, RuleName
from eduverse_mesa.scenarios.plain import Trail
from eduverse_mesa.space import student_graph
from eduverse_mesa.visualization.app.kit import Form, use_words
from eduverse_mesa.visualization.app.lessons.workshop import Workshop
from eduverse_mesa.visualization.app.pages.design.fields import (
    Fields,
    buttons,
    field,
    head,
    note,
    options,
    trail_of,
    use_seen,
)
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.words import Words

_RULES: tuple[RuleName, ...] = get_args(RuleName)
_DOES: tuple[Do, ...] = get_args(Do)


@solara.component
def RulesPanel(shop: Workshop) -> None:
    """Rules in their order, each with what it does; what they amount to is drawn at once."""
    use_seen()
    t = use_words()
    rules = shop.draft.get("layout", "seat_graph")
    count = len(rules) if isinstance(rules, list) else 0
    with solara.Div(classes=["ev-stack"]):
        _Presets(shop, t)
        for place in range(count):
            _Rule(shop, place, count, t).key(f"rule {place}")
        _Pairs(shop, t)


@solara.component
def _Presets(shop: Workshop, t: Words) -> None:
    use_seen()
    now = shop.draft.get("layout", "seat_graph") or []
    used = next((name for name, rules in PRESETS.items() if rules == now), "")

    def hear(field: str, value: Any) -> None:
        if field == "preset":
            shop.do(shop.draft.rules.use, value)
        elif field == "add":
            shop.do(shop.draft.rules.add, value)

    shown = [
        note("note", t("design.rules.note")),
        buttons(
            "preset",
            *((name, t(f"design.rules.preset.{name}"), "on" if name == used else "off") for name in PRESETS),
            label=t("design.rules.presets"),
        ),
        field(
            "add",
            "select",
            t("design.rules.add"),
            "",
            again=True,
            width="half",
            options=[
                ["", "–"],
                *options([one for one in _RULES if one != "pairs"], lambda one: t(f"design.rules.what.{one}")),
            ],
        ),
    ]
    Form(shown, hear, label=t("design.rules.presets"))


@solara.component
def _Rule(shop: Workshop, place: int, count: int, t: Words) -> None:
    use_seen()
    fields = Fields(shop, t)
    at = ("layout", "seat_graph", place)
    rule = mapping(shop.draft.document, at)

    def hear(field: str, value: Any) -> None:
        rules = shop.draft.rules
        if field == "act":
            if value == "remove":
                shop.do(rules.remove, place)
            else:
                shop.do(rules.shift, place, -1 if value == "up" else 1)
        elif field == "groups":
            groups = [one.strip() for one in value.replace("，", ",").split(",") if one.strip()]
            shop.do(rules.set, place, "groups", groups)
        else:
            shop.do(rules.set, place, str(trail_of(field)[-1]), value)

    shown: list[Field] = [
        head("head", t("design.rules.number", n=place + 1)),
        fields.at(
            (*at, "do"),
            t("design.rules.does"),
            "select",
            "add",
            width="half",
            options=options(_DOES, lambda one: t(f"design.rules.do.{one}")),
        ),
        fields.at(
            (*at, "rule"),
            t("design.rules.which"),
            "select",
            "",
            width="half",
            options=options(_RULES, lambda one: t(f"design.rules.what.{one}")),
        ),
    ]
    shown += _particulars(shop, fields, at, rule, t)
    shown += fields.rest(at, shown)
    shown.append(
        buttons(
            "act",
            ("up", "↑", "plain", place == 0, t("design.rules.up")),
            ("down", "↓", "plain", place == count - 1, t("design.rules.down")),
            ("remove", "✕", "danger", False, t("design.rules.remove")),
        )
    )
    with solara.Div(classes=["ev-rule"]):
        Form(shown, hear, label=t("design.rules.number", n=place + 1))


def _particulars(shop: Workshop, fields: Fields, at: Trail, rule: dict[str, Any], t: Words) -> list[Field]:
    """What only this kind of rule knows."""
    kind = str(rule.get("rule", ""))
    shown: list[Field] = []
    if kind == "distance":
        shown += [
            fields.at((*at, "within"), t("design.rules.within"), "range", 4.5, min=0.5, max=20, step=0.1, width="half"),
            fields.at(
                (*at, "same_group_bonus"), t("design.rules.bonus"), "range", 0.0, min=0, max=10, step=0.1, width="half"
            ),
        ]
    elif kind in ("same_group", "across_groups"):
        groups = rule.get("groups")
        text = ", ".join(map(str, groups)) if isinstance(groups, list) else ""
        shown.append(
            fields.at((*at, "groups"), t("design.rules.groups"), help=t("design.rules.groups_help"))
            | {"id": "groups", "value": text}
        )
    elif kind == "pairs":
        shown.append(note("pairs", _pairs(shop, rule, t)))
    return shown


def _pairs(shop: Workshop, rule: dict[str, Any], t: Words) -> str:
    who = {sitting.seat.id: name for name, sitting in shop.draft.sitting.items() if sitting.real}
    pairs = rule.get("pairs")
    named = [
        " – ".join(who.get(str(seat), str(seat)) for seat in pair)
        for pair in (pairs if isinstance(pairs, list) else [])
        if isinstance(pair, list)
    ]
    return t("design.rules.pairs", pairs="; ".join(named) or "–")


@solara.component
def _Pairs(shop: Workshop, t: Words) -> None:
    """Two students whose seats are linked or cut whatever the other rules say."""
    use_seen()
    names = list(shop.draft.sitting)
    pair, set_pair = solara.use_state(("", ""))
    one, other = (name if name in names else "" for name in pair)
    linked = bool(one and other and one != other) and student_graph(*shop.draft.linking).has_edge(one, other)

    def hear(field: str, value: Any) -> None:
        if field == "one":
            set_pair((value, other))
        elif field == "other":
            set_pair((one, value))
        elif value == "link":
            shop.do(shop.draft.rules.link, one, other)
        else:
            shop.do(shop.draft.rules.unlink, one, other)

    people = options(["", *names], lambda name: name or "–")
    off = not (one and other and one != other)
    shown: list[Field] = [
        head("head", t("design.rules.pair")),
        field("one", "select", t("design.rules.one"), one, options=people, width="half"),
        field("other", "select", t("design.rules.second"), other, options=people, width="half"),
        buttons(
            "act",
            ("link", t("design.rules.link"), "plain", off or linked),
            ("unlink", t("design.rules.unlink"), "plain", off or not linked),
        ),
    ]
    Form(shown, hear, label=t("design.rules.pair"))
