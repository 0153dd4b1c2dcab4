"""Formulas as LaTeX: brackets only where they are needed, and nothing of a user's that LaTeX would obey."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.formulas import parse, quantity_latex, read_quantity, units_for, write_latex

UNITS = units_for({"step": "steps", "oak_leaf": "oak_leaves"})
SHOWN = {name: name for name in "abcd"}


@pytest.mark.parametrize(
    ("formula", "latex"),
    [
        ("a / b", r"\frac{a}{b}"),
        ("(a + b) * c", r"\left(a + b\right) \cdot c"),
        ("a + b * c", r"a + b \cdot c"),
        ("a - (b - c)", r"a - \left(b - c\right)"),
        ("(a - b) - c", "a - b - c"),
        ("(a + b) / (c * d)", r"\frac{a + b}{c \cdot d}"),
        ("(a / b) ** 2", r"\left(\frac{a}{b}\right)^{2}"),
        ("2 ** 3", "2^{3}"),
        ("-a * b", r"\left(-a\right) \cdot b"),
        ("gcd(a, b + 1)", r"\gcd\left(a, b + 1\right)"),
        ("floor(a / b) + abs(c)", r"\lfloor \frac{a}{b} \rfloor + |c|"),
        ("round(a, 2)", r"\operatorname{round}\left(a, 2\right)"),
        ("number(a) * number(b + c)", r"a \cdot \left(b + c\right)"),
        ("a / b == c and d <= 2", r"\frac{a}{b} = c \text{ and } d \le 2"),
        ("not (a != b)", r"\text{not } \left(a \ne b\right)"),
        ("step_length * 0.5", r"\text{step length} \cdot 0.5"),
    ],
)
def test_a_formula_is_written_as_in_a_book(formula: str, latex: str) -> None:
    assert write_latex(parse(formula), SHOWN) == latex


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("60 ft", r"\text{60 feet}"),
        ("3/8 yard", r"\frac{3}{8}\text{ of a yard}"),
        ("5/3", r"1\frac{2}{3}"),
        ("$29.95", r"\$29.95"),
        ("1200", "1{,}200"),
        ("15%", r"\text{15\%}"),
        ("2 oak_leaves", r"\text{2 oak\_leaves}"),
        ("-1/3", r"-\frac{1}{3}"),
    ],
)
def test_a_quantity_keeps_its_words(text: str, latex: str) -> None:
    assert quantity_latex(read_quantity(text, UNITS), UNITS) == latex


names = st.sampled_from(["a", "b", "c"])
formulas = st.recursive(
    names,
    lambda inner: st.tuples(inner, st.sampled_from(["+", "-", "*"]), inner).map(" ".join).map("({})".format),
    max_leaves=7,
)


@given(formulas)
def test_brackets_say_what_the_formula_says(text: str) -> None:
    latex = write_latex(parse(text), SHOWN)
    plain = latex.replace(r"\left(", "(").replace(r"\right)", ")").replace(r"\cdot", "*")
    assert re.fullmatch(r"[abc+\-* ()]+", plain)
    # The same numbers come out of both: three primes tell any two different sums and products of a few apart.
    numbers = {"a": 101, "b": 10007, "c": 1000003}
    assert eval(plain, {}, numbers) == eval(text, {}, numbers)
