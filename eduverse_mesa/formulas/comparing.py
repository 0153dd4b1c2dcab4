"""Whether two people have said the same amount: quantities in their written form, "8/3 foot/step"."""

from __future__ import annotations

from fractions import Fraction

_NEAR = Fraction(1, 100)
"""Who says 0.67 means two thirds."""


def amount_of(written: str) -> Fraction:
    """The number in a written quantity."""
    return Fraction(written.split(" ", 1)[0])


def alike(one: str, other: str) -> bool:
    """Whether two quantities of the same variable, and so of the same unit, are one amount, give or take rounding."""
    first, second = amount_of(one), amount_of(other)
    return abs(first - second) <= _NEAR * max(abs(first), abs(second))
