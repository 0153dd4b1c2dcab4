"""What only shows when the parts of a scenario meet."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.loader import load_document, load_scenario
from eduverse_mesa.scenarios.yaml_text import parse
from tests.scenarios.documents import LAYOUT, LESSON, ROLL, SCENARIO, inline, refusal, write_all


@pytest.mark.parametrize(
    ("old", "new", "where", "said"),
    [
        ("at: [4, 3]", "at: [2, 3]", "14:17", "the seat 'b' is in cell [2, 3], where the seat 'a' is already"),
        ("at: [2, 3]", "at: [4, 0]", "13:17", "where the object 'board' is already"),
        ("teacher: [2, 1]", "teacher: [4, 0]", "11:10", "the teacher is in cell [4, 0], where the object 'board' is"),
        ("at: [2, 5]", "at: [2, 6]", "15:17", "off the grid, whose cells go from [0, 0] to [7, 5]"),
        ("at: [2, 5]", "at: [-1, 5]", "15:17", "off the grid"),
        ("at: [4, 0]", "at: [9, 0]", "10:44", "off the grid"),
        ("at: [4, 0]", "at: [4, 4]", "10:44", "outside the area [0, 0, 7, 1] of its arena 'podium'"),
        ("teacher: [2, 1]", "teacher: [8, 1]", "11:10", "off the grid"),
        ("area: [0, 0, 7, 1]", "area: [0, 0, 8, 1]", "8:15", "no part of the grid of 8 x 6 cells"),
        ("area: [0, 0, 7, 1]", "area: [7, 0, 0, 1]", "8:15", "no part of the grid"),
        ("id: b", "id: a", "14:10", "a second seat is called 'a'"),
        ("opposite: b", "opposite: z", "13:56", "there is no other seat 'z'"),
        ("opposite: b", "opposite: a", "13:56", "there is no other seat 'a'"),
        ("rule: distance", "rule: same_group, groups: [west, wset]", "17:39", "no student is of a group 'wset'"),
        (
            "{rule: distance, within: 4.5}",
            "{rule: pairs, pairs: [[a, b], [a, d]]}",
            "17:39",
            "there is no other seat 'd'",
        ),
        ("{rule: distance, within: 4.5}", "{rule: pairs, pairs: [[a, a]]}", "17:27", "paired with itself"),
        ("{rule: distance, within: 4.5}", "{rule: pairs}", "17:5", "a rule `pairs` lists pairs"),
        ("rule: distance", "do: keep, rule: distance", "17:10", "nobody is linked yet"),
    ],
)
def test_layouts(tmp_path: Path, old: str, new: str, where: str, said: str) -> None:
    assert old in LAYOUT
    path = tmp_path / "nook.yaml"
    path.write_text(LAYOUT.replace(old, new, 1), encoding="utf-8")
    told = str(refusal(lambda: load_document("layout", path)))
    assert f"nook.yaml:{where}: " in told
    assert said in told


def test_two_objects_of_one_name(tmp_path: Path) -> None:
    more = "          - {name: board, kind: board, at: [4, 0]}\n"
    layout = LAYOUT.replace(more, more + more.replace("[4, 0]", "[5, 0]"))
    assert "a second object is called 'board'" in str(
        refusal(lambda: load_scenario(inline(layout=parse(layout, "F").data)))
    )


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("{pattern: rows, origin: [2, 3], rows: 1, columns: 1}", "cell (2, 3)"),
        ("{pattern: rows, origin: [1, 4], rows: 3, columns: 1, prefix: z}", "outside the grid"),
        ("{pattern: circle, centre: [5, 4], radius: 0.2, seats: 2}", "already"),
        ("{pattern: arc, centre: [0, 0], radius: 90, seats: 3}", "outside the grid"),
        ("{pattern: rows, prefix: q, origin: [6, 5], rows: 1, columns: 1}", "there are two seats of this id"),
    ],
)
def test_seats_of_patterns(tmp_path: Path, pattern: str, said: str) -> None:
    first = "{pattern: rows, prefix: q, origin: [7, 2], rows: 1, columns: 1, spacing: [1, 1]}"
    layout = f"{LAYOUT}patterns:\n  - {first}\n  - {pattern}\n"
    path = tmp_path / "nook.yaml"
    path.write_text(layout, encoding="utf-8")
    error = refusal(lambda: load_document("layout", path))
    assert ":20:5: patterns.1: seat" in str(error)
    assert said in error.message


def test_a_layout_without_seats() -> None:
    assert "there are no seats" in refusal(lambda: load_scenario(inline(layout__seats=[]))).message


def test_a_rule_may_speak_of_a_group_that_only_a_student_has() -> None:
    rule = {"rule": "same_group", "groups": ["north"]}
    data = inline(layout__seat_graph=[rule], class__students__1__group="north")
    assert load_scenario(data).layout.seat_graph[0].groups == ("north",)
    assert "of a group 'north'" in refusal(lambda: load_scenario(inline(layout__seat_graph=[rule]))).message


# --- people ---


@pytest.mark.parametrize(
    ("one", "other"),
    [("Ann", "Ann"), ("Ann", "ANN"), ("Ann", "  ann "), ("Li Wei", "Li  Wei"), ("Ｂob", "Bob"), ("Straße", "STRASSE")],
)
def test_names_that_cannot_be_told_apart(one: str, other: str) -> None:
    data = inline(class__students__0__name=one, class__students__2__name=other)
    assert "cannot be told from student 1" in refusal(lambda: load_scenario(data)).message


@pytest.mark.parametrize("name", ["class", "Teacher", "GROUP", "ms hill"])
def test_names_that_mean_somebody_else(name: str) -> None:
    assert "cannot be told from" in refusal(lambda: load_scenario(inline(class__students__0__name=name))).message


def test_a_name_has_one_line() -> None:
    data = inline(class__students__0__name="Ann\nBob")
    assert "several lines" in refusal(lambda: load_scenario(data)).message


# --- seating ---


@pytest.mark.parametrize(
    ("seating", "said"),
    [
        ({"Anne": "a"}, "there is no student 'Anne'. Did you mean 'Ann'?"),
        ({"Ann": "z"}, "the layout 'nook' has no seat 'z'"),
        ({"Ann": [8, 0]}, "off the grid"),
        ({"Ann": [4, 0]}, "is the object 'board'"),
        ({"Ann": [2, 1]}, "is the teacher"),
        ({"Bob": "a"}, "Bob would sit where Ann sits"),
        ({"Bob": [2, 3]}, "Bob would sit where Ann sits"),
        ({"Bob": [6, 4], "Cai": [6, 4]}, "Cai would sit where Bob sits"),
    ],
)
def test_seating(seating: dict[str, Any], said: str) -> None:
    error = refusal(lambda: load_scenario(inline() | {"seating": seating}))
    assert said in str(error)
    assert f"seating.{[*seating][-1]}" in str(error)


def test_the_seating_comes_before_the_class() -> None:
    data = inline() | {"seating": {"Bob": "a", "Ann": [6, 4]}}
    assert load_scenario(data).seating == {"Bob": "a", "Ann": (6, 4)}


def test_seats_of_the_class(tmp_path: Path) -> None:
    path = write_all(tmp_path, trio=ROLL.replace("seat: a", "seat: r9_9"))
    error = refusal(lambda: load_scenario(path))
    assert error.where == f"{tmp_path / 'trio.yaml'}:5:23"
    assert "Seats: a, b, c." in error.mend


def test_more_students_than_seats(tmp_path: Path) -> None:
    path = write_all(tmp_path, trio=ROLL + "  - {name: Dan}\n  - {name: Eve}\n")
    error = refusal(lambda: load_scenario(path))
    assert (error.where, "has 3 seats for 5 students" in error.message) == (f"{path}:3:1", True)
    with_cells = {"seating.Dan": [6, 4], "seating.Eve": "[7, 4]"}
    assert len(load_scenario(path, settings=with_cells).roll.students) == 5, "who has a cell needs no seat"


# --- lessons ---


def test_lessons_of_one_name(tmp_path: Path) -> None:
    path = write_all(tmp_path, by_the_sea=SCENARIO + "  - again\n", again=LESSON.replace("tides", "Tides"))
    error = refusal(lambda: load_scenario(path))
    assert (error.where, "is called 'Tides' like lesson 1" in error.message) == (f"{path}:7:5", True)


def test_needs_are_taught_in_this_or_an_earlier_lesson(tmp_path: Path) -> None:
    later = (
        LESSON.replace("tides", "waves")
        .replace("id: cause", "id: form, needs: [cause]")
        .replace("goal: c", "goal: f", 1)
    )
    later = later.replace("goal: fause", "goal: form")
    good, bad = SCENARIO + "  - waves\n", SCENARIO.replace("- tides", "- waves\n  - tides")
    assert len(load_scenario(write_all(tmp_path, waves=later, by_the_sea=good)).lessons) == 2
    error = refusal(lambda: load_scenario(write_all(tmp_path, waves=later, by_the_sea=bad)))
    assert error.where == f"{tmp_path / 'waves.yaml'}:6:24"
    assert "goal 'form' needs 'cause', which is no goal of this or an earlier lesson" in error.message


def test_a_need_names_the_built_in_lesson_that_teaches_it() -> None:
    assert "'spring_1'" in str(refusal(lambda: load_scenario(lessons=["spring_2", "spring_1"])))


def test_a_second_lesson_can_be_run_by_itself() -> None:
    assert load_scenario(lesson="spring_2").lessons[0].series == "spring"
    assert [lesson.name for lesson in load_scenario(lessons=["spring_1", "spring_2"]).lessons] == [
        "spring_1",
        "spring_2",
    ]


def test_goals_that_need_one_another(tmp_path: Path) -> None:
    for needs in ({"cause": ["cause"]}, {"cause": ["b"], "b": ["c"], "c": ["cause"]}):
        data = inline()
        lesson = data["lessons"][0]
        lesson["goals"] = [{"id": name, "text": "Say it.", "needs": need} for name, need in needs.items()]
        assert "in a circle: " in refusal(load_scenario, data).message
    data = deepcopy(inline())
    data["lessons"][0]["goals"] += [{"id": "b", "text": "Say.", "needs": ["cause"]}]
    assert load_scenario(data).lessons[0].goals[1].needs == ("cause",)


# --- samples and parameters ---


@pytest.mark.parametrize(
    ("sample", "said"),
    [
        (
            {"traits": {"opennes": {}}},
            "no trait 'opennes' to sample. Did you mean 'openness'?",
        ),
        ({"correlations": [{"between": ["ability", "luck"], "r": 0}]}, "no trait 'luck' to correlate"),
        ({"correlations": [{"between": ["ability", "ability"], "r": 0}]}, "correlated with itself"),
        ({"correlations": [{"between": ["ability", "openness"], "r": 0}] * 2}, "given twice"),
        ({"language": "tlh"}, "class.sample.language: there are no names in the language 'tlh'"),
        (
            {
                "correlations": [
                    {"between": ["ability", "openness"], "r": 0.9},
                    {"between": ["ability", "motivation"], "r": 0.9},
                    {"between": ["openness", "motivation"], "r": -0.9},
                ]
            },
            "class.sample.correlations: no traits can have these correlations all at once",
        ),
    ],
)
def test_samples(sample: dict[str, Any], said: str) -> None:
    data = inline() | {"class": {"name": "x", "sample": {"size": 2, **sample}}}
    assert said in str(refusal(lambda: load_scenario(data)))


def test_parameters() -> None:
    data = inline() | {"settings": {"parameters": {"attention.bass": 1.0}}}
    assert "Did you mean 'attention.base'?" in str(refusal(lambda: load_scenario(data)))


def test_all_that_does_not_fit_is_told() -> None:
    data = inline(class__students__1__name="Ann", layout__teacher=[9, 9]) | {"seating": {"Zoe": "a"}}
    told = str(refusal(lambda: load_scenario(data)))
    assert told.startswith("the scenario: 3 things are wrong.")
    assert "layout.teacher" in told
    assert "class.students.1.name" in told
    assert "seating.Zoe" in told


def test_names_that_differ_in_what_nobody_sees_are_one_name() -> None:
    document = load_scenario().model_dump(mode="json", by_alias=True)
    document["class"]["students"][1]["name"] = "Ann"
    document["class"]["students"][2]["name"] = "Ann\u200b"
    with pytest.raises(ScenarioError, match="Ann"):
        load_scenario(document)


def test_no_mistake_hides_another(tmp_path: Path) -> None:
    path = tmp_path / "all.yaml"
    path.write_text(
        "name: all\nlayout: moon\nclass: six\nlessons: [spring_rian, mathematics, waves]\n"
        "settings:\n  steps: many\n  floors: 2\n  parameters:\n    attention.baze: 0.3\n    gate.nope: 1\n",
        encoding="utf-8",
    )
    with pytest.raises(ScenarioError) as caught:
        load_scenario(path)
    told = str(caught.value)
    assert told.startswith(f"{path}: 7 things are wrong.")
    for line, what in (
        ("2:9", "there is no built-in layout 'moon'"),
        ("4:11", "there is no built-in lesson 'spring_rian'"),
        ("4:37", "there is no built-in lesson 'waves'"),
        ("6:10", "settings.steps"),
        ("7:3", "settings.floors"),
        ("9:5", "attention.baze"),
        ("10:5", "gate.nope"),
    ):
        assert any(entry.startswith(f"- {path}:{line}: ") and what in entry for entry in told.splitlines()), what
    alone = tmp_path / "alone.yaml"
    alone.write_text("name: alone\nlayout: moon\nclass: six\nlessons: [mathematics]\n", encoding="utf-8")
    with pytest.raises(ScenarioError, match=r"alone.yaml:2:9: there is no built-in layout 'moon'.*Built in: "):
        load_scenario(alone)
