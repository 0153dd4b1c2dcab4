"""How far two distributions are apart, and how much of a variance lies between groups."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from eduverse_mesa.measures.tables import NAN

Quantiles = Mapping[float, float]
"""Values of a distribution by the share that lies below."""


def ks_distance(one: Sequence[float], other: Sequence[float]) -> float:
    """The largest difference between the distribution functions of two samples (Kolmogorov and Smirnov)."""
    if not one or not other:
        return NAN
    points = sorted({*one, *other})
    return max(abs(_at_most(one, point) - _at_most(other, point)) for point in points)


def ks_to_quantiles(values: Sequence[float], quantiles: Quantiles) -> float:
    """The same between a sample and a distribution of which only some quantiles are known.

    Between two known quantiles its distribution function is taken as a straight line. Outside of them nothing is known
    but that it lies below the lowest or above the highest share: there a difference counts only as far as it is
    certain. With the 10 % and 90 % quantiles as the outermost, the true distance is at most 0.1 larger.
    """
    if not values:
        return NAN
    ordered = sorted(values)
    known = sorted((value, share) for share, value in quantiles.items())
    points = sorted({*ordered, *(value for value, _ in known)})
    count = len(ordered)
    largest = 0.0
    for point in points:
        below = sum(value < point for value in ordered) / count
        upto = sum(value <= point for value in ordered) / count
        # A distribution function rises at a point from its value just before to its value there.
        for ours, (least, most) in ((below, _before(known, point)), (upto, _upto(known, point))):
            largest = max(largest, least - ours, ours - most)
    return largest


def share_between(groups: Sequence[Sequence[float]]) -> float:
    """The share of the variance that lies between groups: the intraclass correlation of a one-way analysis of
    variance, for groups of unequal size (Donner 1986). Below 0 where groups differ less than chance would have it; NaN
    with less than two groups, or one value a group."""
    filled = [group for group in groups if group]
    total = sum(len(group) for group in filled)
    number = len(filled)
    if number < 2 or total <= number:
        return NAN
    grand = math.fsum(value for group in filled for value in group) / total
    means = [math.fsum(group) / len(group) for group in filled]
    between = math.fsum(len(group) * (mean - grand) ** 2 for group, mean in zip(filled, means, strict=True))
    within = math.fsum((value - mean) ** 2 for group, mean in zip(filled, means, strict=True) for value in group)
    between, within = between / (number - 1), within / (total - number)
    size = (total - math.fsum(len(group) ** 2 for group in filled) / total) / (number - 1)
    spread = between + (size - 1) * within
    return (between - within) / spread if spread > 0 else NAN


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which this share lies, between two values in proportion."""
    if not values:
        return NAN
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def _at_most(values: Sequence[float], point: float) -> float:
    return sum(value <= point for value in values) / len(values)


def _before(known: list[tuple[float, float]], point: float) -> tuple[float, float]:
    """Least and most that a distribution function can be just before a point."""
    lower = [pair for pair in known if pair[0] < point]
    upper = [pair for pair in known if pair[0] >= point]
    return _between(lower, upper, point)


def _upto(known: list[tuple[float, float]], point: float) -> tuple[float, float]:
    """Least and most that it can be at a point."""
    lower = [pair for pair in known if pair[0] <= point]
    upper = [pair for pair in known if pair[0] > point]
    return _between(lower, upper, point)


def _between(lower: list[tuple[float, float]], upper: list[tuple[float, float]], point: float) -> tuple[float, float]:
    if not lower:
        return 0.0, upper[0][1]
    if not upper:
        return lower[-1][1], 1.0
    (left, low), (right, high) = lower[-1], upper[0]
    value = low + (high - low) * (point - left) / (right - left)
    return value, value
