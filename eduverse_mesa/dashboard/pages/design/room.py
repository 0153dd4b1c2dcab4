"""The room: its drawing with tools at the left, and at the right forms for the room, its things, areas and rules."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from typing import Any

import networkx as nx
import solara

from eduverse_mesa.dashboard.elements import Card, Form, Idle, Reading, pick_tree, use_words
from eduverse_mesa.dashboard.lessons.draft import Workshop
from eduverse_mesa.dashboard.pages.design.drawing import frame_of, stage_of, teacher_name
from eduverse_mesa.dashboard.pages.design.fields import Fields, trail_of, use_seen
from eduverse_mesa.scenarios.drafts import PRESETS
from eduverse_mesa.scenarios.drafts.documents import mapping
from eduverse_mesa.scenarios.drafts.origin import read_built_in
from eduverse_mesa.scenarios.drafts.placement import read_grid, read_things
from eduverse_mesa.scenarios.layout import Arena
from eduverse_mesa.scenarios.layout_rules import SEAT_RULES
from eduverse_mesa.scenarios.library import Kind
from eduverse_mesa.scenarios.plain import Plain, Trail
from eduverse_mesa.space import student_graph
from eduverse_mesa.visualization.charts.frame import saying
from eduverse_mesa.visualization.charts.room import furniture_name
from eduverse_mesa.visualization.widgets.fields import buttons, field, head, note, select
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.widgets.room import RoomWidget, plain, room_labels
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.labels import titles

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
    """Return the name of an area: those of the built-in layouts in the page's language."""
    return t.get(f"room.zone.{name}") or name.replace("_", " ")


@solara.component
def PickedArea(shop: Workshop) -> None:
    """Name and cells of the area that was picked."""
    use_seen()
    t = use_words()
    arena = _picked(shop)
    if arena is None:
        Idle()
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

    grid = read_grid(shop.draft.document)
    ends = {"left": grid.width, "top": grid.height, "right": grid.width, "bottom": grid.height}
    shown: list[Field] = [
        head("head", t("design.area.title", name=area_name(arena.name, t))),
        field("name", "text", t("design.room.name"), arena.name),
        *(
            field(side, "number", t(f"design.area.{side}"), at, width="quarter", min=0, max=ends[side] - 1, step=1)
            for side, at in zip(_SIDES, arena.area, strict=True)
        ),
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
        left, top, right, bottom = arena.area
        called = ["b", {}, ["bdi", {}, area_name(arena.name, t)]]
        cells = ["span", {"class": "ev-muted"}, f"{left}, {top} – {right}, {bottom}"]
        return ["li", {"key": arena.name}, pick_tree(arena.name, shop.picked == (AREA, arena.name), called, cells)]

    many = ["summary", {}, t("design.area.count", n=len(areas))]
    Reading(["details", {"key": "areas"}, many, ["ul", {"class": "ev-picks"}, *map(row, areas)]], on_event=hear)


OVERLAYS = ("graph", "names", "arenas", "perception")
ADDED = ("seat", "table_4", "desk", "board", "cupboard", "area", "student")
OBJECTS = ("desk", "table", "board", "whiteboard", "lectern", "cupboard", "water_dispenser", "other")


_ITEMS = ("textbook", "pen", "bag", "cup", "chalk", "eraser", "broom", "clock")
"""Things that lie on those of built-in rooms."""


@solara.component
def RoomEditor(shop: Workshop) -> None:
    """The drawing with its tools."""
    use_seen()
    with Card(classes=["ev-design-room"]):
        _Tools(shop)
        _Drawing(shop)
        _Graph(shop)


@solara.component
def _Tools(shop: Workshop) -> None:
    use_seen()
    t = use_words()
    kind, name = shop.picked

    def hear(field: str, what: Any) -> None:
        if field == "add":
            add(shop, what)
        elif field == "moving":
            shop.renew(moving=what)
        elif field == "overlay":
            shown = tuple(one for one in shop.overlays if one != what)
            shop.renew(overlays=shown if what in shop.overlays else (*shown, what))
        elif field == "remove":
            remove(shop)

    def turned(name: str, chosen: Collection[str], *choices: str) -> Field:
        shown = [(what, t(f"design.{name}.{what}"), "on" if what in chosen else "off") for what in choices]
        return buttons(name, *shown, label=t(f"design.{name}.label"))

    named = t("design.remove.what", name=_named(shop, t) or t("design.remove.nothing"))
    fields = [
        buttons("add", *((what, t(f"design.add.{what}")) for what in ADDED), label=t("design.add.label")),
        turned("moving", [shop.moving], "people", "seats"),
        turned("overlay", shop.overlays, *OVERLAYS),
        buttons("remove", ("remove", named, "danger", not name or kind == "teacher")),
    ]
    Form(fields, hear, look="bar")


def _named(shop: Workshop, t: Words) -> str:
    kind, name = shop.picked
    return area_name(name, t) if kind == AREA else name


def add(shop: Workshop, what: str) -> None:
    """Put something new into the room and look at it."""
    draft = shop.draft
    made: list[Any] = []
    if what == "student":
        shop.do(lambda: made.append(draft.people.add()))
        if made:
            shop.pick("student", draft.people.names[made[0]])
    elif what == "area":
        add_area(shop)
    elif what == "seat":
        if shop.do(lambda: made.append(draft.room.add_seat())):
            shop.pick("seat", made[0])
    elif what == "table_4":
        shop.do(draft.room.add_table, seats=4)
    elif what in OBJECTS and shop.do(lambda: made.append(draft.room.add_object(what))):  # type: ignore[arg-type]
        shop.pick("thing", made[0])


def remove(shop: Workshop) -> None:
    """Take out what is looked at."""
    kind, name = shop.picked
    people, room = shop.draft.people, shop.draft.room
    if kind == "student" and name in people.names:
        shop.do(people.remove, people.names.index(name))
    elif kind == "seat":
        shop.do(room.remove_seat, name)
    elif kind == "thing":
        shop.do(room.remove_object, name)
    elif kind == AREA:
        shop.do(shop.draft.areas.remove, name)
    if shop.refused is None:
        shop.renew(picked=("student", ""))


@solara.component
def _Drawing(shop: Workshop) -> None:
    use_seen()
    t = use_words()
    draft = shop.draft

    def hear(event: dict[str, Any]) -> None:
        kind, name = event["kind"], event["name"]
        if event["act"] == "pick":
            shop.pick(kind, "" if kind == "teacher" else name)
            return
        there = [other for what, other in draft.room.at(tuple(event["to"])) if what == "student"]
        if kind == "student" and there and there[0] != name:
            shop.do(draft.people.swap, name, there[0])
        else:
            shop.do(draft.room.move, "object" if kind == "thing" else kind, name, event["to"])

    people = shop.moving == "people"
    RoomWidget.element(
        stage=plain(stage_of(draft)),
        frame=plain(frame_of(draft, people=people)),
        mode="edit",
        swaps=True,
        picks=True,
        overlays=list(shop.overlays if people else [one for one in shop.overlays if one != "graph"]),
        selected=teacher_name(draft)
        if shop.picked == ("teacher", "")
        else shop.picked[1] * (shop.picked[0] == "student"),
        on_selected=lambda name: None if name else shop.let_go(),
        on_event=hear,
        labels=room_labels(t.language),
    )


@solara.component
def _Graph(shop: Workshop) -> None:
    """Links that the rules make, in numbers."""
    use_seen()
    t = use_words()
    graph = student_graph(*shop.draft.linking)
    alone = sorted(nx.isolates(graph))
    count = graph.number_of_nodes()
    degree = 2 * graph.number_of_edges() / count if count else 0.0
    facts = [
        t("design.graph.links", n=graph.number_of_edges()),
        t("design.graph.degree", degree=f"{degree:.1f}"),
        t("design.graph.alone", n=len(alone), names=", ".join(alone[:4]) + (" …" if len(alone) > 4 else ""))
        if alone
        else t("design.graph.nobody_alone"),
    ]
    people, seats = len(shop.draft.people.names), len(shop.draft.seats)
    facts.append(t("design.graph.seats", people=people, seats=seats))
    Reading(["ul", {"class": "ev-facts", "aria-label": t("design.graph.label")}, *(["li", {}, fact] for fact in facts)])


# --- the list of what is in the room ---


@solara.component
def RoomPanel(shop: Workshop) -> None:
    """Forms for the room, for what is picked in it, and for all that stands there."""
    use_seen()
    t = use_words()
    fields = Fields(shop, t)
    with solara.Div(classes=["ev-stack"]):
        _Whole(shop, fields, t)
        _Picked(shop, t)
        PickedArea(shop)
        _Things(shop, t)
        AreaList(shop)


@cache
def built_in(kind: Kind, name: str) -> Plain:
    """A built-in document, to compare with."""
    return read_built_in(kind, name)


@solara.component
def _Whole(shop: Workshop, fields: Fields, t: Words) -> None:
    use_seen()
    grid = read_grid(shop.draft.document)
    known = str(shop.draft.get("layout", "name") or "")
    names = titles("layout", t)
    whole = known in names and shop.draft.get("layout") == built_in("layout", known)
    choices = names if whole else {"": t("design.room.own", name=known or "?"), **names}

    def hear(field: str, value: Any) -> None:
        room = shop.draft.room
        if field == "layout" and value:
            shop.do(shop.draft.choose, "layout", value)
        elif field == "fit":
            shop.do(room.fit_rows if value == "fit" else room.clear_seats)
        elif field == "in":
            shop.do(room.bring_in)
        elif trail_of(field)[-1] == "width":
            shop.do(room.resize, value, grid.height)
        else:
            shop.do(room.resize, grid.width, value)

    layout, about = t("design.room.layout"), t("design.room.layout_help")
    shown: list[Field] = [
        select("layout", layout, choices, known if whole else "", help=about, again=True),
        *fields.of(("layout", "grid"), width="half", height="half"),
        buttons("fit", ("fit", t("design.room.fit")), ("clear", t("design.room.clear"))),
        *([buttons("in", ("in", t("design.room.bring_in"), "primary"))] if _is_outside(shop) else []),
        *fields.rest(("layout",), []),
    ]
    if shop.draft.room.is_patterned():
        shown.append(note("patterned", t("design.room.patterned")))
    Form(shown, hear, label=t("design.tab.room"))


def _is_outside(shop: Workshop) -> bool:
    """Return True if something is outside of the room or of its area."""
    return any(
        found.trail[1:2] in (("sectors",), ("seats",), ("patterns",), ("teacher",))
        and re.search(r"off the grid|outside the|no part of the grid", found.message)
        for found in shop.draft.problems_at("layout")
    )


@solara.component
def _Picked(shop: Workshop, t: Words) -> None:
    """The seat or object that was picked."""
    use_seen()
    kind, name = shop.picked
    seat = next((seat for seat in shop.draft.seats if kind == "seat" and seat.id == name), None)
    placed = next((one for one in read_things(shop.draft.document) if kind == "thing" and one.thing.name == name), None)
    if seat is not None:
        groups = sorted({one.group for one in shop.draft.seats if one.group})
        others = {"": "–"} | {one.id: one.id for one in shop.draft.seats if one.id != name}
        hint = {"placeholder": ", ".join(groups[:3])}
        shown: list[Field] = [
            head("head", t("design.room.seat", name=name)),
            *_cell(seat.at, t),
            field("row", "number", t("design.room.seat_row"), seat.row, width="quarter"),
            field("group", "text", t("design.room.seat_group"), seat.group or "", width="quarter", **hint),
            select("opposite", t("design.room.opposite"), others, seat.opposite or ""),
        ]
    elif placed is not None:
        items = ", ".join(_called(item, t) for item in placed.thing.items)
        shown = [
            head("head", t("design.room.thing", name=_called(name, t))),
            field("name", "text", t("design.room.name"), name, width="half"),
            *_cell(placed.thing.at, t),
            field("items", "text", t("design.room.items"), items, help=t("design.room.items_help")),
        ]
    else:
        return

    Form(shown, lambda field, value: _change(shop, field, value, t), label=_called(name, t)).key(f"picked {kind}")


def _cell(at: tuple[int, int], t: Words) -> list[Field]:
    names = {"x": t("design.room.column"), "y": t("design.room.row")}
    return [field(name, "number", names[name], value, width="quarter") for name, value in zip("xy", at, strict=True)]


def _called(thing: str, t: Words) -> str:
    """A thing of the room, or what lies on it, as the page's language calls it."""
    return furniture_name(thing, saying(t.under("codes")))


def _meant(item: str, t: Words) -> str:
    """Return the document's name for a thing that lies on another, given the page's name for it."""
    return next((known for known in _ITEMS if item in (known, t.code(known))), item)


def _change(shop: Workshop, field: str, value: Any, t: Words) -> None:
    """A part of what is picked now: it may have got another name since the form was drawn."""
    kind, name = shop.picked
    room = shop.draft.room
    placed = next((one for one in read_things(shop.draft.document) if kind == "thing" and one.thing.name == name), None)
    seat = next((seat for seat in shop.draft.seats if kind == "seat" and seat.id == name), None)
    if seat is None and placed is None:
        return
    if field in ("x", "y"):
        at = seat.at if seat is not None else placed.thing.at if placed is not None else (0, 0)
        cell = [value if field == "x" else at[0], value if field == "y" else at[1]]
        shop.do(room.move, "seat" if seat is not None else "object", name, cell)
    elif seat is not None:
        shop.do(room.set_seat, name, field, value)
    elif field == "name" and shop.do(room.rename_object, name, value):
        shop.renew(picked=("thing", value.strip()))
    elif field == "items" and placed is not None:
        items = [_meant(item.strip(), t) for item in re.split("[,，、]", value) if item.strip()]
        shop.do(shop.draft.set, (*placed.trail, "items"), items)


@solara.component
def _Things(shop: Workshop, t: Words) -> None:
    use_seen()
    things = [
        ("thing", one.thing.name, t.get(f"room.piece.{one.thing.kind}", one.thing.kind), one.thing.at)
        for one in read_things(shop.draft.document)
    ]
    seats = [("seat", seat.id, seat.group or "", seat.at) for seat in shop.draft.seats]
    taken = {sitting.seat.id: name for name, sitting in shop.draft.sitting.items() if sitting.real}

    def hear(picked: Any) -> None:
        if isinstance(picked, list) and len(picked) == 2:
            shop.renew(picked=(str(picked[0]), str(picked[1])))

    def row(kind: str, name: str, more: str, at: tuple[int, int]) -> list[Any]:
        who = taken.get(name, "") if kind == "seat" else ""
        called = ["b", {}, ["bdi", {}, _called(name, t) if kind == "thing" else name]]
        told = ["span", {"class": "ev-muted"}, " · ".join(filter(None, [more, who, f"{at[0]}, {at[1]}"]))]
        return ["li", {"key": f"{kind} {name}"}, pick_tree([kind, name], shop.picked == (kind, name), called, told)]

    def folded(key: str, rows: list[Any], **more: bool) -> list[Any]:
        count = ["summary", {}, t(f"design.room.{key}", n=len(rows))]
        return ["details", {"key": key, **more}, count, ["ul", {"class": "ev-picks"}, *(row(*one) for one in rows)]]

    Reading(["div", {}, folded("things", things, open=True), folded("seats", seats)], on_event=hear)


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

    presets = ((name, t(f"design.rules.preset.{name}"), "on" if name == used else "off") for name in PRESETS)
    rules: dict[str, str] = {one: t(f"design.rules.what.{one}") for one in SEAT_RULES if one != "pairs"}
    shown = [
        note("note", t("design.rules.note")),
        buttons("preset", *presets, label=t("design.rules.presets")),
        select("add", t("design.rules.add"), {"": "–"} | rules, "", again=True, width="half"),
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
        *fields.of(at, do="half", rule="half"),
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
    """Return the fields of this kind of rule only."""
    kind = str(rule.get("rule", ""))
    shown: list[Field] = []
    if kind == "distance":
        shown += [fields.at((*at, name), width="half", step=0.5) for name in ("within", "same_group_bonus")]
    elif kind in ("same_group", "across_groups"):
        groups = rule.get("groups")
        text = ", ".join(map(str, groups)) if isinstance(groups, list) else ""
        shown.append(fields.at((*at, "groups")) | {"id": "groups", "value": text})
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

    people = {"": "–"} | {name: name for name in names}
    off = not (one and other and one != other)
    shown: list[Field] = [
        head("head", t("design.rules.pair")),
        select("one", t("design.rules.one"), people, one, width="half"),
        select("other", t("design.rules.second"), people, other, width="half"),
        buttons(
            "act",
            ("link", t("design.rules.link"), "plain", off or linked),
            ("unlink", t("design.rules.unlink"), "plain", off or not linked),
        ),
    ]
    Form(shown, hear, label=t("design.rules.pair"))
