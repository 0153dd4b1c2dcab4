"""A few curves that agents and policies share."""

from __future__ import annotations

from math import exp


def logistic(x: float) -> float:
    """1 / (1 + e^-x), for any x."""
    if x < -40.0:
        return 0.0
    return 1.0 / (1.0 + exp(-x)) if x < 40.0 else 1.0


def clamp(x: float, low: float = 0.0, high: float = 1.0) -> float:
    """x, kept between low and high."""
    return low if x < low else high if x > high else x
