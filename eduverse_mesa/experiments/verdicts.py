"""Verdicts on a statement from an interval: it holds, it is not certain, it does not hold, or it cannot be told."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal

from eduverse_mesa.measures.intervals import Interval

Verdict = Literal["holds", "uncertain", "fails", "unknown"]
LEAST_SEEDS = 2
"""One seed has no interval."""


def verdict_of(value: Interval, least: float = 0.0, most: float = math.inf) -> Verdict:
    """The whole interval between the bounds, the mean only, or neither."""
    mean, low, high, n = value
    if n < LEAST_SEEDS or not math.isfinite(mean):
        return "unknown"
    if not least < mean < most:
        return "fails"
    return "holds" if least < low and high < most else "uncertain"


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """A statement is as good as the worst of its parts."""
    found = set(verdicts)
    order: tuple[Verdict, ...] = ("fails", "unknown", "uncertain")
    return next((one for one in order if one in found), "holds")
