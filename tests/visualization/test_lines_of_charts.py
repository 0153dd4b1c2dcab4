"""Lines of a chart are told apart by more than their colour: by a dash, or by the shape of their points, also in the
legend. All pictures that draw lines are here, and a new one that does so is missed."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import vl_convert

from eduverse_mesa.experiments.papers.simlearner.plays import curves
from eduverse_mesa.visualization import charts
from eduverse_mesa.visualization.charts.learners import exams_over_time, forgetting, forgetting_curves, trajectories
from eduverse_mesa.visualization.charts.studies import Point, over_sessions
from tests.visualization.test_charts import played

STEPS = played()[0].student_steps
SENTENCES = played()[0].sentences
NAMES = ("one", "two", "three", "four", "five", "six")
LEFT = [{"trace": name, "days": day, "mastery": 1 - day * 0.1} for name in NAMES for day in (0.0, 5.0)]
RUNS = [{"run": name, "step": step, "value": 0.1 * step} for name in NAMES for step in (1, 2)]
MEANS = [
    {"learner": name, "grade": grade, "mean": 0.1 * place, "low": 0.0, "high": 1.0}
    for place, name in enumerate(NAMES)
    for grade in (1, 2)
]
SHARES = pd.DataFrame({"learner": ["a", "b"], "pre": [0.1, 0.3], "post": [0.5, 0.6], "delayed": [0.4, 0.5]})
SESSIONS = [Point(name, session, 0.1, 0.0, 0.2, 0.15) for name in NAMES for session in (1, 2)]

DRAWN: dict[str, Any] = {  # by the function that draws the lines
    "_series": charts.series_together(pd.DataFrame(RUNS)),
    "_curves of shares": charts.lorenz_curve(SENTENCES, STEPS),
    "_sessions": over_sessions(SESSIONS),
    "_curves": forgetting(pd.DataFrame(LEFT)),
    "_lines of states": charts.states_of_student(STEPS, STEPS["student"].iloc[0]),
    "_lines": trajectories(pd.DataFrame(MEANS)),
    "forgetting_curves": forgetting_curves(curves(every=100)),
    "_over_time": exams_over_time({"built-in": SHARES, "mine": SHARES}),
}
ONE_LINE = {"_webs", "beside_targets", "profiled"}
"""Functions that draw lines of which none stands beside another."""


def specs(name: str) -> dict[str, Any]:
    found: dict[str, Any] = DRAWN[name].to_dict()
    return found


def marks(spec: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each mark with its encodings, those of what is around it included."""

    def walk(part: dict[str, Any], around: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        encoding = {**around, **part.get("encoding", {})}
        if "mark" in part:
            mark = part["mark"]
            yield mark if isinstance(mark, str) else mark["type"], encoding
        for inner in [*part.get("layer", ()), *([part["spec"]] if "spec" in part else ())]:
            yield from walk(inner, encoding)

    yield from walk(spec, {})


def test_every_picture_with_lines_is_looked_at() -> None:
    folder = Path(charts.__file__).parent
    drawing = {
        made.name
        for path in folder.glob("*.py")
        for made in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(made, ast.FunctionDef)
        and any(isinstance(node, ast.Attribute) and node.attr == "mark_line" for node in ast.walk(made))
    }
    assert drawing == {name.partition(" ")[0] for name in DRAWN} | ONE_LINE


@pytest.mark.parametrize("name", DRAWN)
def test_lines_of_several_colours_have_a_dash_or_a_shape_each(name: str) -> None:
    spec = specs(name)
    found = list(marks(spec))
    shaped = [told["shape"] for mark, told in found if mark == "point" and "shape" in told]
    several = [told for mark, told in found if mark == "line" and "field" in told.get("color", {})]
    assert several
    for told in several:
        colour = told["color"]
        others = [told["strokeDash"]] if "strokeDash" in told else shaped
        assert others, f"only {colour['field']}'s colour"
        for other in others:
            assert (other["field"], other["scale"]["domain"]) == (colour["field"], colour["scale"]["domain"])
            assert len(set(map(str, other["scale"]["range"]))) == len(other["scale"]["domain"])
            assert other["legend"] == colour["legend"], "one legend tells both"


@pytest.mark.parametrize("name", DRAWN)
def test_the_legend_is_one_and_shows_what_tells_them_apart(name: str) -> None:
    vega = vl_convert.vegalite_to_vega(specs(name))
    legends = [legend for legend in found_in(vega, "legends") for legend in legend]
    told = [set(legend) & {"stroke", "fill", "strokeDash", "shape"} for legend in legends]
    assert len(told) == 1
    assert told[0] & {"strokeDash", "shape"}
    assert told[0] & {"stroke", "fill"}


def found_in(part: Any, key: str) -> Iterator[Any]:
    if isinstance(part, dict):
        for name, value in part.items():
            if name == key:
                yield value
            yield from found_in(value, key)
    elif isinstance(part, list):
        for value in part:
            yield from found_in(value, key)


def test_a_chart_on_paper_can_be_drawn() -> None:
    for name in DRAWN:
        assert vl_convert.vegalite_to_svg(json.dumps(specs(name))).startswith("<svg")
