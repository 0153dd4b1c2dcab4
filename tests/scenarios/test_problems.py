"""Mistakes in values: where, what, and how to mend them."""

from __future__ import annotations

from pathlib import Path

import pytest

from eduverse_mesa.scenarios.library import KINDS, Kind
from eduverse_mesa.scenarios.loader import load_document, validate
from eduverse_mesa.scenarios.plain import Spot, read_object
from eduverse_mesa.scenarios.problems import (
    Problem,
    ScenarioProblemsError,
    as_error,
    describe_shape,
    model_schema,
    shape_at,
    suggest,
)
from eduverse_mesa.scenarios.yaml_text import parse
from tests.scenarios.documents import LAYOUT, LESSON, ROLL, inline, refusal

TEXTS: dict[Kind, str] = {"layout": LAYOUT, "class": ROLL, "lesson": LESSON}


PHASES = LESSON[LESSON.index("phases:") :]
PATTERN = "patterns: [{pattern: rows, origin: %s, rows: %s, columns: 2%s}]"
# kind of document, some of its text (none: the end), what stands there instead, what is said about it
MISTAKES: list[tuple[Kind, str, str, list[str]]] = [
    (
        "layout",
        "width: 8",
        "widht: 8",
        ["FILE:3:8: grid.widht: unknown key 'widht'. Did you mean 'width'? Known keys: width, height."],
    ),
    (
        "layout",
        "width: 8",
        "width: '8'",
        ["FILE:3:15: grid.width: expected a whole number from 2 to 200, found the text '8'.", "`width: 30`"],
    ),
    ("layout", "width: 8", "width: 8.0", ["FILE:3:15", "found the number 8.0"]),
    ("layout", "width: 8", "width: true", ["FILE:3:15", "found true"]),
    ("layout", "width: 8", "width: 201", ["from 2 to 200, found the number 201"]),
    ("layout", "width: 8", "width: ", ["grid.width", "found nothing"]),
    ("layout", "{width: 8, height: 6}", "small", ["grid: expected a mapping, found the text 'small'"]),
    ("layout", "teacher: [2, 1]", "teacher: [2]", ["teacher: expected a list of 2, like [3, 3], found the list [2]"]),
    ("layout", "teacher: [2, 1]", "teacher: [2, 1, 0]", ["found the list [2, 1, 0]"]),
    ("layout", "teacher: [2, 1]", "teacher: [2, x]", ["FILE:11:10: teacher: ", "found the list [2, x]"]),
    ("layout", "teacher: [2, 1]\n", "", ["FILE:1:1: the key 'teacher' is missing. Add for example `teacher: [3, 3]`"]),
    ("layout", "kind: board", "kind: boart", ["FILE:10:33: sectors.0.arenas.0.objects.0.kind", "mean 'board'?"]),
    ("layout", "kind: layout", "kind: 3", ["kind: expected layout, found the number 3"]),
    ("layout", "rule: distance", "rule: nearness", ["expected one of distance, same_row, "]),
    ("layout", "within: 4.5", "within: 0", ["expected a number above 0, found the number 0"]),
    ("layout", "within: 4.5", "within: .nan", ["found the number nan"]),
    ("layout", "within: 4.5", "within: 1e999", ["found the number inf"]),
    ("layout", "", "patterns: [{pattern: row}]", ["patterns.0.pattern", "Did you mean 'rows'?"]),
    ("layout", "", "patterns: [{rows: 2}]", ["patterns.0: the key 'pattern' is missing"]),
    ("layout", "", "patterns: [7]", ["patterns.0: expected a mapping, found the number 7"]),
    ("layout", "", PATTERN % ("[1, 1]", "'2'", ""), ["FILE:18:50: patterns.0.rows: expected a whole number"]),
    (
        "layout",
        "",
        PATTERN % (1, 2, ", radius: 1"),
        ["patterns.0.origin: expected a list of 2", "patterns.0.radius: unknown key 'radius'. Known keys: pattern, "],
    ),
    (
        "class",
        "name: Ann",
        "name: 12",
        ['FILE:5:12: students.0.name: expected text, found the number 12. Put it in quotes: "12".'],
    ),
    ("class", "name: Ann", "name: ''", ["students.0.name: this is empty"]),
    ("class", "name: Ann", f"name: {'x' * 81}", ["this has 81 characters. 80 is the most"]),
    ("class", "seat: a", "role: off task", ["one of academic, discussion, off_task", "Did you mean 'off_task'?"]),
    ("class", "seat: a", "traits: {openness: 2}", ["FILE:5:36: students.0.traits.openness: expected a number from 0"]),
    ("class", "name: Ann, ", "", ["FILE:5:5: students.0: the key 'name' is missing"]),
    ("class", "", "sample: {size: 3}", ["give students one by one or a sample, not both. Remove one of the two."]),
    ("lesson", "goal: cause", "goal: effect", ["FILE:9:11", "'effect', which does not exist. Known: cause."]),
    ("lesson", "share: 1.0", "share: 0.5", ["the phases' shares add up to 0.50. Make them add up to 1."]),
    (
        "lesson",
        "keywords: [moon, gravity]",
        "keywords: []",
        ["ideas.0.keywords: this is empty. Give at least 1 entry."],
    ),
    ("lesson", PHASES, "phases: []", ["FILE:17:9: phases: this is empty"]),
    ("lesson", PHASES, "", ["the key 'phases' is missing"]),
    ("lesson", "name: introduction", "name: intro", ["expected one of introduction, instruction, "]),
]


@pytest.mark.parametrize(("kind", "old", "new", "said"), MISTAKES, ids=[f"{m[0]}: {m[2][:40]}" for m in MISTAKES])
def test_a_mistake_is_told_with_its_place_and_mend(kind: Kind, old: str, new: str, said: list[str]) -> None:
    text = TEXTS[kind]
    assert old in text
    text = text.replace(old, new, 1) if old else text + new
    told = str(refusal(lambda: validate(kind, parse(text, "FILE"), "FILE")))
    assert [part for part in said if part not in told] == [], told


def test_an_empty_class_is_told() -> None:
    error = refusal(lambda: validate("class", parse("kind: class\nname: x\n", "FILE"), "FILE"))
    assert str(error) == "FILE:1:1: the class is empty. List at least one student or give a sample."


def test_all_mistakes_are_told_from_top_to_bottom() -> None:
    error = refusal(
        lambda: validate(
            "class",
            parse(
                "name: x\nstudents:\n  - {nam: A}\n  - {name: B, age: old}\n  - {name: C, gender: w}\ncolour: 1\n", "F"
            ),
            "F",
        )
    )
    assert isinstance(error, ScenarioProblemsError)
    assert [problem.spot[1:] for problem in error.problems] == [(3, 5), (3, 6), (4, 20), (5, 23), (6, 1)]
    assert str(error).startswith("F: 5 things are wrong.\n- F:3:5: students.0: the key 'name' is missing.")


def test_no_more_than_twenty_are_shown() -> None:
    students = "\n".join(f"  - {{name: S{number}, age: 2}}" for number in range(33))
    error = refusal(lambda: validate("class", parse(f"name: x\nstudents:\n{students}\n", "F"), "F"))
    lines = str(error).splitlines()
    assert lines[0] == "F: 33 things are wrong."
    assert lines[20].startswith("- F:22:")
    assert lines[21:] == ["- and 13 more."]


def test_values_of_a_choice_of_types_are_one_place() -> None:
    for wrong in (5, [1], {"a": 1}, ["x", 1], "", True):
        data = inline() | {"seating": {"Ann": wrong}}
        error = refusal(validate, "scenario", read_object(data, "it"), "it")
        assert str(error).startswith("it: seating.Ann: expected text or a list of 2"), error


def test_files_keep_their_order_and_long_text_is_shortened(tmp_path: Path) -> None:
    problems = [Problem(Spot(label, line, 1), (), f"{label}{line}") for label, line in [("B", 2), ("A", 3), ("B", 1)]]
    error = as_error(problems, "A")
    assert isinstance(error, ScenarioProblemsError)
    assert [problem.message for problem in error.problems] == ["A3", "B1", "B2"]
    path = tmp_path / "x.yaml"
    path.write_text(f"name: x\nstudents: {'y' * 500}\n", encoding="utf-8")
    assert len(str(refusal(lambda: load_document("class", path)))) < 400


@pytest.mark.parametrize(
    ("word", "guess"), [("Off-Task", "off_task"), ("acadmic", "academic"), ("zzz", ""), ("off task", "off_task")]
)
def test_suggestions(word: str, guess: str) -> None:
    assert suggest(word, ("academic", "off_task")) == (f"Did you mean '{guess}'? " if guess else "")


@pytest.mark.parametrize("kind", KINDS)
def test_every_place_of_the_schema_can_be_described(kind: Kind) -> None:
    for key in model_schema(kind)["properties"]:
        assert "something else" not in describe_shape(shape_at(kind, (key,), {})), key
    assert shape_at(kind, ("no", 3, "such"), {}) == {}
