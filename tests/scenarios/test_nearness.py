"""Mistakes that a group could not tell from the right answer, or from one another, are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from eduverse_mesa.models.groups import CollaborationModel
from eduverse_mesa.scenarios.loader import kept_collaboration, load_collaboration, load_problem
from tests.scenarios.documents import refusal

SAVINGS = """\
kind: problem
name: savings
title: Savings
grade: 8
difficulty: easy
statement: Lena has $200 in the bank. It grows by 10% in the first year, and by 5% in the second. How much is it then?
question: How much is it after two years?
givens:
  - {name: start, value: $200, phrase: the money at the start}
  - {name: first, value: 10%, phrase: the first rate}
  - {name: second, value: 5%, phrase: the second rate}
subtasks:
  - variable: after_one
    phrase: the money after one year
    marks: [one year]
    formula: start * (1 + first)
    unit: dollars
    how: add {first} to {start}
    says: after one year it is {after_one}
    ask: How much is it after one year?
    why: the first year comes first
  - variable: after_two
    phrase: the money after two years
    marks: [two years]
    formula: after_one * (1 + second)
    unit: dollars
    how: add {second} to {after_one}
    says: after two years it is {after_two}
    ask: How much is it after two years?
    why: the second year is of the new amount
answers:
  - {variable: after_two, value: $231}
sense:
  - {ask: What do we know?, answer: "She has {start}."}
reflection:
  - {means: Her money has grown., check: Take the rates away again.}
misconceptions:
  - id: adds_rates
    kind: wrong_model
    thinks: Both rates are 15% together.
    changes:
      - of: after_two
        formula: start * (1 + first + second)
        how: add {first} and {second} to {start}
    cue: The second rate is of the new amount.
    cue_marks: [new amount]
    notice: The second year is of more money.
"""
SECOND = """\
  - id: NAME
    kind: slip
    thinks: It is so much.
    changes:
      - {of: after_two, value: VALUE}
    cue: The second rate is of the new amount.
    cue_marks: [new amount]
    notice: The second year is of more money.
"""


def savings(tmp_path: Path, *changes: tuple[str, str], second: str = "", third: str = "") -> Path:
    """The problem as a file, with other texts in some places and more mistakes."""
    text = SAVINGS
    for name, value in (("slips", second), ("slips_again", third)):
        text += SECOND.replace("NAME", name).replace("VALUE", value) if value else ""
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file = tmp_path / "savings.yaml"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("changes", "second", "third", "said"),
    [
        ((("value: $231", "value: $231, tolerance: $1"),), "", "", "'adds_rates' leads to the right answer"),
        ((("value: $231", "value: $231, tolerance: $5"),), "$300", "", "leads to the right answer"),
        ((("value: $231", "value: $77, tolerance: $1"), ("(1 + second)", "(1 + second) / 3")), "", "",
         "'$1' is more than 1 % of the answer"),
        ((("(1 + second)", "(1 + second) / 9"), ("$231", "77/3 dollars")), "$25.67", "",
         "'slips' leads to $25.67, which counts as the right answer, about $25.67"),
        ((("(1 + first + second)", "(1 + first) / 7"),), "$31.43", "", "'adds_rates' and 'slips' lead to the same"),
        ((), "$300", "$300", "'slips' and 'slips_again' lead to the same"),
    ],
)  # fmt: skip
def test_what_nobody_could_tell_apart_is_refused(
    tmp_path: Path, changes: tuple[tuple[str, str], ...], second: str, third: str, said: str
) -> None:
    assert said in str(refusal(load_problem, savings(tmp_path, *changes, second=second, third=third)))


def test_a_mistake_within_one_percent_is_a_mistake_and_is_voiced(tmp_path: Path) -> None:
    """$230 was once taken for $231, and voiced in none of twenty dialogues."""
    setup = load_collaboration(problem=load_problem(savings(tmp_path)))
    voiced = 0
    for seed in range(1, 21):
        model = CollaborationModel(setup, seed=seed).run()
        voiced += "230 dollar" in [row.value for row in model.journal.errors if row.event == "introduced"]
        assert model.is_right == (model.answer == {"after_two": "231 dollar"})
    assert voiced >= 18


def test_who_insists_on_what_comes_near_hears_no_agreement_and_is_not_right(tmp_path: Path) -> None:
    setup = load_collaboration(problem=load_problem(savings(tmp_path)), seats=("Mia",))
    model = CollaborationModel(setup, seed=1)
    model.hear("Mia", "it is $230 after two years")
    model.step()
    assert [(row.event, row.value, row.words) for row in model.journal.errors] == [
        ("introduced", "230 dollar", "it is $230 after two years")
    ]
    assert not model.is_right


def test_what_is_kept_is_read_as_it_was_given(tmp_path: Path) -> None:
    problem = load_problem(savings(tmp_path, second="$300")).model_dump(mode="json", by_alias=True)
    problem["misconceptions"][1]["changes"] = problem["misconceptions"][0]["changes"]
    kept = load_collaboration().model_dump(mode="json", by_alias=True) | {"problems": [problem]}
    assert "lead to the same" in str(refusal(load_collaboration, kept))
    assert kept_collaboration(kept).problems[0].name == "savings"
