"""Formulas: what is one, what is none, and what they come to."""

from __future__ import annotations

from fractions import Fraction
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.errors import FormulaError
from eduverse_mesa.formulas import Quantity, holds, parse, read_quantity, units_for, work_out
from eduverse_mesa.formulas.formula import FUNCTIONS

UNITS = units_for({"step": "steps", "cookie": "cookies", "bar": "bars", "bag": "bags"})
GIVEN = {
    "distance": "60 feet",
    "short": "3 yards",
    "steps": "20 steps",
    "rate": "15%",
    "coupon": "$18",
    "cookies": "30 cookies",
    "bars": "45 bars",
    "zero": "0",
    "two": "2",
}
VALUES = {name: read_quantity(text, UNITS) for name, text in GIVEN.items()}


@pytest.mark.parametrize(
    ("formula", "unit", "result"),
    [
        ("distance / steps", "feet per step", "3 feet per step"),
        ("distance / steps", "inches per step", "36 inches per step"),
        ("distance + short", "feet", "69 feet"),
        ("distance - short", "yards", "17 yards"),
        ("short * short", "square feet", "81 square feet"),
        ("short ** 2", "square yards", "9 square yards"),
        ("coupon / rate", "dollars", "$120"),
        ("coupon * (1 - rate)", "dollars", "$15.30"),
        ("rate", "", "0.15"),
        ("rate", "percent", "15%"),
        ("distance / short", "", "20/3"),
        ("gcd(cookies, bars)", "bags", "15 bags"),
        ("lcm(cookies, bars)", "bags", "90 bags"),
        ("cookies / gcd(cookies, bars)", "cookies", "2 cookies"),
        ("min(distance, short)", "yards", "3 yards"),
        ("max(distance, short)", "feet", "60 feet"),
        ("floor(7 / two)", "", "3"),
        ("ceil(7 / two)", "", "4"),
        ("round(5 / two)", "", "3"),
        ("round(-5 / two)", "", "-3"),
        ("round(2 / 3, 2)", "", "0.67"),
        ("abs(short - distance)", "feet", "51 feet"),
        ("number(distance) * number(steps)", "feet per step", "1200 feet per step"),
        ("+two - -1", "", "3"),
        ("0.1 + 0.2", "", "3/10"),
        ("distance × two ÷ steps", "feet per step", "6 feet per step"),
        ("（two − 1）· two² ^ 2 – 1", "", "15"),
    ],
)
def test_a_formula_comes_to_an_exact_quantity_in_its_unit(formula: str, unit: str, result: str) -> None:
    assert work_out(parse(formula), VALUES, UNITS, unit) == read_quantity(result, UNITS)


@pytest.mark.parametrize(
    ("formula", "unit", "said"),
    [
        ("distance + steps", "feet", "60 feet cannot be added to 20 steps"),
        ("steps - distance", "feet", "60 feet cannot be subtracted from 20 steps"),
        ("distance + 1", "feet", "cannot be added to 1"),
        ("distance / steps", "steps per foot", "cannot be turned into"),
        ("distance / short", "feet", "cannot be turned into"),
        ("distance / zero", "feet", "divides by zero"),
        ("zero ** -1", "", "divides by zero"),
        ("length", "feet", "there is no 'length'. Known: bars, cookies,"),
        ("gcd(distance / 7, 3)", "", "not a whole number"),
        ("two ** 7", "", "power is too large"),
        ("two ** (1 / 2)", "", "a power is a whole number"),
        ("two ** steps", "", "a power is a whole number"),
        ("9 ** 6 ** 6", "", "too large"),
        ("(((9 ** 6) ** 6) ** 6) ** 6", "", "too large a number"),
        ("gcd()", "", "does not take 0 parts"),
        ("floor(1, 2)", "", "does not take 2 parts"),
        ("round(1, 2, 3)", "", "cannot be rounded so"),
        ("round(1, 99)", "", "cannot be rounded so"),
        ("distance < short", "feet", "compares, where a quantity is wanted"),
    ],
)
def test_what_does_not_work_out_is_told_with_its_formula(formula: str, unit: str, said: str) -> None:
    with pytest.raises(FormulaError) as told:
        work_out(parse(formula), VALUES, UNITS, unit)
    assert said in str(told.value)
    assert "formula" in told.value.where


@pytest.mark.parametrize(
    ("formula", "truth"),
    [
        ("distance == 20 * short / 3", True),
        ("distance > short and steps <= 2 * steps", True),
        ("distance < short or short != short", False),
        ("not (distance >= short)", False),
        ("35 / 28 == 5 / 4", True),
    ],
)
def test_a_condition_holds_or_not_whatever_the_units_are_called(formula: str, truth: bool) -> None:
    assert parse(formula).is_condition
    assert holds(parse(formula), VALUES, UNITS) is truth


def test_a_quantity_is_no_condition_and_only_alike_things_compare() -> None:
    with pytest.raises(FormulaError, match="where a condition is wanted"):
        holds(parse("distance"), VALUES, UNITS)
    with pytest.raises(FormulaError, match="cannot be compared with"):
        holds(parse("distance < steps"), VALUES, UNITS)


@pytest.mark.parametrize(
    "text",
    [
        ".5and 1 < 2",
        "1.or 2",
        "",
        "   ",
        "__import__('os').system('id')",
        "().__class__",
        "distance.real",
        "distance[0]",
        "[1 for x in steps]",
        "lambda: 1",
        "1 if two else 2",
        "f(x)",
        "gcd(a=1)",
        "gcd(*steps)",
        "print(1)",
        "gcd.x",
        "gcd(1)(2)",
        "a := 1",
        "a = 1",
        "a; b",
        "1 < 2 < 3",
        "(1 < 2) + 1",
        "not 1",
        "1 and 2",
        "-(1 < 2)",
        "1 // 2",
        "1 % 2",
        "1 @ 2",
        "1 << 2",
        "~1",
        "a in b",
        "a is b",
        "True",
        "None",
        "...",
        "'text'",
        "1j",
        "1e400",
        "0x10",
        "1_000",
        "60 ft",
        "2x",
        "Distance",
        "_a",
        "a,b",
        "distance /",
        "(1",
        "1)",
        "1\x00",
        "𝒅istance",
        "1 +\n",
        "(" * 200 + "1" + ")" * 200,
        "-" * 10_000 + "1",
        "x" * 10_000,
        "9" * 10_000,
        "1+" * 5_000 + "1",
        "not " * 70 + "(" * 30 + "1 < 2" + ")" * 30,
    ],
    ids=lambda text: repr(text[:20]) + str(len(text)),
)
def test_hostile_and_wrong_texts_are_refused_quickly(text: str) -> None:
    begun = process_time()
    with pytest.raises(FormulaError) as told:
        parse(text)
    assert process_time() - begun < 1.0, "some take milliseconds; one that is read step by step again takes minutes"
    assert told.value.mend


@given(st.text(alphabet="abgcdmin0123456789.+-*/()<>=,! ", max_size=60))
def test_any_text_is_a_formula_or_refused_and_working_it_out_ends(text: str) -> None:
    begun = process_time()
    try:
        formula = parse(text)
        values = {name: Quantity(Fraction(3)) for name in formula.names}
        result = holds(formula, values, UNITS) if formula.is_condition else work_out(formula, values, UNITS, "")
        assert isinstance(result, bool | Quantity)
    except FormulaError:
        pass
    assert process_time() - begun < 5.0


names = st.sampled_from(["a", "b", "c"])
terms = st.recursive(
    st.integers(0, 99).map(str) | names,
    lambda inner: st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda part: f"({part[0]} {part[1]} {part[2]})"),
    max_leaves=8,
)


@given(terms, st.fixed_dictionaries({name: st.integers(-99, 99) for name in "abc"}))
def test_a_formula_comes_to_what_python_would_make_of_it(text: str, given_: dict[str, int]) -> None:
    values = {name: Quantity(Fraction(number)) for name, number in given_.items()}
    expected = eval(text, {"__builtins__": {}}, dict(given_))  # made of digits, + - * and three letters, just above
    assert work_out(parse(text), values, UNITS, "") == Quantity(Fraction(expected))


def test_a_formula_knows_the_names_it_needs() -> None:
    formula = parse("  gcd(a, b) +\n c * a ")
    assert formula.names == {"a", "b", "c"}
    assert formula.text == "gcd(a, b) + c * a"
    assert not formula.drops_units
    assert parse("number(a)").drops_units
    assert parse("a") == parse(" a ")
    assert all(description for description in FUNCTIONS.values())


@pytest.mark.parametrize("formula", ["short = steps", "two = 1 + 1", "zero ＝ 0"])
def test_whoever_writes_one_equals_sign_is_told_of_two(formula: str) -> None:
    with pytest.raises(FormulaError, match="= stands alone") as caught:
        parse(formula)
    assert caught.value.code == "lone_equals"
    assert "Write == to compare" in caught.value.mend


def test_conditions_may_be_written_with_the_signs_of_class() -> None:
    assert holds(parse("two ≤ 2 and two ≠ 3 and two ≥ zero"), VALUES, UNITS)
