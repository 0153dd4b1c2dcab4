"""The people who took part in a study: who sat where, what is kept of each, and how somebody is erased."""

from __future__ import annotations

import json
from collections.abc import Sequence

import solara

from eduverse_mesa.runs.erasing import Erasure
from eduverse_mesa.store import ParticipantRow, SittingRow
from eduverse_mesa.visualization.app.kit import Card, Note, Opener, Panel, Reading, use_words
from eduverse_mesa.visualization.app.naming import clock
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.app.pages.studies.downloading import Download
from eduverse_mesa.visualization.app.pages.studies.packing import Packed
from eduverse_mesa.visualization.app.pages.studies.shelf import StudyShelf
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words

_MOST_PLACES = 50
_PANEL = "ev-erasing"


@solara.component
def People(shelf: StudyShelf) -> None:
    """Who took part; nothing where nobody did."""
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
            solara.Text(person.label if person.state == "present" else person.id, classes=["ev-figure-title"])
            Download(
                lambda: _document(f"participant-{person.id}.json", shelf.document(person.id)),
                t("studies.people.kept"),
            )
            if person.state != "erased":
                Opener(t("studies.people.erase"), _PANEL, sure, set_sure, danger=True, disabled=bool(shelf.doing))
        if erasing:
            Note(t("studies.people.erasing"))
        elif sure:
            with Panel(_PANEL, classes=["ev-confirm"]):
                Note(t("studies.people.sure"), kind="warn")
                with solara.Div(classes=["ev-row"]):
                    solara.Button(t("studies.people.erase_now"), classes=["ev-danger", "full"], on_click=erase)
                    solara.Button(t("studies.keep"), outlined=True, on_click=lambda: set_sure(False))


def _document(name: str, document: object) -> Packed:
    return Packed(name, json.dumps(document, ensure_ascii=False, indent=2, default=str).encode())


def people_tree(people: Sequence[ParticipantRow], sittings: Sequence[SittingRow], chosen: str, t: Words) -> Tree:
    """Who took part. Comes back: {"person": id}."""
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
    head = [["th", {"scope": "col"}, t(f"studies.people.{name}")] for name in ("who", "role", "where", "since")]
    return ["div", {"class": "ev-scroll", "tabindex": "0", "role": "region", "aria-label": t("studies.people.title")},
            ["table", {"class": "ev-people"}, ["thead", {}, ["tr", {}, *head]], ["tbody", {}, *rows]]]  # fmt: skip


def _name(one: ParticipantRow, chosen: bool, t: Words) -> Tree:
    pressed = {"class": "ev-run-name", "dir": "auto", "aria-pressed": str(chosen).lower(), "on": {"person": one.id}}
    told = one.label if one.state == "present" else t(f"studies.people.{one.state}")
    return ["div", {}, ["button", pressed, told], ["p", {"class": "ev-muted ev-small"}, one.id]]


def _places(sittings: Sequence[SittingRow], t: Words) -> Tree:
    if not sittings:
        return "–"
    lines = [
        ["li", {"dir": "auto"}, t("studies.people.sat", agent=row.agent, run=row.run), " ",
         ["span", {"class": "ev-muted ev-small"}, _span(row, t)]]
        for row in sittings[:_MOST_PLACES]
    ]  # fmt: skip
    more = len(sittings) - _MOST_PLACES
    return ["ul", {}, *lines, *([["li", {}, t("studies.people.more", n=more)]] if more > 0 else [])]


def _span(row: SittingRow, t: Words) -> str:
    since = f"{row.since[0]}:{row.since[1]}"
    if row.until is None:
        return t("studies.people.from", since=since)
    return t("studies.people.from_to", since=since, until=f"{row.until[0]}:{row.until[1]}")


def proof_tree(done: Erasure, t: Words) -> Tree:
    """What was erased, and what was searched. It holds no word of the person."""
    found = [t("studies.proof.found", n=one.texts, where=one.where) for one in done.found]
    verdict = [
        "p",
        {"class": f"ev-note {'is-ok' if done.complete else 'is-bad'}", "role": "status" if done.complete else "alert"},
        t("studies.proof.gone" if done.complete else "studies.proof.there", who=done.participant),
    ]
    facts = [
        (t("studies.proof.texts"), str(done.texts)),
        (t("studies.proof.replaced"), _counts(done.replaced, t)),
        (t("studies.proof.runs"), ", ".join(done.runs) or "–"),
        *([(t("studies.proof.deleted"), ", ".join(done.deleted))] if done.deleted else []),
        (t("studies.proof.remembered"), str(done.remembered)),
        (t("studies.proof.searched_for"), str(done.searched_for)),
        (
            t("studies.proof.searched"),
            ", ".join(t("studies.proof.bytes", name=one.name, n=f"{one.bytes:,}") for one in done.searched) or "–",
        ),
        *([(t("studies.proof.lost"), str(done.lost_answers))] if done.lost_answers else []),
        *([(t("studies.proof.not_replayed"), ", ".join(done.not_replayed))] if done.not_replayed else []),
        *([(t("studies.proof.unsearched"), _counts(done.not_searched_for, t))] if done.not_searched_for else []),
    ]
    return [
        "div",
        {"class": "ev-proof"},
        ["h3", {"class": "ev-h3"}, t("studies.proof.title", who=done.participant, when=clock(done.at))],
        verdict,
        *([["ul", {}, *(["li", {}, line] for line in found)]] if found else []),
        *([["p", {"class": "ev-note is-warn"}, t("studies.proof.resumed")]] if done.resumed else []),
        ["dl", {"class": "ev-facts"}, *(["div", {}, ["dt", {}, name], ["dd", {}, value]] for name, value in facts)],
        *_repeated(done, t),
        ["p", {"class": "ev-muted ev-small"}, f"{t('studies.proof.beyond')} {'; '.join(done.beyond)}."],
    ]


def _counts(counted: dict[str, int], t: Words) -> str:
    return ", ".join(f"{number} {t.code(name)}" for name, number in counted.items()) or "–"


def _repeated(done: Erasure, t: Words) -> list[Tree]:
    if not done.partly_repeated:
        return []
    lines = [
        ["li", {"dir": "auto"}, t("studies.proof.place", run=run, lesson=lesson, step=step, agent=agent)]
        for run, lesson, step, agent in done.partly_repeated
    ]
    return [["p", {"class": "ev-note is-warn"}, t("studies.proof.partly")], ["ul", {}, *lines]]
