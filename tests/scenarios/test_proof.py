"""Problems that do not hold together are refused, with the place and the mend."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.runs.checks import check_file
from eduverse_mesa.scenarios.loader import load_problem
from eduverse_mesa.scenarios.word_problem import change, changed, schema_of, work
from eduverse_mesa.scenarios.yaml_text import parse
from tests.scenarios.documents import PROBLEM, refusal


def test_a_problem_that_holds_together_is_valid(tmp_path: Path) -> None:
    file = tmp_path / "pens.yaml"
    file.write_text(PROBLEM, encoding="utf-8")
    assert check_file(file) == "a valid problem, grade 6, easy (en): 2 steps, 4 misconceptions"
    file.write_text(PROBLEM.partition("\n")[2], encoding="utf-8")
    assert check_file(file).startswith("a valid problem"), "without its kind"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("{pen: pens}", "{cup: pens}", "'cup' is already a unit"),
        ("value: 12 pens", "value: many pens", "'many pens' does not begin with a number"),
        ("value: 12 pens", "value: 12 pencils", "there is no unit 'pencils'"),
        ("name: paid, value", "name: pens, value", "there are two of the name 'pens'"),
        ("name: paid, value", "name: gcd, value", "'gcd' is a function of formulas"),
        ("name: paid, value", "name: class, value", "'class' means something else in a formula"),
        ("formula: paid / pens", "formula: paid / pencils", "there is no variable 'pencils'. Did you mean 'pens'?"),
        ("formula: paid / pens", "formula: back / pens", "'back' is needed before it is worked out"),
        ("formula: paid / pens", "formula: price / pens", "'price' is needed before it is worked out"),
        ("formula: paid / pens", "formula: paid + pens", "$6 cannot be added to 12 pens"),
        ("formula: paid / pens", "formula: paid / (pens - pens)", "divides by zero"),
        ("formula: paid / pens", "formula: paid // pens", "does not belong in a formula"),
        ("formula: paid / pens", "formula: __import__('os')", "does not belong in a formula"),
        ("formula: paid / pens", "formula: paid < pens", "this compares, where a quantity is wanted"),
        ("formula: paid / pens", "formula: number(paid) / number(pens)", "may not forget its units"),
        ("formula: paid / pens", "formula: 2 * paid / pens", "the subtasks come to $1 per pen, not '50 cents per pen'"),
        ("unit: dollars per pen", "unit: pens per dollar", "'dollar/pen' cannot be turned into 'pen/dollar'"),
        ("unit: dollars per pen", "unit: dollar per pens each", "there is no unit 'pens each'"),
        ("variable: price, value: 50", "variable: cost, value: 50", "there is no variable 'cost'"),
        ("value: 50 cents per pen", "value: 60 cents per pen", "the subtasks come to $0.50 per pen, not"),
        ("value: 50 cents per pen", "value: 50 cents", "has another unit than '50 cents'"),
        ("50 cents per pen}", "50 cents per pen, tolerance: 1 foot}", "'1 foot' has another unit than the answer"),
        ("50 cents per pen}", "50 cents per pen, also: [$5]}", "'$5' is another quantity than '50 cents per pen'"),
        ("box_paid / box_pens == price", "box_paid / box_pens", "this is a quantity, where a condition is wanted"),
        ("box_paid / box_pens == price", "box_paid == price", "cannot be compared with"),
        ("box_paid / box_pens == price", "bag_paid / box_pens == price", "there is no variable 'bag_paid'"),
        ("box_paid: $2}, right: true", "box_paid: $2}, right: false", "'A' is said to be wrong, and by `right_if` it"),
        ("box_paid: $3}, right: false", "box_paid: $3}, right: true", "'B' is said to be right, and by `right_if`"),
        ("values: {box_pens: 4 pens, box_paid: $3}", "values: {box_pens: 4 pens}", "'B' has other values than"),
        ("id: B", "id: A", "there are two of the name 'A'"),
        ("formula: price * pens == paid", "formula: price * pens < paid", "this check fails for the right solution"),
        ("{of: pens, value: 21 pens}", "{of: pens, value: 12 pens}", "'misread' leads to the right answer"),
        ("{of: pens, value: 21 pens}", "{of: pens}", "'pens' has to become one thing"),
        ("{of: pens, value: 21 pens}", "{of: price, value: $1 per pen}", "what is misread is a given"),
        ("{of: pens, value: 21 pens}", "{of: pens, value: 3 feet}", "'foot' cannot be turned into 'pen'"),
        ("{of: price, instead: number(paid)}", "{of: price, value: $6 per pen}", "'unshared' omits no subtask"),
        ("{of: price, instead: number(paid)}", "{of: cost, instead: paid}", "there is no variable 'cost'"),
        ("{of: price, instead: number(paid)}", "{of: paid, instead: number(pens)}", "'paid' is given: it is not"),
        ("{of: price, instead: number(paid)}", "{of: price, instead: number(back)}", "'back' is needed before it is"),
        ("        how: divide {pens} by {paid}\n", "", "it is not said how the step is taken then"),
        ("    how: count {box_pens}\n", "", "it is not said how options are checked then"),
        ("id: unshared", "id: turned", "there are two misconceptions 'turned'"),
        ("cue_marks: [read]", "cue_marks: [listen]", "the cue does not say 'listen'"),
        ("answer: \"{pens} for", "answer: \"{pencils} for", "there is no variable 'pencils'"),
        ("answer: \"{pens} for", "answer: \"{price} for", "there is no variable 'price'. Known here: pens, paid"),
        ("how: count {box_pens}", "how: count {bag_pens}", "there is no variable 'bag_pens'"),
        ("ask: What does one pen cost?\n    why", "ask: What {does one pen cost?\n    why", "a brace stands alone"),
        ("marks: [one pen]", "marks: [pencil]", "nobody speaks of 'price' in these words"),
        ("difficulty: easy", "difficulty: trivial", "expected one of easy, medium, hard"),
        ("grade: 6", "grade: six", "expected a whole number"),
    ],
)  # fmt: skip
def test_mistakes_have_their_place_and_mend(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert PROBLEM.count(old) == 1
    file = tmp_path / "pens.yaml"
    file.write_text(PROBLEM.replace(old, new), encoding="utf-8")
    error = refusal(load_problem, file)
    assert said in str(error)
    line = PROBLEM.count("\n", 0, PROBLEM.index(old)) + 1
    told = [int(number) for number in re.findall(r"pens\.yaml:(\d+):", str(error))]
    assert told, "a place"
    assert min(abs(line - number) for number in told) <= 16, (
        "near what is wrong, or at the answer that does not come out"
    )


DATA: Any = parse(PROBLEM, "F").data
STRAY: list[Any] = [
    "",
    "{",
    "{pens}",
    "1/0",
    "9**9**9",
    "gcd(pens)",
    "number(paid)",
    "price",
    "paid < pens",
    "pens * 0 == 0",
]
STRAY += [
    "feet",
    "pens per pens",
    "$",
    "%",
    "每",
    "a" * 500,
    "12 pens",
    True,
    None,
    -1,
    1.5,
    [],
    {},
    ["x"],
    {"a": "b"},
    "½",
]


def places(data: Any, trail: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    steps = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for step, part in steps:
        yield (*trail, step)
        yield from places(part, (*trail, step))


@given(st.lists(st.tuples(st.sampled_from(list(places(DATA))), st.sampled_from(STRAY)), min_size=1, max_size=3))
def test_a_problem_in_which_anything_was_changed_is_refused_or_holds_together(
    changes: list[tuple[tuple[Any, ...], Any]],
) -> None:
    data = deepcopy(DATA)
    for (*way, last), stray in changes:
        here = data
        try:
            for step in way:
                here = here[step]
            here[last] = deepcopy(stray)
        except (KeyError, IndexError, TypeError):  # another change has taken this place away
            continue
    try:
        problem = load_problem(data)
    except ScenarioError:
        return
    right = schema_of(problem)
    for one in problem.misconceptions:
        wrong = change(right, one)
        assert changed(right, wrong) or work(wrong).chosen != work(right).chosen


def test_a_short_name_that_is_none_is_told_what_one_is(tmp_path: Path) -> None:
    file = tmp_path / "pens.yaml"
    file.write_text(PROBLEM.replace("name: paid, value", "name: Mia pays, value"), encoding="utf-8")
    said = str(refusal(load_problem, file))
    assert "expected small letters, digits and _, beginning with a letter, found the text 'Mia pays'" in said
    assert "Write for example `name: path_length`." in said
