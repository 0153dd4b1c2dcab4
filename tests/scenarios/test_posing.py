"""The built-in mathematics problems, and how a problem is found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from eduverse_mesa.scenarios.loader import built_in_problems, load_problem
from eduverse_mesa.scenarios.word_problem import WordProblem, change, changed, fill, schema_of, work
from tests.scenarios.documents import PROBLEM, refusal

NINE = built_in_problems()
# MathVC, Table 4: grade, difficulty, the quantities of the problem, and what comes out.
TABLE = {
    "steps_and_distance": (6, "easy", ["60 feet", "20 steps"], {"step_length": "3 feet per step"}, ()),
    "race_fuel": (
        6,
        "medium",
        ["600 miles", "120 gallons"],
        {"miles_per_gallon": "5 miles per gallon", "gallons_per_mile": "0.2 gallons per mile"},
        (),
    ),
    "paint_mixture": (6, "hard", ["40 cups", "24 cups"], {"ratio": "1 2/3"}, ("2",)),
    "ribbon_bracelets": (7, "easy", ["2 yards", "8 bracelets", "1 yard"], {"per_yard": "4 bracelets per yard"}, ()),
    "treat_bags": (
        7,
        "medium",
        ["30 cookies", "45 fruit bars"],
        {"bags": "15 bags", "cookies_each": "2 cookies per bag", "bars_each": "3 fruit bars per bag"},
        (),
    ),
    "poster_frame": (7, "hard", ["35 inches", "28 inches", "30 inches"], {"ratio": "1.25"}, ("B", "C")),
    "desert_growth": (8, "easy", ["15 square miles", "0.25 days", "1 day"], {"growth": "60 square miles"}, ()),
    "equal_discounts": (8, "medium", ["$18", "15%"], {"price": "$120"}, ()),
    "phone_plans": (
        8,
        "hard",
        ["$29.95", "10 cents per message", "$90.20", "$49.95", "5 cents per message"],
        {"a_to_c": "400 messages", "c_to_b": "805 messages"},
        (),
    ),
}


def test_the_nine_are_three_to_a_grade_from_easy_to_hard() -> None:
    assert [(one.name, one.grade, one.difficulty) for one in NINE] == [(name, *TABLE[name][:2]) for name in TABLE]


@pytest.mark.parametrize("problem", NINE, ids=[one.name for one in NINE])
def test_a_built_in_problem_has_the_quantities_and_answers_of_the_study(problem: WordProblem) -> None:
    _, _, quantities, answers, chosen = TABLE[problem.name]
    schema = schema_of(problem)
    worked = work(schema)
    assert [schema.says(value) for value in schema.givens.values()] == quantities
    assert {one.variable: schema.says(worked.values[one.variable]) for one in problem.answers} == answers
    assert worked.chosen == chosen


@pytest.mark.parametrize("problem", NINE, ids=[one.name for one in NINE])
def test_a_built_in_problem_has_work_and_mistakes_for_a_group(problem: WordProblem) -> None:
    assert len(problem.subtasks) >= 3
    assert len(problem.misconceptions) >= 3
    assert len({one.kind for one in problem.misconceptions}) >= 2
    schema = schema_of(problem)
    for one in problem.misconceptions:
        wrong = change(schema, one)
        assert changed(schema, wrong) or work(wrong).chosen != work(schema).chosen
        for step in wrong.steps:
            sentence = fill(step.says, work(wrong).values, schema.units)
            assert "{" not in sentence
            assert len(sentence) < 100


@pytest.mark.parametrize("problem", NINE, ids=[one.name for one in NINE])
def test_a_problem_is_the_same_in_chinese(problem: WordProblem) -> None:
    chinese = load_problem(f"{problem.name}_zh")
    assert (chinese.language, chinese.grade, chinese.difficulty) == ("zh", problem.grade, problem.difficulty)
    assert [one.id for one in chinese.misconceptions] == [one.id for one in problem.misconceptions]
    assert [one.variable for one in chinese.answers] == [one.variable for one in problem.answers]
    ours, theirs = schema_of(problem), schema_of(chinese)
    for mine, other in zip((None, *problem.misconceptions), (None, *chinese.misconceptions), strict=True):
        worked = work(change(ours, mine) if mine else ours)
        again = work(change(theirs, other) if other else theirs)
        assert {name: value.value for name, value in worked.values.items()} == {
            name: value.value for name, value in again.values.items()
        }
        assert worked.chosen == again.chosen
    said = "".join(fill(step.says + step.how, work(theirs).values, theirs.units, "zh") for step in theirs.steps)
    assert not re.search(r"[a-z]", said), "no word is left in English"


def test_the_switch_of_phone_plans_is_where_it_becomes_cheaper() -> None:
    def cost(plan: str, messages: int) -> float:
        return {"a": 29.95 + 0.10 * messages, "b": 90.20, "c": 49.95 + 0.05 * messages}[plan]

    values = work(schema_of(load_problem("phone_plans"))).values
    first, second = int(values["a_to_c"].value), int(values["c_to_b"].value)
    cheapest = [min("abc", key=lambda plan: cost(plan, at)) for at in (0, first - 1, first + 1, second - 1, second + 1)]
    assert cheapest == ["a", "a", "c", "c", "b"]


def test_a_teachers_own_file_is_a_problem_like_any_other(tmp_path: Path) -> None:
    file = tmp_path / "pens.yaml"
    file.write_text(PROBLEM, encoding="utf-8")
    assert load_problem(file).title == "Pens"
    assert "no built-in problem 'pence'" in str(refusal(load_problem, "pence"))
    file.write_text("kind: layout\nname: x", encoding="utf-8")
    assert "this is a layout, where a problem is expected" in str(refusal(load_problem, file))
