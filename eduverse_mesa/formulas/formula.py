"""Formulas over quantities: read into Python's syntax tree, of which a few kinds of node are let through.

Nothing is ever evaluated but by `evaluation.py`, which knows these nodes and no others.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from eduverse_mesa.errors import FormulaError

LONGEST = 300
DEEPEST = 12
FUNCTIONS = {
    "gcd": "the greatest common divisor",
    "lcm": "the least common multiple",
    "min": "the smallest of several",
    "max": "the largest of several",
    "floor": "rounded down to a whole number",
    "ceil": "rounded up to a whole number",
    "round": "rounded, if wanted to so many places",
    "abs": "without its sign",
    "number": "the bare number, as somebody calculates who forgets the units",
}
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_TEXT = re.compile(r"[A-Za-z0-9_\s.+\-*/(),<>=!]*")
_ALONE = re.compile(r"(?<![=<>!])=(?!=)")
_SIGNS = str.maketrans(
    {"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "²": "**2", "³": "**3", "^": "**"}
    | {"≤": "<=", "≥": ">=", "≠": "!=", "（": "(", "）": ")", "，": ",", "＝": "=", "＋": "+"}
)
"""Signs as they are written in class, and on a Chinese keyboard."""
_MISFIT = re.compile(r"(?<![A-Za-z0-9_])\d[\d.]*[A-Za-z_]|\d{16}")
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)
_COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_MARKS = (ast.Load, ast.And, ast.Or, ast.Not, ast.USub, ast.UAdd, *_OPERATORS, *_COMPARISONS)
_NUMBERS = (ast.BinOp, ast.UnaryOp, ast.Call, ast.Name, ast.Constant)
_MEND = "Write numbers, names, + - * / **, brackets, or " + ", ".join(FUNCTIONS) + "."


@dataclass(frozen=True)
class Formula:
    """How something is worked out, such as `distance / steps`; or, with a comparison, when something holds."""

    text: str
    tree: ast.expr = field(compare=False, repr=False)
    names: frozenset[str] = field(compare=False, repr=False)
    is_condition: bool = field(compare=False, repr=False)
    drops_units: bool = field(compare=False, repr=False)
    """It says `number(...)` somewhere: its result is a bare number that takes the unit it is meant to have."""


@lru_cache(maxsize=1024)
def parse(text: str) -> Formula:
    """The formula that a text is; FormulaError, with the place, for any other text, however hostile."""
    text = text.translate(_SIGNS)
    tree = _read(text)
    _check(tree, text)
    names, called = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            called.add(node.func.id)
        elif isinstance(node, ast.Name):
            names.add(node.id)
    condition = not isinstance(tree, _NUMBERS) or (isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not))
    return Formula(" ".join(text.split()), tree, frozenset(names - set(FUNCTIONS)), condition, "number" in called)


def _read(text: str) -> ast.expr:
    """Python's tree of a text that holds nothing else than a formula may."""
    if len(text) > LONGEST:
        message = f"a formula has at most {LONGEST} characters."
        raise FormulaError(message, mend="Divide it into several steps.", code="long_formula", most=LONGEST)
    if not text.strip():
        raise FormulaError("there is no formula.", mend="Write for example `distance / steps`.", code="empty")
    stray = _TEXT.match(text)
    end = stray.end() if stray else 0
    if end < len(text):
        message = f"'{text[end]}' does not belong in a formula."
        raise FormulaError(message, where=_place(text, end), mend=_MEND, code="stray_sign", sign=text[end])
    if misfit := _MISFIT.search(text):
        message = f"'{misfit[0][:20]}' is neither a number nor a name."
        mend = "Quantities with units stand among `givens`; a formula names them."
        where = _place(text, misfit.start())
        raise FormulaError(message, where=where, mend=mend, code="number_and_name", text=misfit[0][:20])
    if alone := _ALONE.search(text):
        mend = "Write == to compare; where something is worked out, write only what stands to the right of it."
        where = _place(text, alone.start())
        raise FormulaError("= stands alone in a formula.", where=where, mend=mend, code="lone_equals")
    _limit_depth(text)
    try:
        return ast.parse(" ".join(text.split()), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise FormulaError("this is not a formula.", where=_place(text, 0), mend=_MEND, code="no_formula") from None


def _limit_depth(text: str) -> None:
    depth = 0
    for index, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth > DEEPEST:
            message = f"there are more than {DEEPEST} brackets within one another."
            where = _place(text, index)
            raise FormulaError(message, where=where, mend="Divide it into several steps.", code="deep", most=DEEPEST)


def _check(tree: ast.expr, text: str) -> None:
    """Let only known nodes through, numbers where numbers belong and conditions where conditions do."""
    for node in ast.walk(tree):
        if not _is_known(node):
            where = _place(text, getattr(node, "col_offset", 0))
            said = _say_node(node)
            message = f"{said} does not belong in a formula."
            raise FormulaError(message, where=where, mend=_MEND, code="stray_part", part=said.strip("'"))
        for part in _number_parts(node):
            if not isinstance(part, _NUMBERS) or (isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not)):
                mend = "Compare once, at the outside: `width / height == ratio and width <= limit`."
                message = "a comparison stands where a number belongs."
                raise FormulaError(message, where=_place(text, 0), mend=mend, code="inner_comparison")
        for part in _condition_parts(node):
            if not isinstance(part, ast.Compare | ast.BoolOp | ast.UnaryOp):
                mend = "Write for example `width <= limit and height <= limit`."
                message = "`and`, `or` and `not` join comparisons."
                raise FormulaError(message, where=_place(text, 0), mend=mend, code="joins_comparisons")


def _is_known(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return type(node.value) in (int, float)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS and not node.keywords
    if isinstance(node, ast.Name):
        return NAME.fullmatch(node.id) is not None
    if isinstance(node, ast.Compare):
        return len(node.ops) == 1
    return isinstance(node, (ast.BinOp, ast.UnaryOp, ast.BoolOp, *_MARKS))


def _number_parts(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp):
        yield from (node.left, node.right)
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.Call):
        yield from node.args
    elif isinstance(node, ast.Compare):
        yield from (node.left, *node.comparators)


def _condition_parts(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.BoolOp):
        yield from node.values
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand


def _say_node(node: ast.AST) -> str:
    if isinstance(node, ast.Call):
        return f"'{ast.unparse(node.func)[:30]}(...)'"
    if isinstance(node, ast.Name):
        return f"the name '{node.id[:40]}'"
    if isinstance(node, ast.Compare):
        return "a chain of comparisons"
    return f"'{ast.unparse(node)[:30]}'" if isinstance(node, ast.expr) else "this sign"


def _place(text: str, index: int) -> str:
    shown = " ".join(text.split())
    return f"formula '{shown[:40]}{'…' if len(shown) > 40 else ''}', character {index + 1}"
