"""What is varied, and from where to where.

The documented range of a parameter says what it may be set to at all, and is often far wider than what anybody doubts:
a weight of -2.6 may be anything from -6 to 6. So a parameter is varied by half of its own size on both sides, within
its range; one that is 0, whose size says nothing, by a tenth of its range. The share can be changed, and can be taken
of the range instead.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.scenarios.parameters import known_parameters, load_parameters
from eduverse_mesa.scenarios.problems import suggest

SPREAD: Mapping[str, float] = {"value": 0.5, "range": 0.25}
"""How far to each side, as a share of the parameter's own value, or of its documented range."""
_OF_RANGE_AT_ZERO = 0.1
_SHORT = {"interest": "lessons.0.interest", "demand": "lessons.0.demand"}
OPTIONS = ("students", "steps", "sessions")
"""Factors that are options of a scenario and no values in it."""
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"


@dataclass(frozen=True)
class Input:
    """One number that is varied."""

    name: str
    low: float
    high: float
    kind: Literal["parameter", "factor"]
    whole: bool = False
    """Whether only whole numbers make sense: 24 students, not 24.5."""

    @property
    def key(self) -> str:
        """What is changed in a scenario."""
        return _SHORT.get(self.name, self.name)

    def at(self, value: float) -> float:
        """A drawn value as it is used."""
        return min(max(float(math.floor(value + 0.5)), self.low), self.high) if self.whole else value


def choose_parameters(
    globs: Iterable[str],
    around: str = "value",
    spread: float | None = None,
    changed: Mapping[str, float] | None = None,
) -> tuple[Input, ...]:
    """The parameters whose names match, in their order; `changed` are the scenario's own values."""
    if around not in SPREAD:
        raise EduverseError(
            f"'{around[:40]}' is nothing to vary around.", where="around", mend=f"Take {' or '.join(SPREAD)}."
        )
    share = SPREAD[around] if spread is None else spread
    if not 0 < share <= 1:
        raise EduverseError(f"{share:g} is no share.", where="spread", mend="Give a number above 0, at most 1.")
    known, values = known_parameters(), load_parameters(changed)
    chosen: dict[str, Input] = {}
    for glob in globs:
        found = [name for name in known if fnmatchcase(name, glob)]
        if not found:
            raise EduverseError(
                f"no parameter is called like '{glob[:80]}'.",
                where="parameters",
                mend=f"{suggest(glob, known)}See docs/reference/parameters.md; write for example 'attention.*'.",
            )
        for name in found:
            low, high = known[name].range
            value, width = values[name], high - low
            half = share * (width if around == "range" else abs(value) or _OF_RANGE_AT_ZERO * width)
            chosen[name] = Input(name, max(low, value - half), min(high, value + half), "parameter")
    return tuple(chosen[name] for name in known if name in chosen)


def read_factor(text: str) -> Input:
    """`students=20:30` or `interest=0.2:0.8` as a factor of the scenario."""
    match = re.fullmatch(rf"\s*([^=\s]+)\s*=\s*({_NUMBER})\s*:\s*({_NUMBER})\s*", text)
    if match is None:
        raise EduverseError(
            f"'{text[:60]}' is no factor.", where="factors", mend="Write KEY=LOW:HIGH, such as students=20:30."
        )
    name, low, high = match[1], float(match[2]), float(match[3])
    if not low < high < math.inf:
        raise EduverseError(f"{low:g} is not below {high:g}.", where=f"factors={text[:60]}", mend="Swap the two.")
    whole = all(re.fullmatch(r"[+-]?\d+", bound) for bound in match.group(2, 3))
    if name in OPTIONS and not whole:
        raise EduverseError(
            f"{name} are whole numbers.", where=f"factors={text[:60]}", mend=f"Write for example {name}=20:30."
        )
    return Input(name, low, high, "factor", whole)


def check_inputs(inputs: Sequence[Input]) -> None:
    """Stop where there is nothing to vary, or where one thing would be varied twice."""
    if not inputs:
        raise EduverseError(
            "nothing is varied.",
            where="sensitivity",
            mend="Name parameters such as 'attention.*', or factors such as students=20:30.",
        )
    keys = [one.key for one in inputs]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        raise EduverseError(f"{twice} is varied twice.", where="factors", mend="Give it once.")
