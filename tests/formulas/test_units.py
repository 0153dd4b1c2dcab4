"""Units of school problems: what they are called, and that turning one into another keeps the amount."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from threading import Barrier

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.errors import FormulaError
from eduverse_mesa.formulas import Quantity, read_quantity, units_for
from eduverse_mesa.formulas.units import MEASURES, Units, write_unit

UNITS = units_for({"step": "steps", "text message": "text messages"})
ALIKE = {
    ("foot", "inch", "yard", "mile", "millimetre", "centimetre", "metre", "kilometre"),
    ("fluid ounce", "cup", "pint", "quart", "gallon", "millilitre", "litre"),
    ("ounce", "pound", "gram", "kilogram"),
    ("second", "minute", "hour", "day", "week"),
    ("month", "year"),
    ("cent", "dollar"),
    ("fen", "jiao", "yuan"),
    ("percent",),
}
amounts = st.fractions(min_value=-(10**6), max_value=10**6, max_denominator=1000)


def test_every_measure_belongs_to_one_family_in_which_it_can_be_converted() -> None:
    assert sorted(name for family in ALIKE for name in family) == sorted(measure.name for measure in MEASURES)
    for family in ALIKE:
        for name in family:
            others = {measure.name for measure in MEASURES if UNITS.fits(name, measure.name)}
            assert others == set(family)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1 mile", "1760 yards"),
        ("1 inch", "2.54 cm"),
        ("1 gallon", "3.785411784 l"),
        ("1 lb", "16 ounces"),
        ("1 kg", "1000 grams"),
        ("1 week", "168 hours"),
        ("1 fl oz", "1/8 cup"),
        ("$1", "100 cents"),
        ("15%", "0.15"),
        ("60 miles per hour", "88 feet per second"),
        ("1 square yard", "9 ft²"),
        ("1 cubic foot", "1728 in^3"),
        ("1元", "10角"),
        ("3角", "30分"),
        ("2公斤", "2000克"),
        ("3公里", "3000米"),
        ("每公斤6元", "0.6分/克"),
        ("5 cents per text message", "$0.05 per text message"),
    ],
)
def test_well_known_amounts_are_the_same(one: str, other: str) -> None:
    first, second = read_quantity(one, UNITS), read_quantity(other, UNITS)
    assert UNITS.same(first, second)
    assert not UNITS.same(first, Quantity(second.value * 2, second.unit))


def test_what_may_be_money_may_be_counted_by_a_problem() -> None:
    """分 are points of a game, 角 are corners; and who listed 元 among what is counted, before it was known, may."""
    units = units_for({"分": "分", "角": "角", "元": "元"})
    assert read_quantity("每角6元", units) == Quantity(Fraction(6), "元/角")
    assert not units.fits("元", "yuan")
    with pytest.raises(FormulaError):
        units_for({"米": "米"})


@given(amounts, st.sampled_from(sorted(ALIKE)), st.data())
def test_turning_a_unit_into_another_and_back_keeps_the_amount(
    amount: Fraction, family: tuple[str, ...], data: st.DataObject
) -> None:
    one, other = data.draw(st.sampled_from(family)), data.draw(st.sampled_from(family))
    quantity = Quantity(amount, one)
    there = UNITS.convert(quantity, other)
    assert there.unit == other
    assert UNITS.same(quantity, there)
    assert UNITS.convert(there, one) == quantity


def test_different_kinds_are_never_the_same() -> None:
    foot, step = Quantity(Fraction(3), "foot"), Quantity(Fraction(3), "step")
    assert not UNITS.same(foot, step)
    with pytest.raises(FormulaError, match="'foot' cannot be turned into 'step'"):
        UNITS.convert(foot, "step")
    with pytest.raises(FormulaError, match="no plain number"):
        UNITS.convert(foot, "")


def test_a_tolerance_is_in_the_unit_of_the_first() -> None:
    dollars, cents = Quantity(Fraction(1), "dollar"), Quantity(Fraction(99), "cent")
    assert UNITS.same(dollars, cents, Fraction(1, 100))
    assert not UNITS.same(dollars, cents, Fraction(1, 200))


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("feet per step", "foot/step"),
        ("FT. / Steps", "foot/step"),
        ("square miles per day", "mile^2/day"),
        ("sq. mi", "mile^2"),
        ("ft*lb", "foot*pound"),
        ("Text  Messages", "text message"),
        ("per day", "/day"),
        ("feet per foot", ""),
        ("", ""),
        ("英里每加仑", "mile/gallon"),
        ("平方英里", "mile^2"),
    ],
)
def test_a_unit_has_one_canonical_form(text: str, canonical: str) -> None:
    assert UNITS.canonical(text) == canonical
    assert UNITS.canonical(canonical) == canonical


single = st.sampled_from([*(measure.name for measure in MEASURES), "step", "text message"])


@given(st.dictionaries(single, st.integers(-4, 4).filter(bool), max_size=6))
def test_a_written_unit_is_read_as_itself(powers: dict[str, int]) -> None:
    assert UNITS.powers(write_unit(powers)) == powers


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("foots", "there is no unit 'foots'. Did you mean 'foot'"),
        ("feet per", "a unit is missing"),
        ("feet^9", "too many units"),
        ("ft*ft*ft*ft*ft", "too many units"),
        ("x" * 1000, "too long"),
        ("__import__('os')", "there is no unit"),
        ("9**9**9", "there is no unit"),
    ],
)
def test_what_is_no_unit_is_refused(text: str, said: str) -> None:
    with pytest.raises(FormulaError, match=said.replace("(", r"\(").replace("*", r"\*")):
        UNITS.powers(text)


@pytest.mark.parametrize("nouns", [{"cup": "cups"}, {"3d": "3ds"}, {"a/b": "c"}, {"step per": "steps"}, {"x": "$"}])
def test_a_noun_is_a_word_that_is_no_unit_yet(nouns: dict[str, str]) -> None:
    with pytest.raises(FormulaError):
        Units(nouns)


def test_a_noun_may_be_its_own_plural_and_two_nouns_are_different_things() -> None:
    units = units_for({"sheep": "sheep", "ox": "oxen"})
    assert units.canonical("oxen per sheep") == "ox/sheep"
    assert not units.fits("ox", "sheep")
    assert units_for({"sheep": "sheep", "ox": "oxen"}) is units


def test_threads_that_begin_together_calculate_with_one_registry() -> None:
    units = Units({"pebble": "pebbles"})
    ready = Barrier(8)

    def meet(_: int) -> object:
        ready.wait(90)
        return units.registry

    with ThreadPoolExecutor(8) as pool:
        assert len({id(registry) for registry in pool.map(meet, range(8))}) == 1


def test_a_rate_has_an_amount_for_one() -> None:
    assert UNITS.amount(read_quantity("3 feet per step", UNITS)) == Quantity(Fraction(3), "foot")
    assert UNITS.amount(read_quantity("3 feet", UNITS)) == Quantity(Fraction(3), "foot")
