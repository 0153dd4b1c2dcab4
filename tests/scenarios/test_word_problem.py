"""Solutions that can be worked out, changed, corrected and told."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.errors import FormulaError
from eduverse_mesa.formulas import Quantity, parse, read_quantity, units_for
from eduverse_mesa.scenarios.loader import load_problem
from eduverse_mesa.scenarios.word_problem import (
    PLACE,
    Step,
    TaskSchema,
    change,
    changed,
    dependents,
    fill,
    is_answered,
    restore,
    restore_choice,
    revise,
    schema_of,
    work,
)
from eduverse_mesa.scenarios.yaml_text import parse as parse_yaml
from tests.scenarios.documents import PROBLEM

PENS = load_problem(parse_yaml(PROBLEM, "F").data)  # type: ignore[arg-type]
RIGHT = schema_of(PENS)


def said(schema: TaskSchema) -> dict[str, str]:
    return {name: schema.says(value) for name, value in work(schema).values.items()}


def test_the_right_solution_works_out_in_order_and_chooses() -> None:
    assert said(RIGHT) == {"pens": "12 pens", "paid": "$6", "price": "$0.50 per pen", "back": "$6"}
    assert work(RIGHT).chosen == ("A",)
    assert list(work(RIGHT).values) == list(RIGHT.names())


def test_a_wrong_formula_misleads_what_builds_on_it_and_nothing_else() -> None:
    wrong = change(RIGHT, PENS.misconception("turned"))
    assert said(wrong) == {"pens": "12 pens", "paid": "$6", "price": "$2 per pen", "back": "$24"}
    assert set(changed(RIGHT, wrong)) == {"price", "back"}
    assert work(wrong).chosen == ()
    assert wrong.step("price").how == "divide {pens} by {paid}"


def test_an_omitted_subtask_is_known_as_such() -> None:
    wrong = change(RIGHT, PENS.misconception("unshared"))
    assert wrong.step("price").omitted
    assert not RIGHT.step("price").omitted
    assert said(wrong)["price"] == "$6 per pen"


def test_a_given_read_wrongly_is_held_to_be_so() -> None:
    wrong = change(RIGHT, PENS.misconception("misread"))
    assert said(wrong) == {"pens": "21 pens", "paid": "$6", "price": "about $0.29 per pen", "back": "$6"}
    assert work(wrong).values["price"] == Quantity(Fraction(6, 21), "dollar/pen")


def test_a_wrong_condition_chooses_wrongly_until_it_is_put_right() -> None:
    wrong = change(RIGHT, PENS.misconception("any_box"))
    assert work(wrong).chosen == ("A", "B")
    assert work(wrong).values == work(RIGHT).values
    assert restore_choice(wrong, PENS) == RIGHT


@pytest.mark.parametrize("misconception", ["turned", "unshared", "misread"])
def test_what_was_changed_can_be_put_right(misconception: str) -> None:
    found = PENS.misconception(misconception)
    wrong = change(RIGHT, found)
    assert wrong != RIGHT
    assert restore(wrong, PENS, [one.of for one in found.changes]) == RIGHT


def test_a_value_that_is_taken_over_is_held_until_what_it_builds_on_changes() -> None:
    price = read_quantity("25 cents per pen", RIGHT.units)
    taken = revise(RIGHT, {"price": price})
    assert said(taken) == {"pens": "12 pens", "paid": "$6", "price": "$0.25 per pen", "back": "$3"}
    again = revise(taken, {"paid": read_quantity("$12", RIGHT.units)})
    assert said(again) == {"pens": "12 pens", "paid": "$12", "price": "$1 per pen", "back": "$12"}


def test_what_is_taken_over_has_to_be_a_variable_of_that_kind() -> None:
    feet = read_quantity("3 feet", RIGHT.units)
    with pytest.raises(FormulaError, match="cannot be turned into"):
        revise(RIGHT, {"price": feet})
    with pytest.raises(FormulaError, match="no variable 'length'"):
        revise(RIGHT, {"length": feet})


@pytest.mark.parametrize(
    ("text", "right"),
    [("50 cents per pen", True), ("$0.50 per pen", True), ("$1/2 per pen", True), ("$2 per pen", False), ("$6", False)],
)
def test_an_answer_counts_in_any_unit_of_its_kind(text: str, right: bool) -> None:
    assert is_answered(PENS.answers[0], read_quantity(text, RIGHT.units), RIGHT.units) is right


def test_a_tolerance_lets_a_rounded_answer_count() -> None:
    near = PENS.answers[0].model_copy(update={"tolerance": "1 cent per pen"})
    assert is_answered(near, read_quantity("$0.49 per pen", RIGHT.units), RIGHT.units)
    assert not is_answered(near, read_quantity("$0.48 per pen", RIGHT.units), RIGHT.units)


def test_phrases_are_filled_with_what_the_speaker_has() -> None:
    wrong = change(RIGHT, PENS.misconception("misread"))
    assert fill(RIGHT.step("price").how, work(wrong).values, RIGHT.units) == "divide $6 by 21 pens"
    assert fill(RIGHT.step("price").says, work(RIGHT).values, RIGHT.units) == "one pen costs $0.50"


UNITS = units_for({})
counts = st.integers(1, 99)


@st.composite
def sums(draw: st.DrawFn) -> TaskSchema:
    """A schema of sums with positive factors: whatever is computed from a variable changes with it."""
    givens = {f"g{index}": Quantity(Fraction(draw(counts))) for index in range(draw(st.integers(1, 4)))}
    known, steps = [*givens], []
    for index in range(draw(st.integers(1, 8))):
        used = draw(st.lists(st.sampled_from(known), min_size=1, max_size=3))
        text = " + ".join(f"{draw(counts)} * {name}" for name in used)
        steps.append(Step(f"s{index}", parse(text), "", "add", "it is"))
        known.append(f"s{index}")
    return TaskSchema(UNITS, givens, tuple(steps))


@given(sums(), st.data())
def test_a_revised_variable_changes_exactly_what_depends_on_it(schema: TaskSchema, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(schema.names()))
    value = work(schema).values[name]
    revised = revise(schema, {name: Quantity(value.value + data.draw(counts))})
    assert set(changed(schema, revised)) == dependents(schema, [name]) | {name}
    assert revise(revised, {name: value}).names() == schema.names()
    assert changed(schema, revise(revised, {name: value})) == {}


@given(sums(), st.data())
def test_what_is_held_of_a_dependent_gives_way(schema: TaskSchema, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(schema.names()))
    after = dependents(schema, [name])
    held = revise(schema, {one: Quantity(Fraction(-1)) for one in after}) if after else schema
    value = work(schema).values[name]
    assert changed(schema, revise(held, {name: value})) == {}


def test_a_phrase_names_its_quantities_whether_whole_or_as_an_amount() -> None:
    assert PLACE.findall("{paid} for {pens}, {price.amount} each, and {no place") == ["paid", "pens", "price"]
