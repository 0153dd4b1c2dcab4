"""Draws with an address."""

from __future__ import annotations

from collections import Counter
from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.randomness import Address, choose, choose_softmax, choose_weighted, normal, uniform

ADDRESSES = st.builds(Address, st.integers(0, 2**63), st.integers(1, 9), st.integers(0, 99), st.text(max_size=20))
AT = Address(1, 1, 1, "Ann")


@given(ADDRESSES, st.text(max_size=20))
def test_a_draw_is_a_function_of_its_address(at: Address, purpose: str) -> None:
    assert uniform(at, purpose) == uniform(Address(*at), purpose)
    assert 0 <= uniform(at, purpose) < 1


@given(ADDRESSES)
def test_every_part_of_the_address_matters(at: Address) -> None:
    others = [
        at._replace(seed=at.seed + 1),
        at._replace(lesson=at.lesson + 1),
        at._replace(step=at.step + 1),
        at._replace(agent=at.agent + "x"),
    ]
    draws = {uniform(address, "plan") for address in [at, *others]} | {uniform(at, "words")}
    assert len(draws) == 6


def test_lengths_of_names_cannot_be_confused() -> None:
    assert uniform(Address(1, 1, 11, "a"), "p") != uniform(Address(1, 11, 1, "a"), "p")
    assert uniform(Address(1, 1, 1, "ab"), "c") != uniform(Address(1, 1, 1, "a"), "bc")


def test_this_number_is_the_same_on_every_machine() -> None:
    # Computed once: a change here changes every recorded run.
    assert uniform(AT, "plan") == 0.8236537768267941


def test_draws_are_uniform_and_normal_ones_normal() -> None:
    draws = [uniform(AT._replace(step=step), "u") for step in range(20_000)]
    assert fmean(draws) == pytest.approx(0.5, abs=0.01)
    bins = Counter(int(draw * 10) for draw in draws)
    assert max(bins.values()) - min(bins.values()) < 300
    normals = [normal(AT._replace(step=step), "n") for step in range(20_000)]
    assert fmean(normals) == pytest.approx(0, abs=0.03)
    assert stdev(normals) == pytest.approx(1, abs=0.03)


def test_choices_follow_their_weights() -> None:
    chosen = Counter(choose_weighted(AT._replace(step=s), "w", "abc", [1, 2, 1]) for s in range(8000))
    assert chosen["b"] / 8000 == pytest.approx(0.5, abs=0.03)
    even = Counter(choose(AT._replace(step=s), "c", "ab") for s in range(8000))
    assert even["a"] / 8000 == pytest.approx(0.5, abs=0.03)


@given(ADDRESSES, st.lists(st.floats(-900, 900), min_size=1, max_size=8))
def test_softmax_takes_any_utilities(at: Address, utilities: list[float]) -> None:
    assert choose_softmax(at, "s", range(len(utilities)), utilities) in range(len(utilities))


def test_softmax_prefers_what_is_better() -> None:
    chosen = Counter(choose_softmax(AT._replace(step=s), "s", "ab", [0.0, 1.0]) for s in range(8000))
    assert chosen["b"] / 8000 == pytest.approx(0.731, abs=0.03)
