"""How far two distributions are apart, and how much of a variance lies between groups."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

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

    Between two known quantiles its distribution function is taken as a straight line: an estimate, since it may run
    anywhere between the two shares (ks_bounds). Outside of them nothing is known but that it lies below the lowest or
    above the highest share: there a difference counts only as far as it is certain.
    """
    if not values:
        return NAN
    return max(max(0.0, low - ours, ours - high) for ours, low, high in _beside(values, quantiles, _on_the_line))


def ks_bounds(values: Sequence[float], quantiles: Quantiles) -> tuple[float, float]:
    """The least and the largest that the distance can be, whatever runs through these quantiles.

    All that is known between two quantiles is that the distribution function lies between their shares. With 10, 25,
    50, 75 and 90 % a sample of the very distribution may so be 0.25 away from it, for all that anybody can tell: the
    upper bound is never much less, and may be 0.25 more than the estimate.
    """
    if not values:
        return NAN, NAN
    bands = list(_beside(values, quantiles, _anywhere))
    least = max(max(0.0, low - ours, ours - high) for ours, low, high in bands)
    return least, max(max(ours - low, high - ours) for ours, low, high in bands)


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


Known = list[tuple[float, float]]
"""Value and share of each quantile, in order."""
Between = Callable[[Known, Known, float], tuple[float, float]]
"""Least and most that a distribution function can be at a point, by the quantiles below and above it."""


def _beside(values: Sequence[float], quantiles: Quantiles, between: Between) -> Iterator[tuple[float, float, float]]:
    """Our distribution function, and least and most of the other, wherever one of them rises: just before and there."""
    ordered = sorted(values)
    known = sorted((value, share) for share, value in quantiles.items())
    count = len(ordered)
    for point in sorted({*ordered, *(value for value, _ in known)}):
        before = [pair for pair in known if pair[0] < point]
        after = [pair for pair in known if pair[0] > point]
        below = sum(value < point for value in ordered) / count
        upto = sum(value <= point for value in ordered) / count
        yield (below, *between(before, known[len(before) :], point))
        yield (upto, *between(known[: len(known) - len(after)], after, point))


def _on_the_line(lower: Known, upper: Known, point: float) -> tuple[float, float]:
    if not lower or not upper:
        return _anywhere(lower, upper, point)
    (left, low), (right, high) = lower[-1], upper[0]
    value = low + (high - low) * (point - left) / (right - left)
    return value, value


def _anywhere(lower: Known, upper: Known, _: float) -> tuple[float, float]:
    return lower[-1][1] if lower else 0.0, upper[0][1] if upper else 1.0


def _at_most(values: Sequence[float], point: float) -> float:
    return sum(value <= point for value in values) / len(values)
