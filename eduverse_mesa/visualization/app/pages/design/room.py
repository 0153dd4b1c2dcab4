"""The room: drawn and dragged at the left, listed and chosen at the right."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import networkx as nx
import solara

from eduverse_mesa.scenarios.drafting.opening import read_built_in
from eduverse_mesa.scenarios.drafting.seating import read_grid, read_things
from eduverse_mesa.scenarios.library import Kind
from eduverse_mesa.scenarios.plain import Plain
from eduverse_mesa.space import student_graph
from eduverse_mesa.visualization.app.kit import Card, Form, Reading, use_words
from eduverse_mesa.visualization.app.lessons.workshop import Workshop
from eduverse_mesa.visualization.app.pages.design.areas import AREA, AreaList, PickedArea, add_area, area_name
from eduverse_mesa.visualization.app.pages.design.drawing import frame_of, stage_of, teacher_name
from eduverse_mesa.visualization.app.pages.design.fields import Fields, buttons, field, head, note, options, use_seen
from eduverse_mesa.visualization.charts.frame import saying
from eduverse_mesa.visualization.charts.room import furniture_name
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.widgets.room import RoomWidget, plain, room_labels
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.titles import titles

OVERLAYS = ("graph", "names", "arenas", "perception")
ADDED = ("seat", "table_4", "desk", "board", "cupboard", "area", "student")
OBJECTS = ("desk", "table", "board", "whiteboard", "lectern", "cupboard", "water_dispenser", "other")


_ITEMS = ("textbook", "pen", "bag", "cup", "chalk", "eraser", "broom", "clock")
"""What lies on the things of built-in rooms."""


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
        elif field == "overlays":
            shown = tuple(one for one in shop.overlays if one != what)
            shop.renew(overlays=shown if what in shop.overlays else (*shown, what))
        elif field == "remove":
            remove(shop)

    adding = [(what, t(f"design.add.{what}")) for what in ADDED]
    fields = [
        buttons("add", *adding, label=t("design.add.label")),
        buttons(
            "moving",
            *(
                (what, t(f"design.moving.{what}"), "on" if shop.moving == what else "off")
                for what in ("people", "seats")
            ),
            label=t("design.moving.label"),
        ),
        buttons(
            "overlays",
            *((what, t(f"design.overlay.{what}"), "on" if what in shop.overlays else "off") for what in OVERLAYS),
            label=t("design.overlay.label"),
        ),
        buttons(
            "remove",
            (
                "remove",
                t("design.remove.what", name=_named(shop, t) or t("design.remove.nothing")),
                "danger",
                not name or kind == "teacher",
            ),
        ),
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
    """What the rules amount to, in numbers."""
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
    """Which room it is, what is picked in it, and all that stands there."""
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
    choices = [*map(list, names.items())]
    whole = known in names and shop.draft.get("layout") == built_in("layout", known)
    if not whole:
        choices = [["", t("design.room.own", name=known or "?")], *choices]

    def hear(field: str, value: Any) -> None:
        room = shop.draft.room
        if field == "layout" and value:
            shop.do(shop.draft.choose, "layout", value)
        elif field == "fit":
            shop.do(room.fit_rows if value == "fit" else room.clear_seats)
        elif field == "in":
            shop.do(room.bring_in)
        elif field == "width":
            shop.do(room.resize, value, grid.height)
        elif field == "height":
            shop.do(room.resize, grid.width, value)

    shown: list[Field] = [
        field(
            "layout",
            "select",
            t("design.room.layout"),
            known if whole else "",
            options=choices,
            help=t("design.room.layout_help"),
            again=True,
        ),
        fields.at(("layout", "grid", "width"), t("design.room.width"), "number", grid.width, width="half", step=1)
        | {"id": "width"},
        fields.at(("layout", "grid", "height"), t("design.room.height"), "number", grid.height, width="half", step=1)
        | {"id": "height"},
        buttons("fit", ("fit", t("design.room.fit")), ("clear", t("design.room.clear"))),
        *([buttons("in", ("in", t("design.room.bring_in"), "primary"))] if _is_outside(shop) else []),
        *fields.rest(("layout",), []),
    ]
    if shop.draft.room.is_patterned():
        shown.append(note("patterned", t("design.room.patterned")))
    Form(shown, hear, label=t("design.tab.room"))


def _is_outside(shop: Workshop) -> bool:
    """Whether something is outside of the room or of its area."""
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
        groups = ["", *sorted({one.group for one in shop.draft.seats if one.group})]
        others = [one.id for one in shop.draft.seats if one.id != name]
        shown: list[Field] = [
            head("head", t("design.room.seat", name=name)),
            field("x", "number", t("design.room.column"), seat.at[0], width="quarter"),
            field("y", "number", t("design.room.row"), seat.at[1], width="quarter"),
            field("row", "number", t("design.room.seat_row"), seat.row, width="quarter"),
            field(
                "group",
                "text",
                t("design.room.seat_group"),
                seat.group or "",
                width="quarter",
                placeholder=", ".join(groups[1:4]),
            ),
            field(
                "opposite",
                "select",
                t("design.room.opposite"),
                seat.opposite or "",
                options=options(["", *others], lambda one: one or "–"),
            ),
        ]
        at = seat.at
    elif placed is not None:
        at = placed.thing.at
        shown = [
            head("head", t("design.room.thing", name=_called(name, t))),
            field("name", "text", t("design.room.name"), name, width="half"),
            field("x", "number", t("design.room.column"), at[0], width="quarter"),
            field("y", "number", t("design.room.row"), at[1], width="quarter"),
            field(
                "items",
                "text",
                t("design.room.items"),
                ", ".join(_called(item, t) for item in placed.thing.items),
                help=t("design.room.items_help"),
            ),
        ]
    else:
        return

    Form(shown, lambda field, value: _change(shop, field, value, t), label=_called(name, t)).key(f"picked {kind}")


def _called(thing: str, t: Words) -> str:
    """A thing of the room, or what lies on it, as the page's language calls it."""
    return furniture_name(thing, saying(t.under("codes")))


def _meant(item: str, t: Words) -> str:
    """What lies on a thing, as documents call it: the other way round."""
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
        here = shop.picked == (kind, name)
        who = taken.get(name, "") if kind == "seat" else ""
        return [
            "li",
            {"key": f"{kind} {name}"},
            [
                "button",
                {"on": [kind, name], "class": "ev-pick here" if here else "ev-pick", "aria-pressed": str(here).lower()},
                ["b", {}, ["bdi", {}, _called(name, t) if kind == "thing" else name]],
                ["span", {"class": "ev-muted"}, " · ".join(filter(None, [more, who, f"{at[0]}, {at[1]}"]))],
            ],
        ]

    Reading(
        [
            "div",
            {},
            [
                "details",
                {"open": True, "key": "things"},
                ["summary", {}, t("design.room.things", n=len(things))],
                ["ul", {"class": "ev-picks"}, *(row(*thing) for thing in things)],
            ],
            [
                "details",
                {"key": "seats"},
                ["summary", {}, t("design.room.seats", n=len(seats))],
                ["ul", {"class": "ev-picks"}, *(row(*seat) for seat in seats)],
            ],
        ],
        on_event=hear,
    )
