"""The list of a study's runs: searched, ordered, and as a tree for a sheet."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from eduverse_mesa.runs.managing import RunCard
from eduverse_mesa.visualization.app.naming import clock, run_name, run_place, standing, standing_chip, told_origin
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words

CHOSEN = "ev-chosen-run"
"""The part of the page that a run's name opens."""
_COUNTED = {"course": "steps", "tutoring": "turns", "collaboration": "messages"}
"""What the steps of a run are."""
_TROUBLES = {"repaired": "is-warn", "fallback": "is-warn", "failed": "is-bad"}

ORDERS: dict[str, tuple[Callable[[RunCard], Any], bool]] = {
    "newest": (lambda card: card.row.created, True),
    "oldest": (lambda card: card.row.created, False),
    "written": (lambda card: card.row.updated, True),
    "name": (lambda card: (card.row.title or card.plan.scenario.title or card.id).casefold(), False),
    "cost": (lambda card: (card.bill.usd, card.bill.tokens), True),
    "steps": (lambda card: card.row.steps, True),
}
"""What a list is ordered by, and whether the greatest comes first."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be listed, and how."""

    search: str = ""
    standing: str = ""
    order: str = "newest"


def find(cards: Iterable[RunCard], wanted: Wanted) -> list[RunCard]:
    """The runs that fit, in order; of two that are equal the newer one first."""
    words = wanted.search.casefold().split()
    found = [
        card
        for card in cards
        if all(word in _searched(card) for word in words) and wanted.standing in ("", standing(card))
    ]
    key, falling = ORDERS[wanted.order]
    found.reverse()
    found.sort(key=key, reverse=falling)
    return found


def _searched(card: RunCard) -> str:
    row, plan = card.row, card.plan
    documents = (plan.scenario, plan.layout, plan.curriculum, plan.cohort, plan.problem, *plan.lessons)
    named = [*(text for one in documents for text in (one.name, one.title)), *plan.peers]
    return "\n".join((row.title, row.id, row.name, row.policy, row.parent or "", *row.participants, *named)).casefold()


def list_tree(shown: Sequence[RunCard], ticked: Collection[str], selected: str, t: Words) -> Tree:
    """The runs as a table. Comes back: {"tick": run} and {"select": run}."""
    columns = ("name", "where", "seed", "standing", "progress", "spent", "written")
    head = [["th", {"scope": "col"}, t(f"studies.list.{column}")] for column in columns]
    corner = ["th", {"scope": "col", "aria-label": t("studies.list.compare")}]
    return [
        "table",
        {"class": "ev-runs", "aria-label": t("studies.list.title")},
        ["thead", {}, ["tr", {}, corner, *head]],
        ["tbody", {}, *(_row(card, card.id in ticked, card.id == selected, t) for card in shown)],
    ]


def _row(card: RunCard, ticked: bool, selected: bool, t: Words) -> Tree:
    row = card.row
    tick = {
        "class": "ev-tick",
        "role": "checkbox",
        "aria-checked": "true" if ticked else "false",
        "aria-label": t("studies.list.tick", name=f"{run_name(card, t)} ({card.id})"),
        "on": {"tick": card.id},
    }
    took = spent(card, t)
    costs = [] if took is None else [["div", {}, part] for part in took]
    opens = {"aria-expanded": str(selected).lower(), "aria-controls": CHOSEN, "on": {"select": card.id}}
    name = {"class": "ev-run-name", "dir": "auto", **opens}
    return [
        "tr",
        {"key": card.id, "class": "here" if selected else ""},
        ["td", {"class": "ev-run-tick"}, ["button", tick, "✓" if ticked else ""]],
        ["td", {"class": "ev-run-what"}, ["button", name, run_name(card, t)], _beneath(card, t)],
        ["td", {"class": "ev-run-layout", "dir": "auto"}, run_place(card, t)],
        [
            "td",
            {"class": "ev-run-seed"},
            ["span", {"class": "ev-run-label"}, t("studies.list.seed")],
            f"{card.plan.seed}",
        ],
        ["td", {"class": "ev-run-stands"}, standing_chip(card, t)],
        ["td", {"class": "ev-run-far"}, _progress(card, t), *troubles(card, t)],
        ["td", {"class": "ev-run-cost"}, *costs],
        ["td", {"class": "ev-run-when"}, clock(row.updated)],
    ]


def _beneath(card: RunCard, t: Words) -> Tree:
    parts = [t.code(card.row.policy), card.id]
    if origin := told_origin(card, t):
        parts.append(origin)
    if card.row.participants:
        parts.append(t("studies.list.people", n=len(card.row.participants)))
    return ["p", {"class": "ev-muted ev-small", "dir": "auto"}, " · ".join(parts)]


def progress(card: RunCard, t: Words) -> str:
    """How far it came; of how many steps, while it may go on: pacing can make a lesson longer than it was planned."""
    steps, planned = card.row.steps, card.row.planned
    if card.row.status == "complete" or steps >= planned:
        return t(f"studies.list.{_COUNTED[card.row.kind]}", n=steps)
    return t("studies.list.steps_of", steps=steps, planned=planned)


def _progress(card: RunCard, t: Words) -> Tree:
    told = ["span", {}, progress(card, t)]
    if card.row.status == "complete" or not card.row.planned:
        return told
    share = min(1.0, card.row.steps / card.row.planned)
    return ["div", {}, told, ["span", {"class": "ev-bar", "aria-hidden": "true"}, ["span", {"v": share}]]]


def troubles(card: RunCard, t: Words) -> list[Tree]:
    """Answers that were not used as they came, by what became of them."""
    return [
        ["span", {"class": f"ev-chip {kind}"}, f"{number} {t.code(status)}"]
        for status, kind in _TROUBLES.items()
        if (number := card.row.outcomes.get(status, 0))
    ]


def spent(card: RunCard, t: Words) -> list[str] | None:
    """What language models took for a run; None where none was asked."""
    bill = card.bill
    if not bill.requests and not bill.tokens:
        return None
    return [
        *([dollars(bill.usd)] if bill.usd else []),
        t("studies.list.tokens", n=f"{bill.tokens:,}"),
        *([t("studies.list.untold", n=bill.untold)] if bill.untold else []),
    ]


def dollars(amount: float) -> str:
    """An amount of money; small ones are not rounded away."""
    return f"${amount:.2f}" if amount >= 0.1 or not amount else f"${amount:.4f}"
