"""Charts of lessons that were played, of empty tables, of hostile names, and in every language."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pandas as pd
import pytest
import vl_convert

from eduverse_mesa.runs import Tables, run_course, run_tables
from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.visualization import charts
from eduverse_mesa.visualization.charts.frame import ACTION, CURSOR, ChartFunction, chart_words, named
from eduverse_mesa.visualization.palette import BEHAVIOUR, COGNITION, EMOTION, PHASE, REQUEST
from eduverse_mesa.visualization.reports.run import report_tables
from eduverse_mesa.visualization.reports.tables import Room
from eduverse_mesa.vocabulary import ACTS, BEHAVIOURS, BLOOM, EMOTIONS
from tests.visualization.test_reports import HOSTILE, renamed

OVER_TIME = {"bec_over_time", "bec_of_student", "state_over_time", "states_of_student", "irf_ribbon", "series_together"}
LANGUAGES = ("en", "zh")

Shown = Callable[..., Any]


def words(language: str) -> dict[str, str]:
    return dict(chart_words(language))


@cache
def played(name: str = "", scenario: str = "first_lesson") -> tuple[Tables, Room]:
    wanted = load_scenario(scenario, steps=12)
    run = run_course(renamed(wanted, name) if name else wanted, seed=1)
    return run_tables(run), report_tables(run).room


SUMMARY = {"arm": ["lecture", "round"], "measure": ["bec.b_offtask"] * 2, "mean": [0.2, 0.3]}
SCORES = {"factor": ["history", "closeness"], "score": [80.0, 20.0], "weight": [0.6, 0.4], "reason": ["knows", "far"]}


def arguments(made: Tables, room: Room) -> dict[str, tuple[Any, ...]]:
    """What every chart is called with."""
    steps, teacher, asked = made.student_steps, made.teacher_steps, made.requests
    first = steps["student"].iloc[0] if len(steps) else "nobody"
    names = list(dict.fromkeys(steps["student"]))
    kept = slice(None) if len(steps) else slice(0)
    summary = pd.DataFrame({**SUMMARY, "low": [0.1, 0.2], "high": [0.3, float("nan")], "n": [3, 1]})[kept]
    values = pd.DataFrame({"arm": ["lecture"], "measure": ["bec.b_offtask"], "seed": [1], "value": [0.2]})[kept]
    differences = pd.DataFrame(
        {"measure": [f"student.{first}.attention"], "difference": [0.1], "low": [0.05], "high": [0.2], "n": [3]}
    )[kept]
    series = pd.DataFrame({"run": [first, "b"], "step": [1, 1], "value": [0.1, float("nan")]})[kept]
    return {
        "action_zone": (room, steps, teacher),
        "bec_by_student": (steps,),
        "bec_of_student": (steps, first),
        "bec_over_time": (steps,),
        "bec_shares_chart": (steps,),
        "gate_scores": (pd.DataFrame(SCORES)[kept], 0.5),
        "interaction_network": (room, asked),
        "irf_ribbon": (steps, teacher),
        "lorenz_curve": (made.sentences, steps),
        "measure_intervals": (summary, values),
        "paired_differences": (differences,),
        "request_matrix": (asked, names),
        "request_network": (asked, names),
        "room_plan": (room,),
        "series_together": (series,),
        "shares_of_students": (made.sentences, steps),
        "state_over_time": (steps,),
        "states_of_student": (steps, first),
    }


ALL = sorted(arguments(*played()))


def texts(spec: Any) -> Iterator[str]:
    """Every text of a specification, with that of its data."""
    if isinstance(spec, dict):
        for value in spec.values():
            yield from texts(value)
    elif isinstance(spec, list):
        for value in spec:
            yield from texts(value)
    elif isinstance(spec, str):
        yield spec


def chart(name: str) -> Any:
    found: Any = getattr(charts, name)
    return found


def test_every_chart_is_tested() -> None:
    assert {name for name in charts.__all__ if isinstance(getattr(charts, name), ChartFunction)} == set(ALL)


@pytest.mark.parametrize("name", ALL)
def test_a_chart_is_valid_has_data_and_asks_no_other_host(name: str) -> None:
    spec = chart(name)(*arguments(*played())[name]).to_dict(validate=True)
    assert any(spec["datasets"].values())
    assert not [text for text in texts({**spec, "$schema": ""}) if "://" in text]


@pytest.mark.parametrize("name", ALL)
def test_what_a_widget_draws_is_the_same_chart(name: str) -> None:
    given = arguments(*played())[name]
    spec, built = chart(name).spec(*given), chart(name)(*given).to_dict()
    rows, same = (
        {json.dumps(part, sort_keys=True) for part in one["datasets"].values() if part} for one in (spec, built)
    )
    assert rows == same
    assert json.dumps(spec, allow_nan=False)
    again = chart(name).spec(*given)
    assert {**again, "datasets": 0} == {**spec, "datasets": 0}
    assert "config" not in spec


@pytest.mark.parametrize("name", ALL)
def test_an_empty_chart_says_why(name: str) -> None:
    made, _ = played()
    empty = Tables(*(table.iloc[:0] for table in made))
    drawn = chart(name)(*arguments(empty, Room(1, 1))[name])
    spec = drawn.to_dict(validate=True)
    (rows,) = spec["datasets"].values()
    assert rows[0]["message"] in words("en").values()
    chinese = chart(name).spec(*arguments(empty, Room(1, 1))[name], words=words("zh"), width="container")
    assert chinese["datasets"]["message"][0]["message"] in words("zh").values()


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("hostile", [HOSTILE, "\u202eevil\u2066", "x" * 100_000, "datum['a'] || 1", "'\"`\\"])
def test_hostile_names_stay_data(name: str, hostile: str) -> None:
    spec = chart(name)(*arguments(*played(hostile[:120]))[name]).to_dict(validate=True)
    assert not [text for text in _code(spec) if hostile[:8] in text]


def _code(spec: Any) -> Iterator[str]:
    """What Vega reads as the name of a field or as an expression."""
    if isinstance(spec, dict):
        for key, value in spec.items():
            if key in {"field", "expr", "filter", "calculate", "test", "as", "groupby"}:
                yield json.dumps(value, ensure_ascii=False)
            elif key != "datasets":
                yield from _code(value)
    elif isinstance(spec, list):
        for value in spec:
            yield from _code(value)


def test_long_names_are_shortened_and_stay_different() -> None:
    shown = named(["x" * 100_000, "x" * 100_000 + "y", "x" * 90, "Li Wei"])
    assert len(set(shown.values())) == 4
    assert max(map(len, shown.values())) <= 45
    assert shown["Li Wei"] == "Li Wei"


@pytest.mark.parametrize("name", ALL)
def test_a_chart_can_be_as_wide_as_its_page(name: str) -> None:
    spec = chart(name).spec(*arguments(*played())[name], width="container")
    assert spec["width"] == "container"
    assert "vconcat" not in spec


@pytest.mark.parametrize("name", sorted(OVER_TIME))
def test_charts_over_time_mark_a_step(name: str) -> None:
    spec = chart(name)(*arguments(*played())[name]).to_dict(validate=True)
    assert CURSOR in [param["name"] for param in spec["params"]]
    axis = json.dumps(chart(name).spec(*arguments(*played())[name], steps=40))
    assert "40.5" in axis  # as long as the lesson will be


@pytest.mark.parametrize("name", sorted(OVER_TIME - {"series_together"}))
def test_several_lessons_stand_one_below_the_other(name: str) -> None:
    made, room = played(scenario="four_sessions")
    drawn = chart(name)(*arguments(made, room)[name])
    spec = drawn.to_dict(validate=True)
    assert [part["title"] for part in spec["vconcat"]] == list(dict.fromkeys(made.student_steps["lesson"]))
    assert len(chart(name).spec(*arguments(made, room)[name])["vconcat"]) == len(spec["vconcat"])


def test_both_languages_say_the_same_things() -> None:
    assert list(words("en")) == list(words("zh"))
    assert all(isinstance(text, str) and text for language in LANGUAGES for text in words(language).values())


def test_every_code_is_put_into_words() -> None:
    codes = [*BEHAVIOURS, *EMOTIONS, *BLOOM, *ACTS, *PHASE, *REQUEST, *BEHAVIOUR, *EMOTION, *COGNITION]
    assert set(codes) <= set(words("en"))


@pytest.mark.parametrize("name", ALL)
def test_a_chinese_chart_has_no_english_word(name: str) -> None:
    made, room = played(scenario="chinese_lesson")
    spec = chart(name).spec(*arguments(made, room)[name], words=words("zh"))
    english = {text for key, text in words("en").items() if text != words("zh")[key]}
    shown = {text for key, text in _shown(spec)}
    assert not shown & english


def _shown(spec: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """The texts a reader sees: titles, and values of fields that are not ours to click."""
    if isinstance(spec, dict):
        for name, value in spec.items():
            if name in {"title", "domain", "message", "level", "status", "dimension", "code", "act", "phase", "row"}:
                yield from ((name, text) for text in texts(value))
            elif name != "ev_on":
                yield from _shown(value, name)
    elif isinstance(spec, list):
        for value in spec:
            yield from _shown(value, key)


def test_dark_and_light_differ_in_colours_only() -> None:
    drawn = charts.bec_by_student(played()[0].student_steps)
    light, dark = (charts.themed(drawn, dark=dark).to_dict(validate=True) for dark in (False, True))
    assert light["config"] != dark["config"]
    assert {**light, "config": 0} == {**dark, "config": 0}


def test_a_request_that_is_taken_up_reaches_the_threshold() -> None:
    scores = pd.DataFrame(SCORES)
    taken, refused = (charts.gate_scores.spec(scores, at)["datasets"] for at in (0.56, 0.57))
    assert taken["whole"][0]["score"] == pytest.approx(56)
    assert taken["whole"][0]["colour"] != refused["whole"][0]["colour"]
    assert refused["threshold"][0]["score"] == pytest.approx(57)


def test_the_lorenz_curve_ends_with_everything_and_lies_below_equality() -> None:
    made, _ = played()
    rows = pd.DataFrame(charts.lorenz_curve.spec(made.sentences, made.student_steps)["datasets"]["curves"])
    for _, curve in rows.groupby("what"):
        assert curve["share"].iloc[0] == 0
        assert curve["share"].iloc[-1] == 1
        assert (curve["share"] <= curve["people"] + 1e-9).all()


@pytest.mark.parametrize("most", [1, 2, 3, 7, 30])
def test_an_axis_of_counts_says_no_number_twice(most: int) -> None:
    made, room = played()
    spec = charts.shares_of_students.spec(*arguments(made, room)["shares_of_students"])
    rows = [{**row, "count": most} for row in spec["datasets"]["shares"]]
    drawn = vl_convert.vegalite_to_svg({**spec, "datasets": {**spec["datasets"], "shares": rows}})
    axis = re.findall("role-axis-label.*?</g>", drawn, re.DOTALL)[0]
    written = re.findall(">([^<>]+)</text>", axis)
    assert len(written) == len(set(written)) > 1
    assert str(most) in written or most > 10


@pytest.mark.parametrize("name", ALL)
def test_what_a_click_stands_for_names_a_student_as_it_is(name: str) -> None:
    spec = chart(name).spec(*arguments(*played("constructor"))[name])
    assert "constructor" not in list(texts(_without(spec, ACTION)))
    clicked = [row[ACTION] for rows in spec["datasets"].values() for row in rows if ACTION in row]
    assert "\u2060" not in "".join(texts(clicked))


def _without(spec: Any, left_out: str) -> Any:
    if isinstance(spec, list):
        return [_without(part, left_out) for part in spec]
    if isinstance(spec, dict):
        return {key: _without(part, left_out) for key, part in spec.items() if key != left_out}
    return spec
