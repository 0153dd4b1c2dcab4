"""Distances of distributions, and shares of variance: against values worked out otherwise."""

from __future__ import annotations

import math
import random
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.experiments.realism.measures import ks_bounds, ks_distance, ks_to_quantiles, quantile, share_between

NORMAL = NormalDist(5, 2)
QUANTILES = {share: NORMAL.inv_cdf(share) for share in (0.1, 0.25, 0.5, 0.75, 0.9)}
values = st.lists(st.floats(-100, 100), min_size=1, max_size=30)


def test_ks_of_two_samples_by_hand() -> None:
    assert ks_distance([1, 2, 3, 4], [3, 4, 5, 6]) == pytest.approx(0.5)
    assert ks_distance([1, 1], [2]) == 1.0
    assert ks_distance([], [1.0]) != ks_distance([], [1.0])


@given(values, values)
def test_ks_agrees_with_the_distribution_functions_themselves(one: list[float], other: list[float]) -> None:
    points = np.array(one + other)
    steps = [np.searchsorted(np.sort(sample), points, side="right") / len(sample) for sample in (one, other)]
    assert ks_distance(one, other) == pytest.approx(float(np.abs(steps[0] - steps[1]).max()))


def test_a_sample_of_the_distribution_itself_is_near_its_quantiles() -> None:
    drawn = [NORMAL.inv_cdf((place + 0.5) / 400) for place in range(400)]
    assert ks_to_quantiles(drawn, QUANTILES) < 0.04  # what straight lines between quantiles cost


def test_the_true_distance_lies_between_its_bounds_and_so_does_the_estimate() -> None:
    luck = random.Random(3)
    reference = [NORMAL.inv_cdf((place + 0.5) / 2000) for place in range(2000)]
    for shift, scale in ((0, 1), (1, 1), (4, 1), (-3, 1), (0, 0.3), (0, 3), (30, 1)):
        drawn = [shift + 5 + (luck.gauss(5, 2) - 5) * scale for _ in range(200)]
        least, most = ks_bounds(drawn, QUANTILES)
        assert least <= ks_to_quantiles(drawn, QUANTILES) <= most
        assert least - 0.001 <= ks_distance(drawn, reference) <= most + 0.001


def test_what_a_straight_line_hides_is_within_the_bounds() -> None:
    """Between the quartile and the median all real lessons may have one value, and ours be spread evenly."""
    evenly = [-0.5, 0, 1, 2, 3, 4, 4.5]
    ours = [float(np.interp((place + 0.5) / 2000, [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1], evenly)) for place in range(2000)]
    real = [1.0 + (value - 1) * 1e-6 if 1 <= value < 1.99 else value for value in ours]
    known = {share: quantile(real, share) for share in (0.1, 0.25, 0.5, 0.75, 0.9)}
    assert ks_to_quantiles(ours, known) < 0.01
    assert ks_distance(ours, real) == pytest.approx(0.25, abs=0.01)
    least, most = ks_bounds(ours, known)
    assert least == 0
    assert most == pytest.approx(0.25, abs=0.01)


def test_bounds_by_hand() -> None:
    assert ks_bounds([5.0], {0.5: 5.0}) == (0.0, 0.5)
    assert ks_bounds([6.0], {0.5: 5.0}) == (0.5, 1.0)  # the upper half may all lie beyond 6, or just at 5
    assert all(math.isnan(bound) for bound in ks_bounds([], QUANTILES))


@given(values, st.lists(st.floats(-100, 100), min_size=5, max_size=5))
def test_some_distribution_with_these_quantiles_is_as_far_as_the_upper_bound(
    found: list[float], places: list[float]
) -> None:
    """The farthest has all that lies between two quantiles at the lower of them, or all at the upper."""
    known = dict(zip((0.1, 0.25, 0.5, 0.75, 0.9), sorted(places), strict=True))
    least, most = ks_bounds(found, known)
    shares, ends = [0.0, *known, 1.0], [-1e9, *known.values(), 1e9]
    steps = np.diff(shares)
    distances = [_apart(found, list(zip(at, steps, strict=True))) for at in (ends[:-1], ends[1:])]
    assert least <= min(distances) + 1e-9
    assert max(distances) == pytest.approx(most)
    assert least <= ks_to_quantiles(found, known) <= most


def _apart(found: list[float], jumps: list[tuple[float, float]]) -> float:
    """KS distance from a distribution of jumps."""
    points = sorted({*found, *(place for place, _ in jumps)})
    apart = 0.0
    for point in points:
        for ours, real in (
            (sum(value < point for value in found), sum(share for place, share in jumps if place < point)),
            (sum(value <= point for value in found), sum(share for place, share in jumps if place <= point)),
        ):
            apart = max(apart, abs(ours / len(found) - real))
    return apart


def test_what_lies_outside_of_the_known_quantiles_counts_as_far_as_it_is_certain() -> None:
    assert ks_to_quantiles([100.0] * 5, QUANTILES) == pytest.approx(0.9)
    assert ks_to_quantiles([-100.0] * 5, QUANTILES) == pytest.approx(0.9)
    assert ks_to_quantiles([5.0] * 5, QUANTILES) == pytest.approx(0.5)


def test_quantiles_that_fall_together_are_a_jump() -> None:
    jump = {0.1: 0.0, 0.25: 0.0, 0.5: 0.0, 0.75: 1.0, 0.9: 2.0}
    rising = [4 * (place / 100 - 0.5) for place in range(51, 75)]
    beyond = [1 + (place / 100 - 0.75) / 0.15 for place in range(75, 100)]
    assert ks_to_quantiles([0.0] * 51 + rising + beyond, jump) <= 0.02
    assert ks_to_quantiles([0.001] * 51 + rising + beyond, jump) == pytest.approx(0.5, abs=0.01)


@given(values, st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]))
def test_quantiles_agree_with_numpy(found: list[float], share: float) -> None:
    assert quantile(found, share) == pytest.approx(float(np.quantile(found, share)))


def test_share_between_groups_by_hand() -> None:
    assert share_between([[1.0, 1.0], [3.0, 3.0]]) == pytest.approx(1.0)
    # Mean squares: between (2 * 1 + 2 * 1) / 1 = 4, within (2 + 2) / 2 = 2.
    assert share_between([[1.0, 3.0], [3.0, 5.0]]) == pytest.approx((4 - 2) / (4 + 2))
    assert share_between([[1.0, 2.0]]) != share_between([[1.0, 2.0]])


def test_share_between_groups_finds_what_was_planted() -> None:
    luck = random.Random(1)
    groups = []
    for _ in range(400):
        level = luck.gauss(0, 1)
        groups.append([level + luck.gauss(0, 2) for _ in range(luck.randint(3, 7))])
    assert share_between(groups) == pytest.approx(1 / 5, abs=0.04)
