"""Amounts that stand beside one another: "100 miles is 20 gallons", "3 feet for 2 steps", "3 feet is a yard". None of
them is said for one, so that none is the answer to a question for one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations

from eduverse_mesa.decisions.collaboration import Sheet
from eduverse_mesa.errors import FormulaError
from eduverse_mesa.formulas import Quantity, Units, read_quantity
from eduverse_mesa.policies.embedded.collaboration.hearing import Ear, pattern
from eduverse_mesa.policies.embedded.collaboration.numbers import Found, Shown
from eduverse_mesa.policies.embedded.collaboration.roles import clause_of

_NUMBERED = re.compile(r"第[\d,和 ]*$")
"""第2步 is one of the steps."""


class Ratios:
    """The amounts of one message that belong together."""

    def __init__(
        self, ear: Ear, text: str, found: Sequence[Found], shown: Sequence[Shown], *, sheet: Sheet, units: Units
    ) -> None:
        self._ear, self._text, self._units = ear, text, units
        self._worked = [(each.start, each.end) for each in shown]
        self._found = [one for one in (*found, *self._halves()) if not self._is_worked(one)]
        self._givens = [read_quantity(one.value, units) for one in sheet.givens]

    def _is_worked(self, one: Found) -> bool:
        return any(start <= one.start < end + 3 for start, end in self._worked)

    def _halves(self) -> list[Found]:
        """Half a yard."""
        found: list[Found] = []
        for match in pattern(self._ear.patterns("half_of_one")[0]).finditer(self._text):
            unit = self._units.find(match["unit"])
            if unit is not None:
                found.append(Found(match.start(), match.end(), Quantity(Fraction(1, 2), unit), False))
        return found

    def other(self, one: Found) -> Found | None:
        """The amount of something else, not of one of it, for which this one is."""
        if self._is_worked(one) or "/" in one.quantity.unit:
            return None
        every = self._beside(one)
        beside = [
            each
            for each in every
            if each.quantity.value != 1 and self._belongs(one, each) and not self._is_told(each, every)
        ]
        return min(beside, key=lambda each: abs(each.start - one.start), default=None)

    def is_true(self, one: Found, other: Found) -> bool:
        """Whether the two stand to one another as what the statement gives."""
        first, second = one.quantity, other.quantity
        for above, below in permutations(self._givens, 2):
            upper, lower = self._in(first, above.unit), self._in(second, below.unit)
            if upper is None or lower is None or above.unit == below.unit:
                continue
            if upper * below.value == lower * above.value:
                return True
        return any(self._is_at(rate, first, second) or self._is_at(rate, second, first) for rate in self._givens)

    def is_conversion(self, one: Found) -> bool:
        """Whether it is only said in another unit: 12 inches are a foot."""
        return any(self._is_same(one.quantity, each.quantity) for each in self._beside(one))

    def _beside(self, one: Found) -> list[Found]:
        start, end = clause_of(self._ear, self._text, one)
        return [each for each in self._found if start <= each.start < end and each is not one]

    def _is_told(self, one: Found, every: Sequence[Found]) -> bool:
        """Whether it belongs to another beside it, as the statement gives both: 60 feet for 20 steps is 3 feet each."""
        units = [each for each in every if each is not one and each.quantity.unit and one.quantity.unit]
        return any(each.quantity in self._givens and one.quantity in self._givens for each in units)

    def _belongs(self, one: Found, other: Found) -> bool:
        """Whether the other may be what this is for: it measures something else, and is no rate. A bare number is that
        only where it stands in the ratio of the statement."""
        unit = other.quantity.unit
        if not unit:
            return bool(one.quantity.unit) and self.is_true(one, other)
        again = not one.quantity.unit and one.quantity.value == other.quantity.value  # 3 feet because 60/20
        if again or _NUMBERED.search(self._text, 0, other.start):
            return False
        return "/" not in unit and (not one.quantity.unit or self._in(one.quantity, unit) is None)

    def _in(self, said: Quantity, unit: str) -> Fraction | None:
        """How many of a unit it is; a bare number may be of any."""
        if not said.unit:
            return said.value
        if not unit:
            return None
        try:
            return self._units.convert(said, unit).value
        except FormulaError:
            return None

    def _is_at(self, rate: Quantity, above: Quantity, below: Quantity) -> bool:
        """Whether it is so much at a rate that is given: 50 cents for 5 messages at 10 cents a message."""
        unit, _, each = rate.unit.partition("/")
        upper, lower = self._in(above, unit), self._in(below, each)
        return bool(each) and upper is not None and lower is not None and upper == rate.value * lower

    def _is_same(self, one: Quantity, other: Quantity) -> bool:
        return bool(one.unit) and one.unit != other.unit and self._in(one, other.unit) == other.value
