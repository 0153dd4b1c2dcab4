"""Problems as forms and as texts."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from eduverse_mesa import formulas
from eduverse_mesa.pupils.teacher.problem_form import (
    PREFIX,
    Findings,
    change_list,
    complete,
    examine,
    fields_of,
    from_form,
    is_shown,
    label,
    write_document,
)
from eduverse_mesa.scenarios import proof
from eduverse_mesa.scenarios.base import Part
from eduverse_mesa.scenarios.library import find
from eduverse_mesa.scenarios.loader import built_in_problems
from eduverse_mesa.scenarios.plain import dotted
from eduverse_mesa.scenarios.word_problem import Change, Choice, Misconception, Option, Subtask, WordProblem
from eduverse_mesa.visualization.words import Words, load_words

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


EN, ZH = load_words("en"), load_words("zh")


def form_of(name: str) -> dict[str, Any]:
    data = examine(find("problem", name).file.read_text(encoding="utf-8")).data
    assert isinstance(data, dict)
    return sent(data)


def told(form: dict[str, Any], t: Words = EN) -> Findings:
    return examine(write_document(complete(from_form(form)))).findings(t)


def test_what_is_wrong_is_told_at_its_field() -> None:
    form = form_of("steps_and_distance")
    found = told(
        form
        | {
            "f.grade": ["six"],
            "f.question": [""],
            "f.misconceptions.2.kind": [""],
            "f.subtasks.1.marks": ["  \r\n "],
            "f.givens.0.name": ["Mia eats"],
        }
    )
    assert found.empty == {
        "question": "Fill this in.",
        "misconceptions.2.kind": "Choose one.",
        "subtasks.1.marks": "Fill this in.",
    }
    assert found.wrong == {
        "grade": "Write a whole number from 1 to 12.",
        "givens.0.name": "Only small letters, digits and _, beginning with a letter: such as mia_eats.",
    }
    unproved = told(form | {"f.answers.0.value": ["4 feet per step"], "f.nouns": ["step: steps\r\nnonsense"]})
    assert unproved.wrong == {"nouns": "Write one a line, singular: plural, such as pizza: pizzas."}


@pytest.mark.parametrize(
    ("field", "typed", "at", "english", "chinese"),
    [
        ("subtasks.1.formula", "distance + steps", "", "60 feet and 20 steps cannot be added", "不能相加"),
        ("subtasks.1.formula", "distance = steps", "", "To compare, write ==", "要比较请写 =="),
        ("subtasks.1.formula", "distanc / steps", "", "Did you mean distance?", "是不是 distance"),
        ("subtasks.1.unit", "square feet", "subtasks.1.formula", "should be square feet", "应该是square feet"),
        ("subtasks.1.unit", "", "subtasks.1.formula", "to feet per step, and should be a plain", "没有单位的数"),
        ("givens.0.value", "60 pizzas", "", "write it under “What is counted”", "请写在“数的是什么”里"),
        ("answers.0.value", "4 feet per step", "", "The steps come to 3 feet per step, not to 4", "各步骤算出"),
        (
            "misconceptions.0.changes.0.value",
            "4 feet",
            "misconceptions.0.changes.0",
            "“Another formula” and",
            "只填一项",
        ),
        ("misconceptions.0.changes.0.formula", "distance / steps", "misconceptions.0", "the right answer", "正确答案"),
        ("misconceptions.0.changes.0.how", "", "", "Say how the step is taken then", "那时怎样做"),
        ("misconceptions.0.cue_marks", "elephant", "", "does not say “elephant”", "没有“elephant”"),
        ("reflection.0.formula", "distance / steps", "", "such as left + together == whole", "例如 left + together"),
        ("statement", "x" * 5000, "", "This has 5000 characters; 4000 are the most.", "最多4000个"),
    ],
)
def test_what_is_wrong_is_said_in_the_words_of_the_form(
    field: str, typed: str, at: str, english: str, chinese: str
) -> None:
    form = form_of("steps_and_distance") | {f"f.{field}": [typed]}
    for words, said in ((EN, english), (ZH, chinese)):
        found = told(form, words)
        assert not found.empty
        assert said in found.wrong[at or field]
        assert not re.search(r"`|subtask|misconception|nouns|In English|\[\w+\.", found.wrong[at or field])


def test_the_form_has_words_for_all_that_can_be_wrong() -> None:
    """Each mistake bears a code, and each code has its words, which name no field that there is not."""
    codes: set[str] = set()
    for files in (Path(formulas.__path__[0]).glob("*.py"), [Path(str(proof.__file__))]):
        for file in files:
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and _says_what_is_wrong(node):
                    constants = [one.value for one in ast.walk(node) if isinstance(one, ast.Constant)]
                    found = {one for one in map(str, constants) if f"problem_form.wrong.{one}" in EN}
                    named = [one for one in node.args if isinstance(one, ast.Name) and one.id == "code"]
                    named += [one.value for one in node.keywords if isinstance(one.value, ast.Name)]
                    passed_on = any(isinstance(one, ast.Attribute) and one.attr == "code" for one in ast.walk(node))
                    assert found or named or passed_on, f"{file.name}:{node.lineno}"
                    codes |= found
    assert len(codes) > 50
    for words in (EN, ZH):
        for key in words:
            if key.startswith("problem_form."):
                for part, name in re.findall(r"\[(\w+)\.(\w+)\]", words[key]):
                    assert label(words, part, name)
                    assert name in PARTS[part].model_fields


PARTS = {one.__name__.lower(): one for one in (WordProblem, Subtask, Change, Choice, Option, Misconception)}


def _says_what_is_wrong(node: ast.Call) -> bool:
    called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    return called in ("FormulaError", "_error", "note")


def test_what_may_be_left_empty_is_made_up() -> None:
    form = form_of("poster_frame") | {"f.name": [""], "f.title": ["The club's poster!"]}
    form |= {"f.misconceptions.1.id": [""], "f.choice.options.2.id": [""]}
    made = complete(from_form(form), taken={"the_club_s_poster"})
    assert made["name"] == "the_club_s_poster_2"
    assert made["misconceptions"][1]["id"] == "mistake_1"
    letters = [one["id"] for one in made["choice"]["options"]]
    assert letters[2] not in letters[:2]
    assert complete(from_form(form | {"f.title": ["分披萨"]}))["name"] == "分披萨"
    assert examine(write_document(made)).problem is not None
    assert "name" not in complete(from_form({"f.grade": ["6"]}))


@pytest.mark.parametrize("typed", ["pizza: pizzas", "pizza，pizzas", "pizza：pizzas", "pizza, pizzas"])
def test_what_is_counted_may_be_written_in_several_ways(typed: str) -> None:
    assert from_form({"f.nouns": [typed]})["nouns"] == {"pizza": "pizzas"}
    assert complete(from_form({"f.nouns": ["个"], "f.language": ["zh"]}))["nouns"] == {"个": "个"}


def test_a_reason_that_stands_in_the_task_is_doubted() -> None:
    form = form_of("steps_and_distance")
    form |= {"f.misconceptions.0.cue_marks": ["step"], "f.statement": ["A line of 0.5 feet. Each step is alike."]}
    found = told(form)
    assert "misconceptions.0.cue_marks" in found.doubts
    assert "stand in “Each step is alike.”" in found.doubts["misconceptions.0.cue_marks"]
    assert told(form, ZH).doubts != found.doubts
    misread = form | {"f.misconceptions.0.kind": ["misread"]}
    assert "misconceptions.0.cue_marks" not in told(misread).doubts, "what was misread is put right by reading it out"


@pytest.mark.parametrize(
    "document",
    [
        "givens: x",
        "kind: problem\nnobody: knows",
        "[1, 2]",
        "kind: lesson",
        "givens: {a: b}",
        "givens: [[a]]",
        "nouns: [a]",
    ],
)
def test_a_text_that_a_form_cannot_show_is_left_as_a_text(document: str) -> None:
    examined = examine(document)
    assert not is_shown(examined.data)
    assert set(examined.findings(EN).wrong) == {""}


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
        "choice": {"options": [{}, {}, {}]},
    }
    change_list(data, "add:misconceptions")
    assert data["misconceptions"][1] == {"changes": [{}]}, "with its first row"
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


def test_a_form_that_is_far_too_long_is_told_of_at_once() -> None:
    form = {f"f.misconceptions.{number}.cue_marks": ["外"] for number in range(900)}
    document = write_document(complete(from_form({name: [*marks] for name, marks in form.items()})))
    document += f"statement: {'中。' * 15_000}\n"
    begun = process_time()
    found = examine(document).findings(EN)
    assert "4000 are the most" in found.wrong["statement"]
    assert process_time() - begun < 3
