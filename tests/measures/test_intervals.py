"""Intervals hold the true value as often as they say, and quantiles are those of the tables."""

from __future__ import annotations

import math
import random

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.experiments.papers.eduverse.published import published as of_papers
from eduverse_mesa.experiments.papers.simlearner.published import published
from eduverse_mesa.measures.intervals import (
    SHARE,
    bounds_of,
    mean_interval,
    of_difference,
    paired_interval,
    share_interval,
    standardised,
    t_quantile,
    welch_interval,
)
from eduverse_mesa.measures.tutor_outcomes import OUTCOMES, outcome_means, paired_outcomes

NUMBERS = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30)


@pytest.mark.parametrize(
    ("level", "df", "expected"),
    [
        (0.95, 1, 12.7062),
        (0.95, 2, 4.30265),
        (0.95, 5, 2.57058),
        (0.95, 29, 2.04523),
        (0.99, 10, 3.16927),
        (0.5, 3, 0.76489),
    ],
)
def test_quantiles_are_those_of_the_tables(level: float, df: int, expected: float) -> None:
    assert t_quantile(level, df) == pytest.approx(expected, rel=1e-5)


def _coverage(draw: object, times: int = 4000) -> float:
    """How often an interval, drawn anew each time, holds zero."""
    held = 0
    for _ in range(times):
        low, high = draw()  # type: ignore[operator]
        held += low <= 0 <= high
    return held / times


@pytest.mark.parametrize("n", [2, 5, 20])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_a_mean_is_held_as_often_as_said(n: int, level: float) -> None:
    luck = random.Random(n)
    covered = _coverage(lambda: mean_interval([luck.gauss(0, 3) for _ in range(n)], level)[1:3])
    assert covered == pytest.approx(level, abs=0.02)


def test_pairs_with_shared_luck_are_held_and_narrower_than_two_samples() -> None:
    luck = random.Random(3)
    widths: dict[str, list[float]] = {"paired": [], "welch": []}

    def draw() -> tuple[float, float]:
        shared = [luck.gauss(0, 5) for _ in range(8)]
        one, other = ([value + luck.gauss(0, 1) for value in shared] for _ in range(2))
        paired, welch = paired_interval(list(zip(one, other, strict=True))), welch_interval(one, other)
        widths["paired"].append(paired.high - paired.low)
        widths["welch"].append(welch.high - welch.low)
        return paired.low, paired.high

    assert _coverage(draw) == pytest.approx(0.95, abs=0.02)
    assert sum(widths["paired"]) < 0.5 * sum(widths["welch"])


@pytest.mark.parametrize(("first", "second", "spread"), [(5, 5, 1.0), (4, 12, 1.0), (6, 9, 4.0)])
def test_two_samples_of_different_spread_are_held(first: int, second: int, spread: float) -> None:
    luck = random.Random(first)

    def draw() -> tuple[float, float]:
        one = [luck.gauss(0, 1) for _ in range(first)]
        found = welch_interval(one, [luck.gauss(0, spread) for _ in range(second)])
        return found.low, found.high

    assert _coverage(draw) == pytest.approx(0.95, abs=0.025)


@given(NUMBERS)
def test_order_does_not_matter(numbers: list[float]) -> None:
    shuffled = random.Random(1).sample(numbers, len(numbers))
    assert mean_interval(numbers) == pytest.approx(mean_interval(shuffled))
    assert welch_interval(numbers, numbers) == pytest.approx(welch_interval(shuffled, numbers), abs=1e-6)


def test_differences_too_small_to_square_have_an_interval() -> None:
    found = welch_interval([0.0, 1e-100], [0.0, 3e-100])
    assert found.low < found.mean < found.high


@given(NUMBERS, st.floats(-100, 100))
def test_a_shift_shifts_the_interval(numbers: list[float], shift: float) -> None:
    pairs = [(value, value + shift) for value in numbers]
    found = paired_interval(pairs)
    assert found.mean == pytest.approx(shift, abs=1e-6)
    assert found.low - 1e-6 <= shift <= found.high + 1e-6


def test_an_interval_ends_where_its_measure_ends() -> None:
    assert share_interval([0.0, 0.1, 1.0])[1:3] == (0.0, 1.0)
    assert mean_interval([-1.0, 0.0, 1.0], bounds=bounds_of("student.Li Wei.affect"))[1:3] == (-1.0, 1.0)
    assert mean_interval([0.0, 0.0, 3.0], bounds=bounds_of("network.edges")).low == 0.0
    assert str(share_interval([0.0, 0.0]).low) == "0.0"
    for measure in ("bec.c_high", "irf.irf", "equity.participation_by_seat.back", "network.students.Li Wei.in"):
        assert bounds_of(measure) == (0.0, 1.0)
    assert bounds_of("gain") == (-1.0, 1.0)
    assert bounds_of("something else") == (-math.inf, math.inf)


def test_nothing_that_is_told_of_learners_lies_outside_of_what_it_can_be() -> None:
    """Three learners of whom one differs: the widest intervals there are."""
    table = pd.DataFrame({name: [0.0, 0.0, 1.0] for name in OUTCOMES} | {"learner": ["a", "b", "c"]})
    for name, found in outcome_means(table).items():
        least, most = bounds_of(name)
        assert math.isfinite(least), name
        assert least <= found.low <= found.mean <= found.high <= most, name
    other = table.assign(**{name: [1.0, 1.0, 0.0] for name in OUTCOMES})
    for one in paired_outcomes(table, other):
        least, most = of_difference(bounds_of(one.outcome))
        assert least <= one.difference.low <= one.difference.high <= most


def test_nothing_in_the_papers_tables_lies_outside_of_what_it_can_be() -> None:
    for row in of_papers():
        least, most = bounds_of(row.cell.measure)
        assert (least, most) != (-math.inf, math.inf), row.cell.measure
        assert least <= row.paper <= most
    for number in published():
        least, most = bounds_of(number.cell.measure)
        assert (least, most) != (-math.inf, math.inf), number.cell.measure
        assert least <= number.low <= number.high <= most


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=6))
def test_a_difference_of_shares_lies_between_minus_one_and_one(pairs: list[tuple[float, float]]) -> None:
    one, other = [first for first, _ in pairs], [second for _, second in pairs]
    for found in (paired_interval(pairs, bounds=SHARE), welch_interval(one, other, bounds=SHARE)):
        assert -1.0 <= found.low <= found.high <= 1.0
        assert found.low - 1e-9 <= found.mean <= found.high + 1e-9


def test_one_value_has_no_interval_and_none_has_no_mean() -> None:
    assert mean_interval([2.0])[0] == 2
    assert math.isnan(mean_interval([2.0]).low)
    assert mean_interval([float("nan")]).n == 0
    assert math.isnan(mean_interval([]).mean)
    assert mean_interval([1.0, float("nan"), 1.0]) == (1, 1, 1, 2)
    assert welch_interval([1.0], [2.0, 3.0]).n == 1
    assert welch_interval([1.0, 1.0], [2.0, 2.0]) == (1, 1, 1, 2)


def test_the_standardised_difference() -> None:
    assert standardised([1, 2, 3], [3, 4, 5]) == pytest.approx(2 * (1 - 3 / 15))
    assert standardised([1, 1], [1, 1]) == 0
    assert math.isnan(standardised([1, 1], [2, 2]))
    assert math.isnan(standardised([1], [2, 3]))
