"""Means with intervals, and differences of means: by Student's t.

A lesson over seeds is a handful of independent draws; their mean is what a scenario is expected to do, and the interval
says how well that is known. The interval of a difference is over pairs where both sides had the same luck (a paired t),
else over two independent samples (Welch 1947).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from eduverse_mesa.measures.bec import BEC_COLUMNS
from eduverse_mesa.measures.tables import NAN

LEVEL = 0.95
"""How often such an interval holds the true value."""


FEW = 5
"""With fewer values than that an interval says next to nothing, and what it says rests on the shape of the
distribution."""

Bounds = tuple[float, float]

UNBOUNDED: Bounds = (-math.inf, math.inf)
SHARE: Bounds = (0.0, 1.0)


class Interval(NamedTuple):
    """A mean, or a difference of means, with its interval; NaN bounds where a single number has none."""

    mean: float
    low: float
    high: float
    n: int


@lru_cache(maxsize=1024)
def t_quantile(level: float, df: int) -> float:
    """The t within which a share `level` of the distribution lies on both sides of zero."""
    if not 0 < level < 1 or df < 1:
        raise ValueError(f"no quantile of level {level} with {df} degrees of freedom")
    from scipy.special import stdtrit

    return float(stdtrit(df, (1 + level) / 2))


def mean_interval(values: Sequence[float], level: float = LEVEL, bounds: Bounds = UNBOUNDED) -> Interval:
    """The mean of independent values; what could not be measured (NaN) is left out.

    Where no value can lie outside of some bounds, their mean cannot either, and the interval ends there.
    """
    found = [value for value in values if math.isfinite(value)]
    n = len(found)
    if n == 0:
        return Interval(NAN, NAN, NAN, 0)
    mean = math.fsum(found) / n
    if n == 1:
        return Interval(mean, NAN, NAN, 1)
    half = t_quantile(level, n - 1) * math.sqrt(_variance(found, mean) / n)
    return within(Interval(mean, mean - half, mean + half, n), bounds)


def within(interval: Interval, bounds: Bounds) -> Interval:
    """The interval as far as it lies within some bounds; one without ends has none."""
    if not math.isfinite(interval.low):
        return interval
    # `+ 0.0`: no negative zero.
    return interval._replace(low=max(interval.low, bounds[0]) + 0.0, high=min(interval.high, bounds[1]) + 0.0)


def share_interval(values: Sequence[float], level: float = LEVEL) -> Interval:
    """The same for shares: their mean is one, too, and so is whatever the interval holds."""
    return mean_interval(values, level, SHARE)


def paired_interval(pairs: Sequence[tuple[float, float]], level: float = LEVEL, bounds: Bounds = UNBOUNDED) -> Interval:
    """The mean of second minus first, where both of a pair had the same luck; `bounds` are those of the values."""
    return mean_interval([second - first for first, second in pairs], level, of_difference(bounds))


def of_difference(bounds: Bounds) -> Bounds:
    """The least and the most that two values within some bounds can differ by."""
    return bounds[0] - bounds[1], bounds[1] - bounds[0]


def welch_interval(
    one: Sequence[float], other: Sequence[float], level: float = LEVEL, bounds: Bounds = UNBOUNDED
) -> Interval:
    """The mean of the other minus the mean of one, of two independent samples; `n` is the smaller of the two."""
    first, second = ([value for value in values if math.isfinite(value)] for values in (one, other))
    n = min(len(first), len(second))
    if n == 0:
        return Interval(NAN, NAN, NAN, 0)
    means = [math.fsum(values) / len(values) for values in (first, second)]
    difference = means[1] - means[0]
    if n == 1:
        return Interval(difference, NAN, NAN, 1)
    errors = [_variance(values, mean) / len(values) for values, mean in zip((first, second), means, strict=True)]
    error = sum(errors)
    if error == 0:
        return Interval(difference, difference, difference, n)
    # Welch and Satterthwaite; rounded down, which makes the interval a little wider.
    shares = [part / error for part in errors]
    df = 1 / sum(share**2 / (len(values) - 1) for share, values in zip(shares, (first, second), strict=True))
    half = t_quantile(level, max(int(df), 1)) * math.sqrt(error)
    return within(Interval(difference, difference - half, difference + half, n), of_difference(bounds))


def standardised(one: Sequence[float], other: Sequence[float]) -> float:
    """The difference of means in standard deviations (Cohen's d with Hedges' correction); NaN where nothing varies."""
    first, second = ([value for value in values if math.isfinite(value)] for values in (one, other))
    df = len(first) + len(second) - 2
    if min(len(first), len(second)) < 2:
        return NAN
    means = [math.fsum(values) / len(values) for values in (first, second)]
    spread = sum(
        _variance(values, mean) * (len(values) - 1) for values, mean in zip((first, second), means, strict=True)
    )
    if spread <= 0:
        return 0.0 if means[0] == means[1] else NAN
    return (means[1] - means[0]) / math.sqrt(spread / df) * (1 - 3 / (4 * df - 1))


def _variance(values: Sequence[float], mean: float) -> float:
    return math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)


COUNT: Bounds = (0.0, math.inf)

SIGNED: Bounds = (-1.0, 1.0)
SCORE: Bounds = (1.0, 10.0)
"""Bounds of a score as judges give it."""

_WHOLE_GROUPS = {
    **dict.fromkeys(("bec", "irf", "equity", "evolution", "task"), SHARE),
    "outcomes": COUNT,
}
"""Groups of a run's document, and of the papers' tables, in which all are of one kind."""

_BY_NAME = {
    **dict.fromkeys(BEC_COLUMNS, SHARE),
    **dict.fromkeys(("density", "in", "out", "betweenness"), SHARE),
    **dict.fromkeys(("attention", "confidence", "understanding"), SHARE),
    **dict.fromkeys(("share", "prefix_hits"), SHARE),
    **dict.fromkeys(("steps", "nodes", "edges", "average_degree", "degree"), COUNT),
    **dict.fromkeys(("wishes", "gave_way", "calls", "tokens_in", "tokens_out", "cost_usd", "count"), COUNT),
    "affect": SIGNED,
    # Of learners with a tutor.
    **dict.fromkeys(("pre", "post", "delayed", "left_behind", "mastered"), SHARE),
    **dict.fromkeys(("leaks", "test_leaks", "leaks_in_tests", "told", "told_first"), SHARE),
    **dict.fromkeys(("gain", "delayed_gain", "normalised_gain"), SIGNED),
    **dict.fromkeys(("kept", "dialogues_to_mastery", "turns"), COUNT),
    # Of the papers' tables.
    **dict.fromkeys(("delta_b_pos", "delta_e_pos", "delta_c_pos", "delta_overall"), SIGNED),
    **dict.fromkeys(("recall", "precision", "f1", "alignment", "alignment_precision", "alignment_recall"), SHARE),
    **dict.fromkeys(("mastery", "mastery_of_expected", "familiar", "above", "kind"), SHARE),
    "coverage": COUNT,
    "score": SCORE,
}


def bounds_of(measure: str) -> Bounds:
    """The least and the most of a measure by its dotted name, such as `bec.b_active` or `student.Li Wei.affect`."""
    whole = _WHOLE_GROUPS.get(measure.partition(".")[0])
    return _BY_NAME.get(measure.rpartition(".")[2], UNBOUNDED) if whole is None else whole
