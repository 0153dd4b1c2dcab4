"""Forms of the compare page: runs to choose, arms to play, and a change to fork by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from dataclasses import field as with_default
from itertools import product
from typing import Any

import pydantic
import solara

from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.elements import Card, Form, Idle, Note, Reading, Toggle, Trouble, chip, turned, use_words
from eduverse_mesa.dashboard.lessons.lesson import classroom_lesson
from eduverse_mesa.dashboard.notice import use_live
from eduverse_mesa.dashboard.pages.compare.comparison import (
    CHANGES,
    MOST_SIDES,
    Comparison,
    Source,
    arms,
    change_of,
    check_parent,
    fields_of,
    filled,
    forked,
    stored,
    ticked,
    told_change,
    told_place,
    whole,
)
from eduverse_mesa.dashboard.run_names import run_name, run_place, standing_chip
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.experiments.sweeps.document import Seed
from eduverse_mesa.models.classroom import Intervention, NoChange
from eduverse_mesa.policies.registry import MAKERS
from eduverse_mesa.runs.arms import ArmPlan
from eduverse_mesa.runs.classroom import Run, check_change, check_fork
from eduverse_mesa.runs.studies import RunCard, open_study, run_cards
from eduverse_mesa.scenarios import Scenario, dump_scenario, load_scenario
from eduverse_mesa.scenarios.base import Part
from eduverse_mesa.visualization.widgets.fields import document_field, document_fields, field, filled_in, limits, select
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words, run_on
from eduverse_mesa.visualization.words.labels import clock, reason_of, short_title_of, titles


@solara.component
def Toggles(
    label: str, names: Mapping[str, str], chosen: tuple[str, ...], choose: Callable[[tuple[str, ...]], None]
) -> None:
    """Any number of things, by buttons that stay pressed; `names` says what each is called."""
    with solara.Div(classes=["ev-field"], attributes={"role": "group", "aria-label": label}):
        solara.Text(label, classes=["ev-quiet"])
        with solara.Div(classes=["ev-toggles"]):
            for name, shown in names.items():
                Toggle(shown, name in chosen, lambda name=name: choose(turned(chosen, name)))


def search_field(label: str, value: str) -> Field:
    """Return the field of a search that runs while it is typed."""
    return field("search", "text", label, value, live=True)


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
            set_chosen(turned(chosen, run))

    def compare() -> None:
        source = stored(desk.study, chosen, grouped=grouped, words=t)
        comparison.begin(source, study=desk.study)
        done()

    with solara.Div(classes=["ev-stack"]):
        Form([search_field(t("compare.study.search"), search)], hear=lambda _, text: set_search(text))
        with solara.Div(classes=["ev-runs"]):
            Reading(_table(shown[:_SHOWN], chosen, t), on_event=hear)
        Form([field("grouped", "check", t("compare.study.grouped"), grouped)], hear=lambda _, on: set_grouped(on))
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
                "aria-label": t("compare.study.pick", name=run_name(card, t) + t.aside(card.id)),
            },
            "☑" if on else "☐",
        ]
        name: list[Tree] = [["bdi", {}, run_name(card, t)]]
        if card.row.forked_at is not None:
            name += [" ", chip(t("compare.study.fork"))]
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


_HERE = "*"
"""The scenario of the classroom page."""


class Seeds(Part):
    """The seeds of arms: how many, from which on."""

    seeds: int = pydantic.Field(5, ge=1, le=200)
    first: Seed = 1


@solara.component
def PlayArms(desk: Desk, comparison: Comparison, done: Callable[[], None]) -> None:
    """Form that chooses the arms to play, and how often."""
    t = use_words()
    scenario, set_scenario = solara.use_state(desk.first_scenario)
    layouts, set_layouts = solara.use_state(("lecture", "round"))
    policies, set_policies = solara.use_state((desk.policy if desk.policy in MAKERS else "embedded",))
    given, set_given = solara.use_state(Seeds().model_dump())
    keep, set_keep = solara.use_state(False)
    error, set_error = solara.use_state(None)
    seeds = filled_in(Seeds, given)
    sides = max(len(layouts), 1) * max(len(policies), 1)
    wrong = _wrong(sides, seeds, t)

    def play() -> None:
        try:
            plans = _plans(desk, scenario, layouts, policies, t)
        except EduverseError as trouble:
            set_error(trouble)
            return
        set_error(None)
        if seeds is not None:
            numbers = range(seeds.first, seeds.first + seeds.seeds)
            comparison.begin(arms(plans, numbers, desk.office.study if keep else None))
            done()

    def hear(name: str, value: Any) -> None:
        if name == "scenario":
            set_scenario(value)
        else:
            set_given({**given, name: value})

    names = {_HERE: t("compare.make.here"), **titles("scenario", t)}
    with solara.Div(classes=["ev-stack"]):
        which = select("scenario", t("compare.make.scenario"), names, scenario, width="half")
        Form([which, *document_fields(Seeds, given, t, "compare.make", seeds="quarter", first="quarter")], hear=hear)
        Toggles(t("compare.make.layouts"), titles("layout", t), layouts, set_layouts)
        Toggles(t("compare.make.policies"), {name: t.code(name) for name in MAKERS}, policies, set_policies)
        Form([field("keep", "check", t("compare.make.keep"), keep)], hear=lambda _, on: set_keep(on))
        with solara.Div(classes=["ev-row"]):
            runs = sides * (seeds.seeds if seeds else 0)
            solara.Button(t("compare.make.play", n=runs), color="primary", on_click=play, disabled=bool(wrong))
        if wrong:
            Note(wrong, kind="warn")
        if error is not None:
            Trouble(error)


def _wrong(sides: int, seeds: Seeds | None, t: Words) -> str:
    if sides > MOST_SIDES:
        return t("compare.make.too_many", sides=sides, most=MOST_SIDES)
    return "" if seeds is not None else t("compare.make.bad_seeds", most=limits(Seeds, "seeds")[1])


def _plans(desk: Desk, scenario: str, layouts: tuple[str, ...], policies: tuple[str, ...], t: Words) -> list[ArmPlan]:
    """A plan for each layout and policy; the scenario's own where none is chosen."""
    plans = []
    for layout, policy in product(layouts or (None,), policies or (desk.policy,)):
        loaded = _load(desk, scenario, layout)
        name = short_title_of("layout", loaded.layout, t)
        plans.append(ArmPlan(f"{name} · {t.code(policy)}" if len(policies) > 1 else name, loaded, policy))
    return plans


def _load(desk: Desk, scenario: str, layout: str | None) -> Scenario:
    settings: dict[str, Any] = dict(desk.llm)
    if scenario != _HERE:
        return load_scenario(scenario, layout=layout, settings=settings)
    from eduverse_mesa.dashboard.lessons.lesson import classroom_lesson

    here = dump_scenario(classroom_lesson(desk).player.run.spec.scenario)
    return load_scenario(here, layout=layout, settings=settings)


_FORKING_HERE = "here"
"""The lesson of the classroom page."""

_STEP = 5
"""Before which step a change is offered while nobody looks at one."""

SEEDS = 10
"""Number of seeds that are offered."""


class Fork(NoChange):
    """Where a fork begins, and over how many seeds it may be repeated."""

    seeds: int = pydantic.Field(SEEDS, ge=1, le=200)


@dataclass(frozen=True)
class Wish:
    """Values of the form for a change."""

    source: str
    step: Any
    lesson: int = 1
    seeds: Any = SEEDS
    kind: str = CHANGES[0]
    given: Mapping[str, Any] = with_default(default_factory=dict)

    @property
    def before(self) -> int | None:
        """Before which step; None where there is no such number."""
        fork = filled_in(Fork, {"step": self.step})
        return fork.step if fork is not None else None

    @property
    def count(self) -> int | None:
        """Over how many seeds; None where there is no such number."""
        fork = filled_in(Fork, {"step": 1, "seeds": self.seeds})
        return fork.seeds if fork is not None else None


@solara.component
def WhatIf(desk: Desk, comparison: Comparison, done: Callable[[], None]) -> None:
    """The form of a fork."""
    t = use_words()
    use_live(comparison.changed)
    runs = _runs(comparison, t)
    first = next(iter(runs))
    wish, set_wish = solara.use_state(Wish(first, comparison.place[1] or _STEP))
    error, set_error = solara.use_state(None)
    if wish.source not in runs:
        wish = replace(wish, source=first)
    parent = _parent(desk, comparison, wish.source)
    given = filled(wish.given, parent.spec.scenario, comparison.student)

    def play(seeds: int) -> None:
        at = (wish.lesson, (wish.before or 1) - 1)
        try:
            change = change_of(wish.kind, given, wish.lesson, wish.before or 1)
            if wish.source != _FORKING_HERE:
                check_parent(parent)
            _check(parent, at, change)
        except EduverseError as trouble:
            set_error(trouble)
            return
        set_error(None)
        repeat = _repeat(desk, comparison, wish.source, at, change, t)
        comparison.begin(repeat(seeds), repeat, study=_study(desk, comparison, wish.source))
        done()

    with solara.Div(classes=["ev-stack"]):
        solara.Text(t("compare.fork.lead"), classes=["ev-quiet"])
        _Fields(wish, set_wish, runs, parent.spec.scenario, given)
        _Buttons(wish, play)
        if error is not None:
            Trouble(error)


@solara.component
def _Fields(
    wish: Wish, put: Callable[[Wish], None], runs: dict[str, str], scenario: Scenario, given: dict[str, Any]
) -> None:
    t = use_words()

    def hear(name: str, value: Any) -> None:
        if name == "lesson":
            put(replace(wish, lesson=int(value)))
        elif name in ("source", "step", "kind", "seeds"):
            put(replace(wish, **{name: value}))
        else:
            put(replace(wish, given={**given, name: value}))

    words, label = "compare.fork", t("compare.fork.before")
    before = document_field(Fork, "step", wish.step, t, words, label=label, width="quarter")
    seeds = document_field(Fork, "seeds", wish.seeds, t, words, width="quarter")
    fields = [select("source", t("compare.fork.run"), runs, wish.source, width="quarter")]
    if len(scenario.lessons) > 1:
        numbers = {str(n): f"{n}. {one.title or one.name}" for n, one in enumerate(scenario.lessons, start=1)}
        fields.append(select("lesson", t("compare.fork.lesson"), numbers, str(wish.lesson), width="quarter"))
    kinds = {name: t(f"compare.change.{name}.name") for name in CHANGES}
    change = select("kind", t("compare.fork.change"), kinds, wish.kind, width="quarter")
    Form([*fields, before, change, *fields_of(wish.kind, given, scenario, t), seeds], hear=hear)


@solara.component
def _Buttons(wish: Wish, play: Callable[[int], None]) -> None:
    t = use_words()
    step, count = wish.before, wish.count
    with solara.Div(classes=["ev-stack"]):
        with solara.Div(classes=["ev-row"]):
            solara.Button(t("compare.fork.play"), color="primary", on_click=lambda: play(1), disabled=step is None)
            solara.Button(
                t("compare.fork.over", n=count or 0),
                outlined=True,
                on_click=lambda: play(count or 1),
                disabled=step is None or count is None,
            )
        if step is None or count is None:
            Note(t("compare.fork.bad_number", most=limits(Fork, "seeds")[1]), kind="warn")


@solara.component
def ForkTold(comparison: Comparison) -> None:
    """Note on the change that was made and its first difference, with a button to repeat it over seeds."""
    t = use_words()
    use_live(comparison.changed)
    use_live(comparison.work.changed)
    made, repeat = comparison.forked, comparison.repeat
    if made is None:
        Idle()
        return
    several = len({lesson for lesson, _ in comparison.places}) > 1
    where = told_place(made.change.lesson, made.change.step, several, t)
    told = [t("compare.fork.told", change=told_change(made.change, t), where=where)]
    if made.refused:
        told.append(t("compare.fork.refused", reason=reason_of(made.refused, t)))
    elif made.first is None:
        told.append(t("compare.fork.no_difference"))
    else:
        lesson, step, agent, kind = made.first
        place = told_place(lesson, step, several, t)
        told.append(t("compare.fork.first", where=place, agent=agent, kind=t(f"compare.kind.{kind}")))
    if made.people:
        told.append(t("compare.fork.afresh" if made.afresh else "compare.fork.people", names=t.names(made.people)))
    if made.without:
        told.append(t("compare.fork.without", n=made.without))
    few = len(comparison.seeds) <= 1 and not comparison.work.busy
    notes: list[Tree] = [["p", {"class": "ev-note is-info", "role": "status"}, run_on(told)]]
    if few:
        notes.append(["p", {"class": "ev-note is-warn", "role": "status"}, t("compare.note.one")])
    with Card(t("compare.way.fork")):
        # One sheet, which stays: a widget that comes and goes within a moment cannot be made in time.
        Reading(["div", {"class": "ev-notes"}, *notes])
        if few and repeat is not None:
            with solara.Div(classes=["ev-row"]):
                solara.Button(
                    t("compare.fork.over", n=SEEDS),
                    color="primary",
                    on_click=lambda: comparison.begin(repeat(SEEDS), repeat, study=comparison.study),
                )


def _check(parent: Run, at: tuple[int, int], change: Intervention) -> None:
    """Say what is wrong before anything is played. A lesson that is still going on will have the steps by then."""
    if not isinstance(change, NoChange):
        check_change(parent.spec.scenario, change)
    if parent.complete:
        played = {place for lesson in parent.lessons for place in lesson.digests}
        check_fork(parent.id, parent.spec.scenario, at, [change], played=played, complete=True)


# --- which run ---


def _runs(comparison: Comparison, t: Words) -> dict[str, str]:
    found = {
        str(number): f"{side.name} · {t('compare.rooms.seed')} {side.shown.spec.seed}"
        for number, side in enumerate(comparison.sides)
        if side.shown is not None
    }
    return {**found, _FORKING_HERE: t("compare.fork.here")}


def _parent(desk: Desk, comparison: Comparison, source: str) -> Run:
    """The run that would be forked, as far as it was played."""
    shown = comparison.sides[int(source)].shown if source != _FORKING_HERE else None
    return classroom_lesson(desk).player.run if shown is None else shown


def _study(desk: Desk, comparison: Comparison, source: str) -> str:
    """Return the study that keeps the run to be forked."""
    return comparison.study if source != _FORKING_HERE else classroom_lesson(desk).study


def _repeat(
    desk: Desk, comparison: Comparison, source: str, at: tuple[int, int], change: Intervention, t: Words
) -> Callable[[int], Source]:
    """The same fork over any number of seeds; the run's own seed is the first."""
    parent = _parent(desk, comparison, source)
    player = classroom_lesson(desk).player if source == _FORKING_HERE else None
    names = (t("compare.fork.parent"), t("compare.fork.child"))

    def over(seeds: int) -> Source:
        others = [number for number in range(1, seeds + 1) if number != parent.spec.seed][: seeds - 1]
        return forked((lambda: parent) if player is None else (lambda: whole(player)), at, change, names, others)

    return over
