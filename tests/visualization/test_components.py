"""Every component, drawn without a browser: before the first step, after some, at an earlier one, of a large class."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
import solara

from eduverse_mesa import ClassroomModel
from eduverse_mesa.visualization import components
from eduverse_mesa.visualization.components import tables_of
from eduverse_mesa.visualization.widgets.chart import ChartWidget
from eduverse_mesa.visualization.widgets.room import RoomWidget
from eduverse_mesa.visualization.widgets.sheet import Sheet
from eduverse_mesa.visualization.words import LANGUAGES
from tests.visualization.test_reports import HOSTILE, renamed

SHOWS = {
    "ActionZone": ChartWidget,
    "BecOverTime": ChartWidget,
    "Equity": ChartWidget,
    "IrfRibbon": ChartWidget,
    "Network": ChartWidget,
    "PhaseBar": Sheet,
    "Room": RoomWidget,
    "StatesOverTime": ChartWidget,
    "StudentPanel": ChartWidget,
    "Transcript": Sheet,
}

TRAITS = {ChartWidget: ("spec", "signals", "label"), Sheet: ("tree",), RoomWidget: ("stage", "frame", "labels")}


@cache
def lesson(steps: int = 3, students: int | None = None) -> ClassroomModel:
    model = ClassroomModel(seed=1, students=students)
    for _ in range(steps):
        model.step()
    return model


def drawn(name: str, model: ClassroomModel, **given: Any) -> dict[str, Any]:
    """The widget that the component is about, as it would be sent to a browser."""
    _, context = solara.render(getattr(components, name)(model, **given), handle_error=False)
    try:
        found = context.find(SHOWS[name])
        assert len(found) >= 1
        state: dict[str, Any] = {name: getattr(found[0].widget, name) for name in TRAITS[SHOWS[name]]}
        return json.loads(json.dumps(state, allow_nan=False))
    finally:
        context.close()


def test_every_component_is_drawn_here() -> None:
    assert set(SHOWS) == set(components.__all__)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", SHOWS)
@pytest.mark.parametrize("steps", [0, 3])
def test_a_component_is_drawn(name: str, steps: int, language: str) -> None:
    shown = drawn(name, lesson(steps), language=language)
    assert any(shown.values())
    if steps and SHOWS[name] is ChartWidget:
        assert any(shown["spec"]["datasets"].values())


@pytest.mark.parametrize("name", SHOWS)
def test_a_component_shows_an_earlier_step(name: str) -> None:
    now, before = (drawn(name, lesson(), **given) for given in ({}, {"step": 1}))
    assert now != before


@pytest.mark.parametrize("name", SHOWS)
def test_a_component_holds_a_large_class(name: str) -> None:
    drawn(name, lesson(2, 30))


def test_a_large_class_has_a_table_of_requests() -> None:
    assert "lines" in drawn("Network", lesson())["spec"]["datasets"]
    assert "pairs" in drawn("Network", lesson(2, 30))["spec"]["datasets"]


def test_tables_are_made_once_a_step() -> None:
    model = ClassroomModel(seed=1)
    model.step()
    first = tables_of(model)
    assert tables_of(model) is first
    model.step()
    assert len(tables_of(model).student_steps) == 2 * len(first.student_steps)


@pytest.mark.parametrize("name", ["Transcript", "StudentPanel", "PhaseBar"])
def test_hostile_names_are_leaves_of_the_tree(name: str) -> None:
    model = ClassroomModel(renamed(lesson().setup, HOSTILE), seed=1)
    for _ in range(4):
        model.step()
    _, context = solara.render(getattr(components, name)(model), handle_error=False)
    for found in context.find(Sheet):
        assert not [node for node in _nodes(found.widget.tree) if HOSTILE in str(node[0]) or HOSTILE in str(node[1])]
    context.close()


def _nodes(tree: Any) -> list[Any]:
    if not isinstance(tree, list):
        return []
    return [tree, *(node for child in tree[2:] for node in _nodes(child))]
