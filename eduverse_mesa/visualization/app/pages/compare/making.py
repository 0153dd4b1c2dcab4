"""The form for arms: a scenario in several layouts, answered by several policies, over seeds."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import solara

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.policies.making import MAKERS
from eduverse_mesa.runs.arms import Plan
from eduverse_mesa.scenarios import Scenario, dump_scenario, load_scenario
from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.kit import Form, Note, Trouble, use_words
from eduverse_mesa.visualization.app.pages.compare.comparison import Comparison
from eduverse_mesa.visualization.app.pages.compare.fields import Toggles, whole_number
from eduverse_mesa.visualization.app.pages.compare.sides import MOST_SIDES
from eduverse_mesa.visualization.app.pages.compare.sources import arms
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.titles import short_title_of, titles

MOST_RUNS_OF_A_SIDE = 200
_HERE = "*"
"""The scenario of the classroom page."""


@solara.component
def PlayArms(desk: Desk, comparison: Comparison, done: Callable[[], None]) -> None:
    """Which arms are played, and how often."""
    t = use_words()
    scenario, set_scenario = solara.use_state(desk.first_scenario)
    layouts, set_layouts = solara.use_state(("lecture", "round"))
    policies, set_policies = solara.use_state((desk.policy if desk.policy in MAKERS else "embedded",))
    seeds, set_seeds = solara.use_state(5)
    first, set_first = solara.use_state(1)
    keep, set_keep = solara.use_state(False)
    error, set_error = solara.use_state(None)
    count, start = whole_number(seeds, 1, MOST_RUNS_OF_A_SIDE), whole_number(first, 0, 10**9)
    sides = max(len(layouts), 1) * max(len(policies), 1)
    wrong = _wrong(sides, count, start, t)

    def play() -> None:
        try:
            plans = _plans(desk, scenario, layouts, policies, t)
        except EduverseError as trouble:
            set_error(trouble)
            return
        set_error(None)
        numbers = range(start or 0, (start or 0) + (count or 1))
        comparison.begin(arms(plans, numbers, desk.office.study if keep else None))
        done()

    names = {_HERE: t("compare.make.here"), **titles("scenario", t)}
    with solara.Div(classes=["ev-stack"]):
        put = {"scenario": set_scenario, "seeds": set_seeds, "first": set_first}
        Form(_fields(scenario, names, seeds, first, t), hear=lambda name, value: put[name](value))
        Toggles(t("compare.make.layouts"), titles("layout", t), layouts, set_layouts)
        Toggles(t("compare.make.policies"), {name: t.code(name) for name in MAKERS}, policies, set_policies)
        Form(
            [{"id": "keep", "kind": "check", "label": t("compare.make.keep"), "value": keep}],
            hear=lambda _, on: set_keep(on),
        )
        with solara.Div(classes=["ev-row"]):
            solara.Button(
                t("compare.make.play", n=sides * (count or 0)), color="primary", on_click=play, disabled=bool(wrong)
            )
        if wrong:
            Note(wrong, kind="warn")
        if error is not None:
            Trouble(error)


def _fields(scenario: str, names: dict[str, str], seeds: Any, first: Any, t: Words) -> list[Field]:
    return [
        {
            "id": "scenario",
            "kind": "select",
            "label": t("compare.make.scenario"),
            "options": [list(option) for option in names.items()],
            "value": scenario,
            "width": "half",
        },
        {
            "id": "seeds",
            "kind": "number",
            "label": t("compare.make.seeds"),
            "value": seeds,
            "min": 1,
            "max": MOST_RUNS_OF_A_SIDE,
            "width": "quarter",
        },
        {
            "id": "first",
            "kind": "number",
            "label": t("compare.make.first"),
            "value": first,
            "min": 0,
            "width": "quarter",
        },
    ]


def _wrong(sides: int, count: int | None, start: int | None, t: Words) -> str:
    if sides > MOST_SIDES:
        return t("compare.make.too_many", sides=sides, most=MOST_SIDES)
    if count is None or start is None:
        return t("compare.make.bad_seeds", most=MOST_RUNS_OF_A_SIDE)
    return ""


def _plans(desk: Desk, scenario: str, layouts: tuple[str, ...], policies: tuple[str, ...], t: Words) -> list[Plan]:
    """A plan for each layout and policy; the scenario's own where none is chosen."""
    plans = []
    for layout, policy in product(layouts or (None,), policies or (desk.policy,)):
        loaded = _load(desk, scenario, layout)
        name = short_title_of("layout", loaded.layout, t)
        plans.append(Plan(f"{name} · {t.code(policy)}" if len(policies) > 1 else name, loaded, policy))
    return plans


def _load(desk: Desk, scenario: str, layout: str | None) -> Scenario:
    settings: dict[str, Any] = dict(desk.llm)
    if scenario != _HERE:
        return load_scenario(scenario, layout=layout, settings=settings)
    from eduverse_mesa.visualization.app.lessons.lesson import classroom_lesson

    here = dump_scenario(classroom_lesson(desk).player.run.spec.scenario)
    return load_scenario(here, layout=layout, settings=settings)
