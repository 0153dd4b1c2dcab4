"""What if: a run is gone back to, one thing is changed, and both ways are compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import solara

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.models.classroom import Intervention, NoChange
from eduverse_mesa.runs.forking import check_change, check_fork
from eduverse_mesa.runs.play import Run
from eduverse_mesa.scenarios import Scenario
from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.kit import Card, Form, Note, Reading, Trouble, use_words
from eduverse_mesa.visualization.app.lessons.lesson import classroom_lesson
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.app.pages.compare.changing import CHANGES, change_of, fields_of, filled, told_change
from eduverse_mesa.visualization.app.pages.compare.comparison import Comparison
from eduverse_mesa.visualization.app.pages.compare.fields import whole_number
from eduverse_mesa.visualization.app.pages.compare.sides import told_place
from eduverse_mesa.visualization.app.pages.compare.sources import Source, check_parent, forked, whole
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.reasons import reason_of

_HERE = "here"
"""The lesson of the classroom page."""

_STEP = 5
"""Before which step a change is offered while nobody looks at one."""

MOST_SEEDS = 200
SEEDS = 10
"""How many are offered."""


@dataclass(frozen=True)
class Wish:
    """What the form holds."""

    source: str
    before: Any
    lesson: int = 1
    seeds: Any = SEEDS
    kind: str = CHANGES[0]
    given: Mapping[str, Any] = field(default_factory=dict)

    @property
    def step(self) -> int | None:
        """Before which step; None where there is no such number."""
        return whole_number(self.before, 1, 10_000)

    @property
    def count(self) -> int | None:
        """Over how many seeds; None where there is no such number."""
        return whole_number(self.seeds, 1, MOST_SEEDS)


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
        at = (wish.lesson, (wish.step or 1) - 1)
        try:
            change = change_of(wish.kind, given, wish.lesson, wish.step or 1)
            if wish.source != _HERE:
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
        elif name in ("source", "before", "kind", "seeds"):
            put(replace(wish, **{name: value}))
        else:
            put(replace(wish, given={**given, name: value}))

    fields = [_select("source", t("compare.fork.run"), runs, wish.source)]
    if len(scenario.lessons) > 1:
        numbers = {str(n): f"{n}. {one.title or one.name}" for n, one in enumerate(scenario.lessons, start=1)}
        fields.append(_select("lesson", t("compare.fork.lesson"), numbers, str(wish.lesson)))
    fields.append(_number("before", t("compare.fork.before"), wish.before, 10_000))
    kinds = {name: t(f"compare.change.{name}.name") for name in CHANGES}
    fields.append(_select("kind", t("compare.fork.change"), kinds, wish.kind))
    fields += fields_of(wish.kind, given, scenario, t)
    fields.append(_number("seeds", t("compare.fork.seeds"), wish.seeds, MOST_SEEDS))
    Form(fields, hear=hear)


def _select(name: str, label: str, names: Mapping[str, str], value: str) -> Field:
    options = [list(option) for option in names.items()]
    return {"id": name, "kind": "select", "label": label, "options": options, "value": value, "width": "quarter"}


def _number(name: str, label: str, value: Any, most: int) -> Field:
    return {"id": name, "kind": "number", "label": label, "value": value, "min": 1, "max": most, "width": "quarter"}


@solara.component
def _Buttons(wish: Wish, play: Callable[[int], None]) -> None:
    t = use_words()
    step, count = wish.step, wish.count
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
            Note(t("compare.fork.bad_number", most=MOST_SEEDS), kind="warn")


@solara.component
def ForkTold(comparison: Comparison) -> None:
    """What was changed, what differed first, and the way to do it over seeds."""
    t = use_words()
    use_live(comparison.changed)
    use_live(comparison.work.told, rest=0.2)
    made, repeat = comparison.forked, comparison.repeat
    if made is None:
        solara.Div(classes=["ev-idle"])
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
        told.append(t("compare.fork.afresh" if made.afresh else "compare.fork.people", names=", ".join(made.people)))
    if made.without:
        told.append(t("compare.fork.without", n=made.without))
    few = len(comparison.seeds) <= 1 and not comparison.work.busy
    notes: list[Tree] = [["p", {"class": "ev-note is-info", "role": "status"}, " ".join(told)]]
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
        check_fork(parent.id, parent.spec.scenario, at, [change], played, complete=True)


# --- which run ---


def _runs(comparison: Comparison, t: Words) -> dict[str, str]:
    found = {
        str(number): f"{side.name} · {t('compare.rooms.seed')} {side.shown.spec.seed}"
        for number, side in enumerate(comparison.sides)
        if side.shown is not None
    }
    return {**found, _HERE: t("compare.fork.here")}


def _parent(desk: Desk, comparison: Comparison, source: str) -> Run:
    """The run that would be forked, as far as it was played."""
    shown = comparison.sides[int(source)].shown if source != _HERE else None
    return classroom_lesson(desk).player.run if shown is None else shown


def _study(desk: Desk, comparison: Comparison, source: str) -> str:
    """Where the run that would be forked is kept."""
    return comparison.study if source != _HERE else classroom_lesson(desk).study


def _repeat(
    desk: Desk, comparison: Comparison, source: str, at: tuple[int, int], change: Intervention, t: Words
) -> Callable[[int], Source]:
    """The same fork over any number of seeds; the run's own seed is the first."""
    parent = _parent(desk, comparison, source)
    player = classroom_lesson(desk).player if source == _HERE else None
    names = (t("compare.fork.parent"), t("compare.fork.child"))

    def over(seeds: int) -> Source:
        others = [number for number in range(1, seeds + 1) if number != parent.spec.seed][: seeds - 1]
        return forked((lambda: parent) if player is None else (lambda: whole(player)), at, change, names, others)

    return over
