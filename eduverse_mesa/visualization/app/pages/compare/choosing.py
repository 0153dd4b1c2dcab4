"""Runs of the study, to be put side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import solara

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.runs.managing import RunCard, run_cards
from eduverse_mesa.runs.studies import open_study
from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.kit import Form, Note, Reading, Trouble, use_words
from eduverse_mesa.visualization.app.naming import clock, run_name, run_place, standing_chip
from eduverse_mesa.visualization.app.pages.compare.comparison import Comparison
from eduverse_mesa.visualization.app.pages.compare.fields import search_field
from eduverse_mesa.visualization.app.pages.compare.sources import stored, ticked
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words

_SHOWN = 200
_MOST = 400
"""Runs that can be compared at once: each is played again first."""


@solara.component
def FromStudy(desk: Desk, comparison: Comparison, done: Callable[[], None]) -> None:
    """The runs that are kept, newest first."""
    t = use_words()
    chosen, set_chosen = solara.use_state(())
    search, set_search = solara.use_state("")
    grouped, set_grouped = solara.use_state(True)
    cards, error = solara.use_memo(lambda: _cards(desk.study), [desk.study])
    if error is not None:
        Trouble(error)
        return
    if not cards:
        Note(t("compare.study.none"))
        return
    wanted = search.casefold().strip()
    shown = [card for card in cards if wanted in _searched(card, t)]

    def hear(event: Any) -> None:
        run = event.get("run") if isinstance(event, dict) else None
        if run == "*":
            everything = tuple(card.id for card in shown[:_MOST])
            set_chosen(() if set(everything) <= set(chosen) else everything)
        elif isinstance(run, str) and any(card.id == run for card in cards):
            set_chosen(tuple(one for one in chosen if one != run) if run in chosen else (*chosen, run))

    def compare() -> None:
        source = stored(desk.study, chosen, grouped=grouped, words=t)
        comparison.begin(source, study=desk.study)
        done()

    with solara.Div(classes=["ev-stack"]):
        Form([search_field(t("compare.study.search"), search)], hear=lambda _, text: set_search(text))
        with solara.Div(classes=["ev-runs"]):
            Reading(_table(shown[:_SHOWN], chosen, t), on_event=hear)
        check = {"id": "grouped", "kind": "check", "label": t("compare.study.grouped"), "value": grouped}
        Form([check], hear=lambda _, on: set_grouped(on))
        with solara.Div(classes=["ev-row"]):
            fits = 1 <= len(chosen) <= _MOST
            solara.Button(
                t("compare.study.compare", n=len(chosen)), color="primary", on_click=compare, disabled=not fits
            )
            if len(shown) > _SHOWN:
                solara.Text(t("compare.study.more", n=len(shown) - _SHOWN), classes=["ev-quiet"])


def take_ticked(desk: Desk, comparison: Comparison, t: Words) -> bool:
    """Compare what was ticked on the Studies page; False where nothing was."""
    chosen, desk.to_compare[:] = tuple(desk.to_compare), []
    known = {card.id for card in _cards(desk.study)[0]} if chosen else set()
    runs = tuple(run for run in chosen if run in known)  # learners, tutors and groups have no lessons to compare
    if runs:
        comparison.begin(ticked(desk.study, runs, words=t), study=desk.study)
    return bool(runs)


def _cards(study: str) -> tuple[list[RunCard], EduverseError | None]:
    """The lessons of a study, newest first; none where there is no study yet."""
    from pathlib import Path

    if "://" not in study and not Path(study).exists():
        return [], None
    try:
        with open_study(study, read_only=True) as opened:
            return [card for card in reversed(run_cards(opened)) if card.row.steps and card.row.kind == "course"], None
    except EduverseError as error:
        return [], error


def _label(text: str) -> Tree:
    """The head of a column, where the table is too narrow for columns."""
    return ["span", {"class": "ev-run-label"}, text]


def _searched(card: RunCard, t: Words) -> str:
    parts = (run_name(card, t), run_place(card, t), card.id, card.row.name, card.row.policy, t.code(card.row.policy))
    return "\n".join(parts).casefold()


def _table(cards: list[RunCard], chosen: tuple[str, ...], t: Words) -> Tree:
    heads = ("run", "layout", "seed", "policy", "steps", "status", "made")
    every = ["button", {"on": {"run": "*"}}, t("compare.study.all")]
    head = ["tr", {}, ["th", {}, every], *(["th", {}, t(f"compare.study.{name}")] for name in heads)]
    rows: list[Tree] = []
    for card in cards:
        on = card.id in chosen
        button = [
            "button",
            {
                "on": {"run": card.id},
                "aria-pressed": str(on).lower(),
                "aria-label": t("compare.study.pick", name=f"{run_name(card, t)} ({card.id})"),
            },
            "☑" if on else "☐",
        ]
        name: list[Tree] = [["bdi", {}, run_name(card, t)]]
        if card.row.forked_at is not None:
            name += [" ", ["span", {"class": "ev-chip"}, t("compare.study.fork")]]
        rows.append(
            [
                "tr",
                {"key": card.id, "class": "on" if on else ""},
                ["td", {}, button],
                ["td", {"class": "name"}, *name, ["div", {"class": "ev-muted ev-small"}, card.id]],
                ["td", {}, run_place(card, t)],
                ["td", {}, _label(t("compare.study.seed")), f"{card.plan.seed}"],
                ["td", {}, t.code(card.row.policy)],
                ["td", {}, _label(t("compare.study.steps")), str(card.row.steps)],
                ["td", {}, standing_chip(card, t)],
                ["td", {}, clock(card.row.created)],
            ]
        )
    return [
        "table",
        {},
        ["caption", {"class": "ev-muted"}, t("compare.study.caption")],
        ["thead", {}, head],
        ["tbody", {}, *rows],
    ]
