"""Whether two people have said the same amount: quantities in their written form, "8/3 foot/step"."""

from __future__ import annotations

from fractions import Fraction

NEAR = Fraction(1, 100)
"""No two amounts are the same that are further apart, whatever a problem allows."""
PLACES = 4
"""What ends within so many places is exact, and is said so (`wording.py`)."""
_CENTS = 2
_MONEY = ("dollar", "yuan")


def amount_of(written: str) -> Fraction:
    """The number in a written quantity."""
    return Fraction(written.split(" ", 1)[0])


def counts_as(said: str, exact: str, off: Fraction = Fraction(0)) -> bool:
    """Whether somebody who says this gives that amount: it is equal, it is the other rounded because that cannot be
    written out, or it is no further away than the problem allows (`off`). What is exact is never a rounding: 3 is not
    what somebody means who says 302/101."""
    meant, told = amount_of(exact), amount_of(said)
    apart = abs(meant - told)
    if apart == 0:
        return True
    if apart > NEAR * max(abs(meant), abs(told)):
        return False
    unit = said.partition(" ")[2] or exact.partition(" ")[2]
    return apart <= off or _is_rounded(meant, told, _CENTS if unit in _MONEY else PLACES)


def alike(one: str, other: str, off: Fraction = Fraction(0)) -> bool:
    """Whether two quantities of the same variable, and so of the same unit, are one amount where people have said both,
    and either may be the other rounded."""
    return counts_as(one, other, off) or counts_as(other, one, off)


def _is_rounded(exact: Fraction, said: Fraction, places: int) -> bool:
    """Whether somebody can have said this of what does not end within these places: 0.67 of 2/3; also where the rest
    was cut off, 0.66."""
    if _ends(exact, places):
        return False
    told = next((number for number in range(PLACES + 1) if _ends(said, number)), None)
    if told is None:
        return False
    unit = Fraction(1, 10**told)
    is_cut = told > 0 and abs(said) < abs(exact) < abs(said) + unit
    return abs(exact - said) <= unit / 2 or is_cut


def _ends(value: Fraction, places: int) -> bool:
    return bool((value * 10**places).denominator == 1)
