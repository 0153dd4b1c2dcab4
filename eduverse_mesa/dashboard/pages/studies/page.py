"""The studies page: all runs of a study, the one that is looked at, and who took part."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import solara

from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.elements import (
    Card,
    Form,
    Headline,
    Note,
    Opener,
    Panel,
    Reading,
    TaskEnd,
    Trouble,
    facts_tree,
    table_tree,
    use_words,
)
from eduverse_mesa.dashboard.notice import use_live
from eduverse_mesa.dashboard.pages.studies.downloads import Download, Packed
from eduverse_mesa.dashboard.pages.studies.run import ORDERS, ChosenRun, Exporting, Wanted, find, list_tree, use_way
from eduverse_mesa.dashboard.pages.studies.study import StudyShelf, study_shelf
from eduverse_mesa.dashboard.run_names import STANDINGS
from eduverse_mesa.runs.erasure import Erasure
from eduverse_mesa.store import ParticipantRow, SittingRow
from eduverse_mesa.visualization.widgets.fields import field, select
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.errors import phrase
from eduverse_mesa.visualization.words.labels import agent_name, clock, person_name

_MOST_PLACES = 50
_PEOPLE_PANEL = "ev-erasing"


@solara.component
def People(shelf: StudyShelf) -> None:
    """List of the people who took part; nothing if nobody did."""
    t = use_words()
    use_live(shelf.changed)
    chosen, choose = solara.use_state("")
    people, sittings = shelf.seen.people, shelf.seen.sittings
    person = next((one for one in people if one.id == chosen), None)

    def heard(event: object) -> None:
        if isinstance(event, dict) and isinstance(event.get("person"), str):
            choose("" if event["person"] == chosen else event["person"])

    proof = shelf.proof
    if not people and proof is None:
        return
    with Card(t("studies.people.title")):
        solara.Text(t("studies.people.why"), classes=["ev-quiet"])
        Reading(people_tree(people, sittings, chosen, t), on_event=heard)
        if person is not None:
            _Person(shelf, person).key(person.id)
        if proof is not None:
            Reading(proof_tree(proof, t))
            Download(
                lambda: _document(f"erased-{proof.participant}.json", proof.document()), t("studies.people.proof_file")
            )


@solara.component
def _Person(shelf: StudyShelf, person: ParticipantRow) -> None:
    t = use_words()
    use_live(shelf.changed)
    sure, set_sure = solara.use_state(False)
    erasing = shelf.doing == "erasing"

    def erase() -> None:
        set_sure(False)
        shelf.erase(person.id)

    with solara.Div(classes=["ev-confirm"]):
        with solara.Div(classes=["ev-row"]):
            name = person_name(person.label, t) if person.state == "present" else person.id
            solara.Text(name, classes=["ev-figure-title"])
            Download(
                lambda: _document(f"participant-{person.id}.json", shelf.document(person.id)),
                t("studies.people.kept"),
            )
            if person.state != "erased":
                Opener(
                    t("studies.people.erase"), _PEOPLE_PANEL, sure, set_sure, danger=True, disabled=bool(shelf.doing)
                )
        if erasing:
            Note(t("studies.people.erasing"))
        elif sure:
            with Panel(_PEOPLE_PANEL, classes=["ev-confirm"]):
                Note(t("studies.people.sure"), kind="warn")
                with solara.Div(classes=["ev-row"]):
                    solara.Button(t("studies.people.erase_now"), classes=["ev-danger", "full"], on_click=erase)
                    solara.Button(t("studies.keep"), outlined=True, on_click=lambda: set_sure(False))


def _document(name: str, document: object) -> Packed:
    return Packed(name, json.dumps(document, ensure_ascii=False, indent=2, default=str).encode())


def people_tree(people: Sequence[ParticipantRow], sittings: Sequence[SittingRow], chosen: str, t: Words) -> Tree:
    """Return the table of the people who took part. Comes back: {"person": id}."""
    rows = [
        [
            "tr",
            {"key": one.id, "class": "here" if one.id == chosen else ""},
            ["td", {}, _name(one, one.id == chosen, t)],
            ["td", {}, t(f"studies.people.{one.role}")],
            ["td", {}, _places([row for row in sittings if row.participant == one.id], t)],
            ["td", {"class": "ev-run-when"}, clock(one.created)],
        ]
        for one in people
    ]
    heads = [t(f"studies.people.{name}") for name in ("who", "role", "where", "since")]
    return table_tree(heads, rows, t("studies.people.title"), look="ev-people")


def _name(one: ParticipantRow, chosen: bool, t: Words) -> Tree:
    pressed = {"class": "ev-run-name", "dir": "auto", "aria-pressed": str(chosen).lower(), "on": {"person": one.id}}
    told = person_name(one.label, t) if one.state == "present" else t(f"studies.people.{one.state}")
    return ["div", {}, ["button", pressed, told], ["p", {"class": "ev-muted ev-small"}, one.id]]


def _places(sittings: Sequence[SittingRow], t: Words) -> Tree:
    if not sittings:
        return "–"
    lines = [
        ["li", {"dir": "auto"}, t("studies.people.sat", agent=agent_name(row.agent, t), run=row.run), " ",
         ["span", {"class": "ev-muted ev-small"}, _span(row, t)]]
        for row in sittings[:_MOST_PLACES]
    ]  # fmt: skip
    more = len(sittings) - _MOST_PLACES
    return ["ul", {}, *lines, *([["li", {}, t("studies.people.more", n=more)]] if more > 0 else [])]


def _span(row: SittingRow, t: Words) -> str:
    lesson, step = row.since
    if row.until is None:
        return t("studies.people.from", lesson=lesson, step=step)
    last_lesson, last_step = row.until
    return t("studies.people.from_to", lesson=lesson, step=step, last_lesson=last_lesson, last_step=last_step)


def proof_tree(done: Erasure, t: Words) -> Tree:
    """Return the tree of what was erased, and what was searched. It holds no word of the person."""
    replaced = {_place(table, t): number for table, number in done.replaced.items()}
    unsearched = {phrase(why, t): number for why, number in done.not_searched_for.items()}
    beyond = t.clauses(phrase(one, t) for one in done.beyond)
    found = [t("studies.proof.found", n=one.texts, where=_place(one.where, t)) for one in done.found]
    verdict = [
        "p",
        {"class": f"ev-note {'is-ok' if done.complete else 'is-bad'}", "role": "status" if done.complete else "alert"},
        t("studies.proof.gone" if done.complete else "studies.proof.there", who=done.participant),
    ]
    facts = [
        (t("studies.proof.texts"), str(done.texts)),
        (t("studies.proof.replaced"), _counts(replaced, t)),
        (t("studies.proof.runs"), t.names(done.runs) or "–"),
        *([(t("studies.proof.deleted"), t.names(done.deleted))] if done.deleted else []),
        (t("studies.proof.remembered"), str(done.remembered)),
        (t("studies.proof.searched_for"), str(done.searched_for)),
        (
            t("studies.proof.searched"),
            t.listed(t("studies.proof.bytes", name=one.name, n=f"{one.bytes:,}") for one in done.searched) or "–",
        ),
        *([(t("studies.proof.lost"), str(done.lost_answers))] if done.lost_answers else []),
        *([(t("studies.proof.not_replayed"), t.names(done.not_replayed))] if done.not_replayed else []),
        *([(t("studies.proof.unsearched"), _counts(unsearched, t))] if unsearched else []),
    ]
    return [
        "div",
        {"class": "ev-proof"},
        ["h3", {"class": "ev-h3"}, t("studies.proof.title", who=done.participant, when=clock(done.at))],
        verdict,
        *([["ul", {}, *(["li", {}, line] for line in found)]] if found else []),
        *([["p", {"class": "ev-note is-warn"}, t("studies.proof.resumed")]] if done.resumed else []),
        facts_tree(facts),
        *_repeated(done, t),
        [
            "p",
            {"class": "ev-muted ev-small"},
            t("studies.proof.beyond", what=beyond),
        ],
    ]


def _place(where: str, t: Words) -> str:
    """A table, or a column of one, in words; a file by its name."""
    said = t.get(f"studies.proof.table.{where.partition('.')[0]}")
    return where if said is None else said if "." not in where else said + t.aside(where)


def _counts(counted: dict[str, int], t: Words) -> str:
    return t.listed(t.counted(name, number) for name, number in counted.items()) or "–"


def _repeated(done: Erasure, t: Words) -> list[Tree]:
    if not done.partly_repeated:
        return []
    lines = [
        ["li", {"dir": "auto"}, t("studies.proof.place", run=run, lesson=lesson, step=step, agent=agent)]
        for run, lesson, step, agent in done.partly_repeated
    ]
    return [["p", {"class": "ev-note is-warn"}, t("studies.proof.partly")], ["ul", {}, *lines]]


_AT_ONCE = 60
_PANEL = "ev-another"
"""Runs that are listed before somebody asks for more."""


@solara.component
def StudiesPage(desk: Desk) -> None:
    """Page of all that is kept in a study."""
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
        with Headline(t("studies.title"), shelf.path, classes=["ev-path"]):
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
    if shelf.unread is not None:
        Trouble(shelf.unread)
    TaskEnd(shelf)


@solara.component
def _Empty(shelf: StudyShelf) -> None:
    t = use_words()
    with Card(t("studies.empty.title")):
        Reading(empty_tree(shelf.path, t))
        with solara.Div(classes=["ev-row"]), solara.Link("/"):
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
    standings = {"": t("studies.standing.any"), **{one: t(f"studies.standing.{one}") for one in STANDINGS}}
    orders = {one: t(f"studies.order.{one}") for one in ORDERS}
    fields = [
        field("search", "text", t("studies.list.search"), wanted.search, live=True, width="third"),
        select("standing", t("studies.list.standing"), standings, wanted.standing, width="third"),
        select("order", t("studies.order.label"), orders, wanted.order, width="third"),
    ]
    Form(fields, lambda name, value: want(replace(wanted, **{name: value})), label=t("studies.list.title"))


@solara.component
def _Chosen(shelf: StudyShelf) -> None:
    """Buttons for the runs that are ticked."""
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
