"""Evaluation of formulas: exact fractions with units, of bounded size."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from eduverse_mesa.errors import FormulaError
from eduverse_mesa.formulas.formula import Formula
from eduverse_mesa.formulas.units import Quantity, Units
from eduverse_mesa.formulas.wording import say_quantity

_MOST_BITS = 400
_MOST_POWER = 6
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_ADD: dict[type[ast.operator], Callable[[Any, Any], Any]] = {ast.Add: operator.add, ast.Sub: operator.sub}
_MULTIPLY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {ast.Mult: operator.mul, ast.Div: operator.truediv}


def work_out(formula: Formula, values: Mapping[str, Quantity], units: Units, unit: str) -> Quantity:
    """Return the result of a formula with these values, in the unit it is meant to have.

    A plain number counts whatever it is meant to count: the greatest common divisor of brownies and of squares is a
    number of bags. Any other unit has to come out of the formula, unless it forgets the units by `number(...)`.
    """
    if formula.is_condition:
        message, where = "this compares, where a quantity is wanted.", f"formula '{formula.text}'"
        raise FormulaError(message, where=where, code="compares")
    if formula.names <= values.keys():
        return _kept_result(formula, _of(formula, values), units, unit)
    return _result(formula, values, units, unit)


def _of(formula: Formula, values: Mapping[str, Quantity]) -> tuple[tuple[str, Quantity], ...]:
    return tuple((name, values[name]) for name in sorted(formula.names))


# Each of a group works the same few formulas out with the same few numbers, again and again.
@lru_cache(maxsize=4096)
def _kept_result(formula: Formula, values: tuple[tuple[str, Quantity], ...], units: Units, unit: str) -> Quantity:
    return _result(formula, dict(values), units, unit)


@lru_cache(maxsize=4096)
def _kept_verdict(formula: Formula, values: tuple[tuple[str, Quantity], ...], units: Units) -> bool:
    return _Worker(formula, dict(values), units).condition(formula.tree)


def _result(formula: Formula, values: Mapping[str, Quantity], units: Units, unit: str) -> Quantity:
    result = _Worker(formula, values, units).number(formula.tree)
    wanted = units.canonical(unit)
    worked = units.from_pint(result)
    if (
        result.dimensionless
        and wanted
        and (formula.drops_units or all(one in units.nouns for one in units.powers(wanted)))
    ):
        return Quantity(units.convert(worked, "").value, wanted)
    try:
        return units.convert(worked, wanted)
    except FormulaError as error:
        where = f"formula '{formula.text}'"
        raise FormulaError(error.message, where=where, mend=error.mend, code=error.code, **error.given) from None


def holds(formula: Formula, values: Mapping[str, Quantity], units: Units) -> bool:
    """Return True if a condition holds with these values."""
    if not formula.is_condition:
        mend = "Write a comparison, such as `width <= limit`."
        message, where = "this is a quantity, where a condition is wanted.", f"formula '{formula.text}'"
        raise FormulaError(message, where=where, mend=mend, code="no_condition")
    if formula.names <= values.keys():
        return _kept_verdict(formula, _of(formula, values), units)
    return _Worker(formula, values, units).condition(formula.tree)


class _Worker:
    """Works through one formula once. Percent are hundredths here; everything else keeps its unit."""

    def __init__(self, formula: Formula, values: Mapping[str, Quantity], units: Units) -> None:
        self.formula, self.values, self.units = formula, values, units

    def condition(self, node: ast.expr) -> bool:
        if isinstance(node, ast.BoolOp):
            join = all if isinstance(node.op, ast.And) else any
            return join([self.condition(part) for part in node.values])
        if isinstance(node, ast.UnaryOp):
            return not self.condition(node.operand)
        assert isinstance(node, ast.Compare)
        left, right = self.number(node.left), self.number(node.comparators[0])
        left, right = self._alike([left, right], "compared with")
        return bool(_COMPARE[type(node.ops[0])](left.magnitude, right.magnitude))

    def number(self, node: ast.expr) -> Any:
        """A part of the formula as pint's quantity."""
        if isinstance(node, ast.Constant):
            return self.units.registry.Quantity(Fraction(str(node.value)))
        if isinstance(node, ast.Name):
            return self._named(node.id)
        if isinstance(node, ast.UnaryOp):
            operand = self.number(node.operand)
            return -operand if isinstance(node.op, ast.USub) else operand
        if isinstance(node, ast.Call):
            assert isinstance(node.func, ast.Name)
            return self._bounded(self._call(node.func.id, [self.number(part) for part in node.args]))
        assert isinstance(node, ast.BinOp)
        return self._bounded(self._operate(node))

    def _named(self, name: str) -> Any:
        if name not in self.values:
            known = ", ".join(sorted(self.values)) or "nothing"
            raise self._error(f"there is no '{name}'.", f"Known: {known}.", "unknown", name=name, known=known)
        found = self.units.pint(self.values[name])
        if not (power := dict(found.unit_items()).get("percent", 0)):
            return found
        hundredths = self.units.pint(Quantity(Fraction(1), "percent")) ** -int(power)
        return found * hundredths * Fraction(100) ** -int(power)

    def _operate(self, node: ast.BinOp) -> Any:
        left, right = self.number(node.left), self.number(node.right)
        if isinstance(node.op, ast.Pow):
            return self._raise(left, right)
        if add := _ADD.get(type(node.op)):
            word = "added to" if isinstance(node.op, ast.Add) else "subtracted from"
            first, second = self._alike([left, right], word)
            return add(first, second)
        if isinstance(node.op, ast.Div) and right.magnitude == 0:
            raise self._error("this divides by zero.", "Check the number below the line.", "zero_division")
        return _MULTIPLY[type(node.op)](left, right)

    def _raise(self, base: Any, power: Any) -> Any:
        exponent = self._whole(power, "a power")
        if abs(exponent) > _MOST_POWER:
            raise self._error("this power is too large.", f"{_MOST_POWER} is the most.", "high_power", most=_MOST_POWER)
        if base.magnitude == 0 and exponent < 0:
            raise self._error("this divides by zero.", "Check the number below the line.", "zero_division")
        return base**exponent

    def _call(self, name: str, parts: list[Any]) -> Any:
        if not parts or (len(parts) > 1 and name in ("floor", "ceil", "abs", "number")) or len(parts) > 8:
            message, mend = f"{name}() does not take {len(parts)} parts.", "Write for example `gcd(a, b)`."
            raise self._error(message, mend, "odd_parts", name=name, n=len(parts))
        if name in ("gcd", "lcm"):
            return self._divisor(name, parts)
        if name in ("min", "max"):
            alike = self._alike(parts, "compared with")
            return (min if name == "min" else max)(alike, key=lambda part: part.magnitude)
        make = self.units.registry.Quantity
        first = parts[0]
        if name == "number":
            return make(first.magnitude)
        if name == "abs":
            return abs(first)
        if name == "round":
            return make(self._rounded(first.magnitude, parts[1:]), first.units)
        return make(Fraction((math.floor if name == "floor" else math.ceil)(first.magnitude)), first.units)

    def _rounded(self, value: Fraction, places: list[Any]) -> Fraction:
        """Return a value rounded as it is taught: five goes up."""
        digits = self._whole(places[0], "a number of places") if places else 0
        if len(places) > 1 or not -6 <= digits <= 6:
            raise self._error("this cannot be rounded so.", "Write `round(price, 2)`.", "odd_rounding")
        scale = Fraction(10) ** digits
        return Fraction(math.floor(abs(value) * scale + Fraction(1, 2))) / scale * (1 if value >= 0 else -1)

    def _divisor(self, name: str, parts: list[Any]) -> Any:
        """Of numbers of things: what divides brownies and squares alike counts neither."""
        numbers = [self._whole_of(part) for part in parts]
        result = Fraction(math.gcd(*numbers) if name == "gcd" else math.lcm(*numbers))
        if all(part.units == parts[0].units for part in parts):
            return self.units.registry.Quantity(result, parts[0].units)
        return self.units.registry.Quantity(result)

    def _whole_of(self, part: Any) -> int:
        if part.magnitude.denominator != 1:
            message = f"{part.magnitude} is not a whole number."
            raise self._error(message, "Divisors are of whole numbers.", "no_whole", value=part.magnitude)
        return int(part.magnitude)

    def _whole(self, quantity: Any, what: str) -> int:
        if not quantity.unitless or quantity.magnitude.denominator != 1:
            raise self._error(f"{what} is a whole number.", "Write for example `side ** 2`.", "whole_wanted")
        return int(quantity.magnitude)

    def _alike(self, parts: list[Any], word: str) -> list[Any]:
        import pint

        try:
            return [parts[0], *(part.to(parts[0].units) for part in parts[1:])]
        except pint.DimensionalityError:
            said = [self._say(part) for part in parts[:2]]
            left, right = said if word != "subtracted from" else reversed(said)
            mend = "Both need units of the same kind; a bare number that has a unit belongs among `givens`."
            code = {"added to": "no_sum", "subtracted from": "no_difference"}.get(word, "no_comparison")
            first, second = (self.units.from_pint(part) for part in parts[:2])
            message = f"{left} cannot be {word} {right}."
            raise self._error(message, mend, code, left=first, right=second) from None

    def _say(self, part: Any) -> str:
        return say_quantity(self.units.from_pint(part), self.units)

    def _bounded(self, quantity: Any) -> Any:
        value = quantity.magnitude
        if not isinstance(value, Fraction):
            value = Fraction(value)
        if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
            raise self._error("this comes to too large a number.", "Check the powers.", "large")
        return quantity

    def _error(self, message: str, mend: str, code: str, **given: object) -> FormulaError:
        return FormulaError(message, where=f"formula '{self.formula.text}'", mend=mend, code=code, **given)
