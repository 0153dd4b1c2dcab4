"""The studies page: all runs of a study, the one that is looked at, and who took part."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import solara

from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.kit import Card, Form, Note, Opener, Panel, Reading, Trouble, use_words
from eduverse_mesa.visualization.app.naming import STANDINGS
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.app.pages.studies.listing import ORDERS, Wanted, find, list_tree
from eduverse_mesa.visualization.app.pages.studies.people import People
from eduverse_mesa.visualization.app.pages.studies.run import ChosenRun, Exporting, use_way
from eduverse_mesa.visualization.app.pages.studies.shelf import StudyShelf, study_shelf
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words

_AT_ONCE = 60
_PANEL = "ev-another"
"""Runs that are listed before somebody asks for more."""


@solara.component
def StudiesPage(desk: Desk) -> None:
    """What is kept in a study."""
    shelf = study_shelf(desk)
    use_live(shelf.changed)
    solara.use_memo(shelf.look, [])
    solara.use_effect(shelf.attend, [])

    def look_at_asked() -> None:
        asked, desk.to_look_at = desk.to_look_at, ""
        if asked and shelf.turn_to(desk.office.study):
            shelf.look()
            shelf.select(asked)

    solara.use_effect(look_at_asked, [])
    with solara.Div(classes=["ev-stack"]):
        _Head(shelf)
        _Mishap(shelf)
        if shelf.seen.cards:
            with solara.Div(classes=["ev-split", "ev-studies"]):
                _Runs(shelf).key(shelf.path)
                with solara.Div(classes=["ev-stack", "ev-beside"]):
                    ChosenRun(shelf)
        elif shelf.unread is None:
            _Empty(shelf)
        People(shelf).key(f"people-{shelf.path}")


@solara.component
def _Head(shelf: StudyShelf) -> None:
    t = use_words()
    use_live(shelf.changed)
    opening, set_opening = solara.use_state(False)
    path, set_path = solara.use_state(shelf.path)

    def open_it() -> None:
        if shelf.turn_to(path):
            set_opening(False)

    def begin(now: bool) -> None:
        set_path(shelf.path)
        set_opening(now)

    with solara.Div(classes=["ev-stack"]):
        with solara.Div(classes=["ev-row", "ev-headline"]):
            solara.v.Html(tag="h1", class_="ev-h1", children=[t("studies.title")])
            solara.Text(shelf.path, classes=["ev-quiet", "ev-path"])
            solara.v.Spacer()
            if shelf.path != shelf.desk.office.study:
                solara.Button(
                    t("studies.back"), text=True, on_click=lambda: shelf.turn_to(shelf.desk.office.study) or None
                )
            Opener(t("studies.another"), _PANEL, opening, begin)
        if opening:
            with Panel(_PANEL), Card(t("studies.another")):
                solara.Text(t("studies.another_why"), classes=["ev-quiet"])
                with solara.Div(classes=["ev-row ev-naming"]):
                    solara.InputText(t("studies.path"), value=path, on_value=set_path, continuous_update=True)
                    solara.Button(t("studies.open"), color="primary", on_click=open_it)


@solara.component
def _Mishap(shelf: StudyShelf) -> None:
    use_live(shelf.changed)
    for error in (shelf.unread, shelf.error):
        if error is not None:
            Trouble(error)


@solara.component
def _Empty(shelf: StudyShelf) -> None:
    t = use_words()
    with Card(t("studies.empty.title")):
        Reading(empty_tree(shelf.path, t))
        with solara.Div(classes=["ev-row"]):
            with solara.Link("/"):
                solara.Button(t("studies.empty.go"), color="primary")


def empty_tree(path: str, t: Words) -> Tree:
    """How runs come into a study."""
    ways = [["li", {}, t(f"studies.empty.{way}")] for way in ("classroom", "seat", "others")]
    line = ["li", {}, t("studies.empty.line"), " ", ["kbd", {"dir": "ltr"}, f"eduverse run --out {path}"]]
    return ["div", {}, ["p", {}, t("studies.empty.text")], ["ul", {"class": "ev-ways"}, *ways, line]]


@solara.component
def _Runs(shelf: StudyShelf) -> None:
    t = use_words()
    use_live(shelf.changed)
    wanted, want = solara.use_state(Wanted())
    most, set_most = solara.use_state(_AT_ONCE)
    found = find(shelf.seen.cards, wanted)

    def heard(event: Any) -> None:
        if not isinstance(event, dict):
            return
        if isinstance(event.get("tick"), str):
            shelf.tick(event["tick"])
        elif isinstance(event.get("select"), str):
            shelf.select("" if event["select"] == shelf.selected else event["select"])

    with Card(t("studies.list.title")):
        _Finding(wanted, want)
        _Chosen(shelf)
        told = t("studies.list.found", n=len(found), all=len(shelf.seen.cards))
        Reading(["p", {"class": "ev-small ev-muted", "role": "status"}, told])
        if found:
            Reading(list_tree(found[:most], shelf.desk.to_compare, shelf.selected, t), on_event=heard)
        else:
            Note(t("studies.list.none"))
        if len(found) > most:
            solara.Button(
                t("studies.list.more", n=len(found) - most), outlined=True, on_click=lambda: set_most(most + 200)
            )


@solara.component
def _Finding(wanted: Wanted, want: Any) -> None:
    t = use_words()
    standings = [["", t("studies.standing.any")], *([one, t(f"studies.standing.{one}")] for one in STANDINGS)]
    orders = [[one, t(f"studies.order.{one}")] for one in ORDERS]
    fields: list[Field] = [
        {"id": "search", "kind": "text", "label": t("studies.list.search"), "value": wanted.search, "live": True},
        {"id": "standing", "kind": "select", "label": t("studies.list.standing"), "options": standings},
        {"id": "order", "kind": "select", "label": t("studies.order.label"), "options": orders},
    ]
    for field in fields:
        field |= {"value": getattr(wanted, field["id"]), "width": "third"}
    Form(fields, lambda name, value: want(replace(wanted, **{name: value})), label=t("studies.list.title"))


@solara.component
def _Chosen(shelf: StudyShelf) -> None:
    """What can be done with several runs."""
    t = use_words()
    use_live(shelf.changed)
    chosen = tuple(shelf.desk.to_compare)
    way = use_way("/compare")
    if not chosen:
        return
    cards = [card for run in chosen if (card := shelf.card(run)) is not None]
    taught = any(card.row.kind != "course" for card in cards)
    with solara.Div(classes=["ev-chosen"]):
        solara.Text(t("studies.chosen.count", n=len(chosen)))
        with solara.Div(classes=["ev-row"]):
            solara.Button(
                t("studies.chosen.compare"),
                color="primary",
                disabled=len(chosen) < 2 or taught,
                on_click=lambda: way()(),
            )
            Exporting(shelf.path, chosen, taught=taught).key(f"export-{taught}")
            solara.Button(t("studies.chosen.none"), text=True, on_click=shelf.untick)
