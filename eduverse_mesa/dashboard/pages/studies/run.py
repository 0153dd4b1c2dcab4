"""The list of runs, and one run looked at closely: what it is, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import solara
from solara.server.kernel_context import get_current_context

from eduverse_mesa.dashboard.elements import Card, Choice, Note, Opener, Panel, Reading, chip, facts_tree, use_words
from eduverse_mesa.dashboard.lessons.host import host
from eduverse_mesa.dashboard.notice import use_live
from eduverse_mesa.dashboard.pages.studies.downloads import FORMS, TAUGHT_FORMS, Download, pack_runs
from eduverse_mesa.dashboard.pages.studies.study import StudyShelf, forks_of
from eduverse_mesa.dashboard.run_names import run_name, run_place, standing, standing_chip, told_origin
from eduverse_mesa.runs.live_lessons import LiveLesson
from eduverse_mesa.runs.studies import RunCard
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.labels import clock, title_of

CHOSEN = "ev-chosen-run"
"""The part of the page that a run's name opens."""
_COUNTED = {"course": "steps", "tutoring": "turns", "collaboration": "messages"}
"""Words for the steps of a run, by its kind."""
_TROUBLES = {"repaired": "is-warn", "fallback": "is-warn", "failed": "is-bad"}

ORDERS: dict[str, tuple[Callable[[RunCard], Any], bool]] = {
    "newest": (lambda card: card.row.created, True),
    "oldest": (lambda card: card.row.created, False),
    "written": (lambda card: card.row.updated, True),
    "name": (lambda card: (card.row.title or card.plan.scenario.title or card.id).casefold(), False),
    "cost": (lambda card: (card.bill.usd, card.bill.tokens), True),
    "steps": (lambda card: card.row.steps, True),
}
"""Orders of a list: the key, and True if the greatest comes first."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Runs to list, and their order."""

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
        "aria-label": t("studies.list.tick", name=run_name(card, t) + t.aside(card.id)),
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
        chip(t.counted(status, number), kind)
        for status, kind in _TROUBLES.items()
        if (number := card.row.outcomes.get(status, 0))
    ]


def spent(card: RunCard, t: Words) -> list[str] | None:
    """Return the cost of language models for a run; None if none was asked."""
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


_GOES_ON = ("interrupted", "failed", "left")
"""Runs that can be gone on with; of one that is running, the page asks first."""
_ASKING, _DELETING = "ev-asking", "ev-deleting"


@solara.component
def ChosenRun(shelf: StudyShelf) -> None:
    """The run that was chosen in the list."""
    t = use_words()
    use_live(shelf.changed)
    card = shelf.card(shelf.selected)
    if card is None:
        with Card(t("studies.run.title"), classes=["ev-none-chosen"]):
            solara.Text(t("studies.run.choose"), classes=["ev-quiet"])
        return
    with Panel(CHOSEN), Card(t("studies.run.title"), actions=[_close(shelf, t)]):
        Reading(run_tree(card, t))
        opening = _Opening if card.row.kind == "course" else _OpeningElsewhere
        opening(shelf, card).key(f"open-{card.id}")
        _Naming(shelf, card).key(f"name-{card.id}")
        Exporting(shelf.path, (card.id,), taught=card.row.kind != "course").key(f"export-{card.id}")
        _Deleting(shelf, card).key(f"delete-{card.id}")


def _close(shelf: StudyShelf, t: Words) -> Any:
    return solara.Button(t("studies.run.close"), text=True, small=True, on_click=lambda: shelf.select(""))


def run_tree(card: RunCard, t: Words) -> Tree:
    """Return the tree of what is known of a run without playing it."""
    row = card.row
    answers = t.listed(t.counted(status, number) for status, number in row.outcomes.items() if number) or "–"
    facts = [
        *_what_and_where(card, t),
        (t("studies.list.seed"), f"{card.plan.seed}"),
        (t("studies.list.policy"), t.code(row.policy)),
        (t("studies.list.progress"), progress(card, t)),
        (t("studies.run.answers"), answers),
        (t("studies.list.spent"), " · ".join(spent(card, t) or ["–"])),
        *([(t("studies.run.requests"), f"{card.bill.requests:,}")] if card.bill.requests else []),
        (t("studies.run.begun"), clock(row.created)),
        (t("studies.list.written"), clock(row.updated)),
    ]
    if origin := told_origin(card, t):
        facts.append((t("studies.run.fork"), origin))
    if row.participants:
        facts.append((t("studies.run.people"), t.names(row.participants)))
    facts.append((t("studies.run.id"), row.id))
    return [
        "div",
        {},
        ["h3", {"class": "ev-run-title", "dir": "auto"}, run_name(card, t), " ", standing_chip(card, t)],
        facts_tree(facts),
    ]


def _what_and_where(card: RunCard, t: Words) -> list[tuple[str, str]]:
    plan = card.plan
    if card.row.kind == "tutoring":
        return [
            (t("studies.run.curriculum"), title_of("curriculum", plan.curriculum, t)),
            (t("studies.run.cohort"), title_of("cohort", plan.cohort, t)),
        ]
    if card.row.kind == "collaboration":
        return [
            (t("studies.run.problem"), title_of("problem", plan.problem, t)),
            (t("studies.run.peers"), run_place(card, t) or "–"),
        ]
    return [
        (t("studies.run.lessons"), t.clauses(title_of("lesson", one, t) for one in plan.lessons) or "–"),
        (t("studies.list.layout"), title_of("layout", plan.layout, t) or "–"),
    ]


def use_way(path: str) -> Callable[[], Callable[[], None]]:
    """Asked in a handler, gives what leads this page to an address later, from any thread."""
    router = solara.use_router()

    def prepare() -> Callable[[], None]:
        context = get_current_context()

        def go() -> None:
            with context:
                router.push(path)

        return go

    return prepare


@solara.component
def _Opening(shelf: StudyShelf, card: RunCard) -> None:
    t = use_words()
    use_live(shelf.changed)
    way, way_to_people = use_way("/"), use_way("/seat")
    asking, ask = solara.use_state(False)
    stands = standing(card)
    ticked = card.id in shelf.desk.to_compare

    live = shelf.live(card.id)

    def look_after(lesson: LiveLesson) -> None:
        host(shelf.desk).choose(lesson)
        way_to_people()()

    def go_on() -> None:
        ask(False)
        shelf.go_on(card.id, way())

    with solara.Div(classes=["ev-confirm"]):
        with solara.Div(classes=["ev-row"]):
            solara.Button(
                t("studies.run.open" if stands == "complete" else "studies.run.look"),
                color="primary",
                disabled=bool(shelf.doing),
                on_click=lambda: shelf.show(card.id, way()),
            )
            if live is not None:
                solara.Button(t("studies.run.look_after"), outlined=True, on_click=lambda: look_after(live))
            elif stands == "running":
                Opener(t("studies.run.go_on"), _ASKING, asking, ask, disabled=bool(shelf.doing))
            elif stands in _GOES_ON:
                solara.Button(t("studies.run.go_on"), outlined=True, disabled=bool(shelf.doing), on_click=go_on)
            solara.Button(
                t("studies.run.untick" if ticked else "studies.run.tick"),
                outlined=True,
                attributes={"aria-pressed": str(ticked).lower()},
                on_click=lambda: shelf.tick(card.id),
            )
        if shelf.doing == "opening":
            Note(t("studies.run.opening"))
        elif live is not None:
            Note(t("studies.run.is_live"))
        elif asking:
            with Panel(_ASKING, classes=["ev-confirm"]):
                Note(t("studies.run.is_played", when=clock(card.row.updated)), kind="warn")
                with solara.Div(classes=["ev-row"]):
                    solara.Button(t("studies.run.go_on_anyway"), outlined=True, on_click=go_on)
                    solara.Button(t("studies.keep"), text=True, on_click=lambda: ask(False))


@solara.component
def _OpeningElsewhere(shelf: StudyShelf, card: RunCard) -> None:
    """Button that opens a run of learners or of a group on their page."""
    t = use_words()
    learners = card.row.kind == "tutoring"
    way = use_way("/learner" if learners else "/mathematics")

    def open_it() -> None:
        (shelf.show_learners if learners else shelf.show_group)(card.id)
        way()()

    with solara.Div(classes=["ev-row"]):
        label = t("studies.run.open_learners" if learners else "studies.run.open_group")
        solara.Button(label, color="primary", on_click=open_it)


@solara.component
def _Naming(shelf: StudyShelf, card: RunCard) -> None:
    t = use_words()
    title, set_title = solara.use_state(card.row.title)
    with solara.Div(classes=["ev-row ev-naming"]):
        solara.InputText(t("studies.run.name"), value=title, on_value=set_title, continuous_update=True)
        solara.Button(
            t("studies.run.save"),
            outlined=True,
            disabled=" ".join(title.split()) == card.row.title,
            on_click=lambda: shelf.rename(card.id, title),
        )


@solara.component
def Exporting(path: str, runs: tuple[str, ...], *, taught: bool = False) -> None:
    """Runs as a file, in a form that is chosen; `taught`: some are no lessons, of which there are fewer forms."""
    t = use_words()
    forms = TAUGHT_FORMS if taught else FORMS
    form, set_form = solara.use_state(forms[0])
    shown = {name: t.get(f"studies.export.{name}", name) for name in forms}
    with solara.Div(classes=["ev-row ev-exporting"]):
        Choice(t("studies.export.form"), shown, form, set_form)
        Download(lambda: pack_runs(path, runs, form), t("studies.export.go"))


@solara.component
def _Deleting(shelf: StudyShelf, card: RunCard) -> None:
    t = use_words()
    use_live(shelf.changed)
    sure, set_sure = solara.use_state(False)
    abandoned, set_abandoned = solara.use_state(False)
    forks = forks_of(shelf.seen.cards, card.id)
    played = standing(card) == "running"

    def delete() -> None:
        set_sure(False)
        shelf.delete(card.id, with_forks=bool(forks), abandoned=abandoned)

    with solara.Div(classes=["ev-confirm"]):
        with solara.Div(classes=["ev-row"]):
            Opener(
                t("studies.run.delete"), _DELETING, sure, set_sure, text=True, danger=True, disabled=bool(shelf.doing)
            )
        if sure:
            with Panel(_DELETING, classes=["ev-confirm"]):
                Note(t("studies.run.sure", name=run_name(card, t)), kind="warn")
                if forks:
                    Note(t("studies.run.with_forks", n=len(forks), names=t.names(forks[:5])), kind="warn")
                if played:
                    solara.Checkbox(label=t("studies.run.abandoned"), value=abandoned, on_value=set_abandoned)
                with solara.Div(classes=["ev-row"]):
                    solara.Button(t("studies.run.delete_now"), classes=["ev-danger", "full"], on_click=delete)
                    solara.Button(t("studies.keep"), outlined=True, on_click=lambda: set_sure(False))
