"""Problems as forms and as texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from eduverse_mesa.scenarios.base import Part
from eduverse_mesa.scenarios.library import find
from eduverse_mesa.scenarios.plain import dotted
from eduverse_mesa.scenarios.posing import built_in_problems
from eduverse_mesa.scenarios.word_problem import WordProblem
from eduverse_mesa.visualization.mathematics.teacher.examining import examine
from eduverse_mesa.visualization.mathematics.teacher.problem_data import (
    PREFIX,
    change_list,
    fields_of,
    from_form,
    is_shown,
    write_document,
)

PROBLEMS = [one.name for language in ("en", "zh") for one in built_in_problems(language)]


def sent(data: Mapping[str, Any], part: type[Part] = WordProblem, trail: tuple[str | int, ...] = ()) -> dict[str, Any]:
    """What a browser sends of a form that shows this."""
    found: dict[str, Any] = {}
    for name, kind in fields_of(part).items():
        at, value = (*trail, name), data.get(name)
        if kind.shape == "parts":
            assert kind.part is not None
            for number, one in enumerate(value or []):
                found |= sent(one, kind.part, (*at, number))
        elif kind.shape == "part":
            assert kind.part is not None
            found |= sent(value, kind.part, at) if value is not None else {}
        else:
            found[PREFIX + dotted(at)] = [_typed(value)]
    return found


def _typed(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return "\r\n".join(f"{key}: {one}" for key, one in value.items())
    return "\r\n".join(value) if isinstance(value, list) else "" if value is None else str(value)


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_form_and_a_text_hold_the_same_problem(name: str) -> None:
    before = examine(find("problem", name).file.read_text(encoding="utf-8"))
    assert isinstance(before.data, dict)
    assert is_shown(before.data)
    text = write_document(from_form(sent(before.data)))
    after = examine(text)
    assert after.problem == before.problem is not None
    assert isinstance(after.data, dict)
    assert write_document(from_form(sent(after.data))) == text


def test_what_is_wrong_is_told_at_its_field() -> None:
    data = examine(find("problem", "steps_and_distance").file.read_text(encoding="utf-8")).data
    assert isinstance(data, dict)
    form = sent(data)
    wrong = form | {
        "f.grade": ["six"],
        "f.question": [""],
        "f.misconceptions.2.kind": [""],
        "f.subtasks.1.marks": ["  \r\n "],
    }
    at = examine(write_document(from_form(wrong))).at_fields("Fill this in.")
    assert set(at) == {"grade", "question", "misconceptions.2.kind", "subtasks.1.marks"}
    assert at["question"] == "Fill this in."
    assert "six" in at["grade"]
    unproved = form | {"f.answers.0.value": ["4 feet per step"], "f.nouns": ["step: steps\r\nnonsense"]}
    told = examine(write_document(from_form(unproved))).at_fields("")
    assert set(told) <= {"answers.0.value", "nouns", "nouns.nonsense"}
    assert told


@pytest.mark.parametrize(
    "document",
    ["kind: problem\nnobody: knows", "[1, 2]", "kind: lesson", "givens: {a: b}", "givens: [[a]]", "nouns: [a]"],
)
def test_a_text_that_a_form_cannot_show_is_left_as_a_text(document: str) -> None:
    assert not is_shown(examine(document).data)


def test_entries_are_added_taken_out_and_moved() -> None:
    data: dict[str, Any] = {"givens": [{"name": "a"}, {"name": "b"}], "misconceptions": [{"id": "x"}]}
    change_list(data, "add:givens")
    change_list(data, "up:givens.1")
    change_list(data, "remove:givens.2")
    change_list(data, "add:misconceptions.0.changes")
    change_list(data, "add:choice")
    change_list(data, "add:choice.options")
    assert data == {
        "givens": [{"name": "b"}, {"name": "a"}],
        "misconceptions": [{"id": "x", "changes": [{}]}],
        "choice": {"options": [{}]},
    }
    change_list(data, "remove:choice")
    assert "choice" not in data
    before = write_document(data)
    for hostile in (
        "",
        "add:",
        "add:title",
        "remove:givens.7",
        "up:givens.0",
        "add:givens.0.name",
        "x:givens.0",
        "add:a.b.c",
    ):
        change_list(data, hostile)
    assert write_document(data) == before
