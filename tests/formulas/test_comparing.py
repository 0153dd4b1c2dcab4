"""Which amounts count as the same: exact ones only where they are, and roundings only of what has to be rounded."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.formulas.wording import alike, counts_as


@pytest.mark.parametrize(
    ("exact", "said"),
    [
        ("2/3", "67/100"),
        ("2/3", "667/1000"),
        ("2/3", "33/50"),  # cut off at 0.66
        ("100/3", "333/10 mile"),
        ("100/3", "33"),
        ("5/3 cup", "83/50 cup"),  # 1.66
        ("5/3 cup", "167/100 cup"),
        ("3000/13 dollar", "231 dollar"),
        ("400/3 message", "133 message"),
        ("400/3 message", "1333/10 message"),
        ("18/85 dollar", "21/100 dollar"),
        ("-2/3", "-67/100"),
        ("49381/4000 dollar", "247/20 dollar"),  # $12.34525 is $12.35, since cents are the last that is paid in
        ("3 foot/step", "3 foot/step"),
        ("0", "0"),
    ],
)
def test_what_does_not_terminate_may_be_rounded_to_the_places_that_are_said(exact: str, said: str) -> None:
    assert alike(exact, said)
    assert alike(said, exact)


@pytest.mark.parametrize(
    ("exact", "said"),
    [
        ("231 dollar", "230 dollar"),
        ("805 message", "804 message"),
        ("60 mile^2", "601/10 mile^2"),
        ("2/3", "7/10"),
        ("2/3", "0"),
        ("1/3", "3/10"),
        ("2/3", "17/25"),  # 0.68 is within 2 % and is no rounding
        ("100/3", "331/10"),  # 33.1 is within 1 % and is no rounding
        ("3000/13 dollar", "230 dollar"),
        ("121/8 foot", "151/10 foot"),  # 15.125 is no longer than people can write
        ("121/8 foot", "1513/100 foot"),
        ("1399/20 dollar", "70 dollar"),
        ("2/3", "-2/3"),
        ("0", "1/100"),
    ],
)
def test_what_is_exact_is_compared_exactly(exact: str, said: str) -> None:
    assert not alike(exact, said)
    assert not alike(said, exact)


def test_as_much_as_a_problem_allows_and_never_more_than_one_percent() -> None:
    assert alike("231 dollar", "230 dollar", Fraction(1))
    assert not alike("231 dollar", "229 dollar", Fraction(1))
    assert not alike("231 dollar", "220 dollar", Fraction(20))


@given(st.fractions(min_value=-1000, max_value=1000, max_denominator=400), st.integers(0, 4))
def test_nothing_is_looser_than_one_percent_and_each_is_like_itself(exact: Fraction, places: int) -> None:
    said = Fraction(round(exact * 10**places), 10**places)
    assert alike(str(exact), str(exact))
    assert not alike(str(exact), str(said)) or abs(exact - said) <= max(abs(exact), abs(said)) / 100
    assert alike(str(exact), str(said)) == alike(str(said), str(exact))


@pytest.mark.parametrize(
    ("said", "exact"),
    [
        ("302123/100000", "3 foot/step"),
        ("302/101 foot/step", "3 foot/step"),
        ("15057/125 dollar", "120 dollar"),  # $120.456
        ("361/3 dollar", "120 dollar"),
        ("181/3 mile^2", "60 mile^2"),
        ("1201/3 message", "400 message"),
        ("400001/1000 message", "400 message"),
    ],
)
def test_what_is_exact_is_no_rounding_of_what_somebody_says(said: str, exact: str) -> None:
    assert not counts_as(said, exact)


def test_what_somebody_says_may_be_the_rounding_of_what_does_not_terminate() -> None:
    assert counts_as("67/100", "2/3")
    assert not counts_as("2/3", "67/100")
    assert counts_as("2/3", "2/3")
