"""Prices from the packaged list and from a user's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.llm.calling import Price, PriceList


def test_the_packaged_list() -> None:
    prices = PriceList.packaged()
    assert prices.as_of
    assert (
        PriceList.load().of("gpt-4o-mini")
        == PriceList.load().of("openai/gpt-4o-mini-2024-07-18")
        == Price(0.15, 0.6, 0.075)
    )
    assert PriceList.load().of("gpt-4.1") != PriceList.load().of("gpt-4.1-mini")
    assert PriceList.load().of("my-own-model") is None
    assert PriceList.load().of("gpt-4o-audio-preview") is None  # a beginning alone is no match


def test_cached_tokens_cost_less_where_a_list_says_so() -> None:
    assert Price(2.0, 8.0, 0.5).cost(1_000_000, 100_000, 400_000) == pytest.approx(1.2 + 0.2 + 0.8)
    assert Price(2.0, 8.0).cost(1_000_000, 0, 400_000) == 2.0
    assert Price(2.0, 8.0, 0.5).cost(10, 0, 20) == pytest.approx(10 * 0.5 / 1e6)


def test_a_list_of_ones_own_comes_first(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text("as_of: today\nmodels:\n  gpt-4o-mini*: {in: 1, out: 2}\n  mine: {in: 0, out: 0}\n")
    assert PriceList.load(path).of("gpt-4o-mini") == Price(1, 2)
    assert PriceList.load(path).of("mine") == Price(0, 0)
    assert PriceList.load(path).of("gpt-4.1") == PriceList.load().of("gpt-4.1")
    assert PriceList.load(path).as_of == "today"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "names no `models`"),
        ("models: 3", "names no `models`"),
        ("models: {m: 3}", "needs `in` and `out`"),
        ("models: {m: {in: 1}}", "needs `in` and `out`"),
        ("models: {m: {in: 1, out: 2, more: 3}}", "needs `in` and `out`"),
        ("models: {m: {in: -1, out: 2}}", "no amount"),
        ("models: {m: {in: .nan, out: 2}}", "no amount"),
        ("models: {m: {in: yes, out: 2}}", "no amount"),
        ("models: {m: {in: '1', out: 2}}", "no amount"),
    ],
)
def test_a_list_that_is_none(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(text)
    with pytest.raises(PolicyError, match=words) as caught:
        PriceList.load(path)
    assert caught.value.where == str(path)
    assert "models:" in caught.value.mend


@pytest.mark.parametrize("text", ["models: [", "", "a: &a 1\nb: *a", "[" * 5000, "models: {m: 1, m: 2}"])
def test_what_is_no_yaml_of_ours(tmp_path: Path, text: str) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(text)
    with pytest.raises(PolicyError) as caught:
        PriceList.load(path)
    assert str(path) in caught.value.where
    assert caught.value.mend


def test_a_list_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="cannot be read"):
        PriceList.load(tmp_path / "none.yaml")
