"""What a plain YAML scalar means, by the core schema of YAML 1.2 (section 10.3): `no`, `12:30` and dates stay text."""

from __future__ import annotations

import re

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o([0-7]+)")
_HEXADECIMAL = re.compile(r"0x([0-9a-fA-F]+)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INFINITE = re.compile(r"([-+]?)\.(?:inf|Inf|INF)")
_NOT_A_NUMBER = frozenset({".nan", ".NaN", ".NAN"})
# Python refuses to read endless integers, and no quantity of a lesson needs more digits.
MAX_DIGITS = 100


def resolve_scalar(text: str) -> bool | int | float | str | None:
    """The value of a plain scalar; ValueError for a number with too many digits."""
    if text in _NULL:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    number = _resolve_number(text)
    return text if number is None else number


def _resolve_number(text: str) -> int | float | None:
    if text[:1] not in "+-.0123456789":
        return None
    if match := _INFINITE.fullmatch(text):
        return float(f"{match[1]}inf")
    if text in _NOT_A_NUMBER:
        return float("nan")
    for form, base in ((_INTEGER, 10), (_OCTAL, 8), (_HEXADECIMAL, 16)):
        if match := form.fullmatch(text):
            _limit(text)
            return int(match[match.lastindex or 0], base)
    if _FLOAT.fullmatch(text):
        _limit(text)
        return float(text)
    return None


def _limit(text: str) -> None:
    if len(text) > MAX_DIGITS:
        raise ValueError(f"a number has more than {MAX_DIGITS} digits")
