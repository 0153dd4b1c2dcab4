"""Formulas and quantities as LaTeX, made from what is computed, so that nobody writes a formula twice.

Only what is written here comes out: no text of a user's is LaTeX.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from fractions import Fraction

from eduverse_mesa.formulas.formula import Formula
from eduverse_mesa.formulas.units import Quantity, Units
from eduverse_mesa.formulas.wording import say_number, say_quantity

_ANY, _JOINED, _SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(7)
"""How tightly the parts of a formula hold together, the loosest first."""
_BETWEEN = {ast.Add: (" + ", _SUM), ast.Sub: (" - ", _SUM), ast.Mult: (r" \cdot ", _PRODUCT)}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "=",
    ast.NotEq: r"\ne",
    ast.Lt: "<",
    ast.LtE: r"\le",
    ast.Gt: ">",
    ast.GtE: r"\ge",
}
_AROUND = {"floor": (r"\lfloor ", r" \rfloor"), "ceil": (r"\lceil ", r" \rceil"), "abs": ("|", "|")}
_CALLED = {
    "gcd": r"\gcd",
    "min": r"\min",
    "max": r"\max",
    "lcm": r"\operatorname{lcm}",
    "round": r"\operatorname{round}",
}
_SPECIAL = {sign: f"\\{sign}" for sign in "#$%&_{}"} | {"\\": r"\backslash ", "^": r"\^{}", "~": r"\~{}"}


def write_latex(formula: Formula, shown: Mapping[str, str]) -> str:
    """A formula with each name as it is to be shown, itself LaTeX; a name that is not among them as its own text."""
    return _write(formula.tree, shown, _ANY)


def quantity_latex(quantity: Quantity, units: Units, language: str = "en") -> str:
    """A quantity with its unit upright, and a fraction as one."""
    said = say_quantity(quantity, units, language)
    number = say_number(quantity.value, units.fractions)
    if "/" in number and number in said:
        before, _, after = said.partition(number)
        return f"{_text(before)}{_fraction(quantity.value)}{_text(after)}"
    plain = said.replace(",", "").removeprefix("-").removeprefix("$")
    if plain.replace(".", "", 1).isdigit():
        return said.replace("$", r"\$").replace(",", "{,}")
    return _text(said)


def _fraction(value: Fraction) -> str:
    whole, rest = divmod(abs(value), 1)
    sign = "-" if value < 0 else ""
    return rf"{sign}{whole or ''}\frac{{{rest.numerator}}}{{{rest.denominator}}}"


def _text(words: str) -> str:
    if not words:
        return ""
    return rf"\text{{{''.join(_SPECIAL.get(sign, sign) for sign in words)}}}"


def _write(node: ast.expr, shown: Mapping[str, str], around: int) -> str:
    """A part of a formula, in brackets where what stands around it holds more tightly."""
    text, own = _part(node, shown)
    return rf"\left({text}\right)" if own < around else text


def _part(node: ast.expr, shown: Mapping[str, str]) -> tuple[str, int]:
    if isinstance(node, ast.Constant):
        return str(node.value), _ATOM
    if isinstance(node, ast.Name):
        return shown.get(node.id, _text(node.id.replace("_", " "))), _POWER
    if isinstance(node, ast.Call):
        assert isinstance(node.func, ast.Name)
        if node.func.id == "number":
            return _part(node.args[0], shown)
        return _call(node.func.id, [_write(part, shown, _ANY) for part in node.args]), _ATOM
    if isinstance(node, ast.BinOp):
        return _operation(node, shown)
    if isinstance(node, ast.UnaryOp):
        if isinstance(node.op, ast.Not):
            return rf"\text{{not }} {_write(node.operand, shown, _SIGN)}", _JOINED
        sign = "-" if isinstance(node.op, ast.USub) else "+"
        return f"{sign}{_write(node.operand, shown, _SIGN)}", _SUM
    if isinstance(node, ast.BoolOp):
        word = "and" if isinstance(node.op, ast.And) else "or"
        return rf" \text{{ {word} }} ".join(_write(part, shown, _JOINED + 1) for part in node.values), _JOINED
    assert isinstance(node, ast.Compare)
    left, right = _write(node.left, shown, _SUM), _write(node.comparators[0], shown, _SUM)
    return f"{left} {_COMPARE[type(node.ops[0])]} {right}", _SUM


def _call(name: str, parts: list[str]) -> str:
    if around := _AROUND.get(name):
        return f"{around[0]}{parts[0]}{around[1]}"
    return rf"{_CALLED[name]}\left({', '.join(parts)}\right)"


def _operation(node: ast.BinOp, shown: Mapping[str, str]) -> tuple[str, int]:
    if isinstance(node.op, ast.Div):
        return rf"\frac{{{_write(node.left, shown, _ANY)}}}{{{_write(node.right, shown, _ANY)}}}", _POWER
    if isinstance(node.op, ast.Pow):
        return f"{_write(node.left, shown, _ATOM)}^{{{_write(node.right, shown, _ANY)}}}", _POWER
    sign, own = _BETWEEN[type(node.op)]
    right = own + 1 if isinstance(node.op, ast.Sub) else own
    return f"{_write(node.left, shown, own)}{sign}{_write(node.right, shown, right)}", own
