"""Formulas as the calculations that people type and say: in numbers, with a unit only where the result hangs on it."""

from __future__ import annotations

import ast
import operator
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

from eduverse_mesa.formulas import Formula, Quantity, Units, say_number, say_quantity

_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "x", ast.Div: "/"}
_WORK = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
_PERCENT = "percent"


def calculation(formula: Formula, values: Mapping[str, Quantity], result: Quantity, units: Units, language: str) -> str:
    """A formula in the numbers that somebody has: "60 / 20", and "$120 x 15%" where the numbers alone would come to
    something else; empty where it is more than the four operations."""
    tree = _in_numbers(formula.tree, values)
    try:
        if _worked(tree, {name: one.value for name, one in values.items()}) == result.value:
            return _write(tree, {name: _exact(one.value, units.fractions) for name, one in values.items()})
        return _write(formula.tree, {name: _with_unit(one, units, language) for name, one in values.items()})
    except (ValueError, ZeroDivisionError):
        return ""


def ways(formula: Formula, values: Mapping[str, Quantity]) -> tuple[str, ...]:
    """The calculations that somebody may type for a formula: 15% is 15 to one and 0.15 to another."""
    tree = _in_numbers(formula.tree, values)
    plain = {name: _digits(one.value) for name, one in values.items()}
    parts = {name: _digits(one.value / 100) for name, one in values.items() if one.unit == _PERCENT}
    try:
        found = (_write(tree, plain), _write(tree, {**plain, **parts}))
    except ValueError:
        return ()
    return tuple(dict.fromkeys(one for one in found if " " in one))


def _in_numbers(node: ast.expr, values: Mapping[str, Quantity]) -> ast.expr:
    """The same for mere numbers: a number of something is that number, and a hundred times 15% is 15."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "number":
        return _in_numbers(node.args[0], values)
    if not isinstance(node, ast.BinOp):
        return node
    left, right = _in_numbers(node.left, values), _in_numbers(node.right, values)
    if isinstance(node.op, ast.Mult) and isinstance(left, ast.Name) and isinstance(right, ast.Constant):
        one = values[left.id]
        if one.unit == _PERCENT and right.value == 100:
            return ast.Constant(str(one.value))
    return ast.BinOp(left, node.op, right)


def _worked(node: ast.expr, values: Mapping[str, Fraction]) -> Fraction:
    """What comes out of the numbers alone, as somebody types it into a calculator."""
    if isinstance(node, ast.Name):
        return values[node.id]
    if isinstance(node, ast.Constant):
        return Fraction(str(node.value))
    if isinstance(node, ast.BinOp) and type(node.op) in _WORK:
        return Fraction(_WORK[type(node.op)](_worked(node.left, values), _worked(node.right, values)))
    raise ValueError("no calculation that is said in one breath")


def _exact(value: Fraction, fractions: bool = False) -> str:
    """A number as it is said; a fraction where it would only be said about."""
    written = say_number(value, fractions)
    return f"{value.numerator}/{value.denominator}" if written.startswith("about") else written


def _digits(value: Fraction) -> str:
    """A number as it is typed: 0.15, or 1/3 where no digits end."""
    bottom = value.denominator
    for factor in (2, 5):
        while bottom % factor == 0:
            bottom //= factor
    return str(value) if bottom > 1 else f"{Decimal(value.numerator) / Decimal(value.denominator):f}"


def _with_unit(quantity: Quantity, units: Units, language: str) -> str:
    """A number with the unit that a calculation hangs on: 15%, $120, 5 cents of 5 cents per message; things that are
    counted go without."""
    unit = quantity.unit.partition("/")[0]
    said = say_quantity(Quantity(quantity.value, unit), units, language)
    mere = unit in ("", *units.nouns) or said.startswith(("about", "约"))
    return _exact(quantity.value, units.fractions) if mere else said


def _write(node: ast.expr, said: Mapping[str, str]) -> str:
    if isinstance(node, ast.Name):
        return said[node.id]
    if isinstance(node, ast.Constant):
        return _exact(Fraction(str(node.value)))
    if isinstance(node, ast.BinOp) and type(node.op) in _SIGNS:
        right = _part(node.right, said)
        if isinstance(node.op, ast.Div) and "/" in right and not right.startswith("("):
            right = f"({right})"
        return f"{_part(node.left, said)} {_SIGNS[type(node.op)]} {right}"
    raise ValueError("no calculation that is said in one breath")


def _part(node: ast.expr, said: Mapping[str, str]) -> str:
    return f"({_write(node, said)})" if isinstance(node, ast.BinOp) else _write(node, said)
