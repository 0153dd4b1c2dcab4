"""How codes and numbers are said to a reader, the same in every chart and report."""

from __future__ import annotations

import unicodedata
from typing import Any

from eduverse_mesa.measures.codes import LETTERS, LEVEL_NAMES

LEVEL_WORDS = {
    "offtask": "off task",
    "passive": "passive",
    "active": "active",
    "interactive": "interactive",
    "positive": "positive",
    "confused": "confused",
    "negative": "negative",
    "low": "lower order",
    "high": "higher order",
}

LEVELS_IN_ORDER = {
    "behaviour": LEVEL_NAMES["behaviour"],
    "emotion": tuple(reversed(LEVEL_NAMES["emotion"])),
    "cognition": LEVEL_NAMES["cognition"],
}
"""As EduVerse's Table A9 lists them."""

NOT_MEASURED = "–"


def measure_of(dimension: str, level: str) -> str:
    """The name of a level's share among the measures: b_offtask."""
    return f"{LETTERS[dimension]}_{level}"


def spoken(code: object) -> str:
    """A code as words: answer_question, answer question."""
    return str(code).replace("_", " ")


def plain_line(text: object) -> str:
    """Text of people or models as one line without control characters: those could steer a terminal, or turn the
    reading direction of what follows."""
    flat = " ".join(str(text).split())
    return "".join(character for character in flat if unicodedata.category(character) not in ("Cc", "Cf", "Cs"))


def is_number(value: Any) -> bool:
    """A measured number: neither missing nor NaN."""
    return isinstance(value, (int, float)) and value == value


def percent(value: Any) -> str:
    """A share as a whole percentage."""
    return f"{value:.0%}" if is_number(value) else NOT_MEASURED


def number(value: Any, digits: int = 2) -> str:
    """A measure with a fixed number of digits."""
    return f"{value:.{digits}f}" if is_number(value) else NOT_MEASURED


def counted(many: int, one: str, more: str = "") -> str:
    """1 wish, 2 wishes."""
    return f"{many} {one if many == 1 else more or one + 's'}"
