"""Quantities as they are written and said."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.errors import FormulaError
from eduverse_mesa.formulas import Quantity, read_quantity, say_number, say_quantity, say_unit, units_for

UNITS = units_for({"step": "steps", "bracelet": "bracelets", "text message": "text messages"})


@pytest.mark.parametrize(
    ("text", "value", "unit", "said"),
    [
        ("60 ft", "60", "foot", "60 feet"),
        ("1 foot", "1", "foot", "1 foot"),
        ("7.50 feet", "15/2", "foot", "7.5 feet"),
        ("3/8 of a yard", "3/8", "yard", "3/8 of a yard"),
        ("1/3 inch", "1/3", "inch", "1/3 of an inch"),
        ("1/3 of an hour", "1/3", "hour", "1/3 of an hour"),
        ("7/3 cups", "7/3", "cup", "2 1/3 cups"),
        ("1 1/2 cups", "3/2", "cup", "1.5 cups"),
        ("1½ cups", "3/2", "cup", "1.5 cups"),
        ("½ cup", "1/2", "cup", "0.5 cups"),
        ("1,200 miles", "1200", "mile", "1,200 miles"),
        ("$29.95", "599/20", "dollar", "$29.95"),
        ("29.9 dollars", "299/10", "dollar", "$29.90"),
        ("-$120", "-120", "dollar", "-$120"),
        ("$0.405", "81/200", "dollar", "$0.405"),
        ("$0.10 per text message", "1/10", "dollar/text message", "$0.10 per text message"),
        ("10 cents per text message", "10", "cent/text message", "10 cents per text message"),
        ("15 %", "15", "percent", "15%"),
        ("12 per day", "12", "/day", "12 per day"),
        ("15 square miles", "15", "mile^2", "15 square miles"),
        ("0.2 gal / mi", "1/5", "gallon/mile", "0.2 gallons per mile"),
        ("3 feet per step", "3", "foot/step", "3 feet per step"),
        ("−3 ft", "-3", "foot", "-3 feet"),
        ("5/3", "5/3", "", "1 2/3"),
        (".5", "1/2", "", "0.5"),
    ],
)
def test_a_quantity_is_read_and_said_for_a_twelve_year_old(text: str, value: str, unit: str, said: str) -> None:
    quantity = read_quantity(text, UNITS)
    assert quantity == Quantity(Fraction(value), unit)
    assert say_quantity(quantity, UNITS) == said
    assert read_quantity(said, UNITS) == quantity


def test_chinese_has_its_own_words_for_units() -> None:
    texts = ("60 ft", "5 miles per gallon", "15%", "$90.20", "1200 square miles", "7/3 cups", "22/1000 yd", "1/7919 yd")
    said = [say_quantity(read_quantity(text, UNITS), UNITS, "zh") for text in texts]
    assert said == [
        "60英尺",
        "每加仑5英里",
        "15%",
        "90.20美元",
        "1200平方英里",
        "2又1/3杯",
        "0.022码",
        "约0.00013码",
    ]
    assert read_quantity("5 英里/加仑", UNITS) == read_quantity("5 miles per gallon", UNITS)
    for text, chinese in zip(texts[:-1], said, strict=False):
        assert read_quantity(chinese, UNITS) == read_quantity(text, UNITS)


@pytest.mark.parametrize(
    ("text", "unit", "chinese", "english"),
    [
        ("6元", "yuan", "6元", "6 yuan"),
        ("3.5块钱", "yuan", "3.50元", "3.50 yuan"),
        ("6角", "jiao", "6角", "6 jiao"),
        ("5分", "fen", "5分", "5 fen"),
        ("每千克6元", "yuan/kilogram", "每千克6元", "6 yuan per kilogram"),
        ("3.5公斤", "kilogram", "3.5千克", "3.5 kilograms"),
        ("500克", "gram", "500克", "500 grams"),
        ("2米", "metre", "2米", "2 metres"),
        ("30厘米", "centimetre", "30厘米", "30 centimetres"),
        ("5公里", "kilometre", "5千米", "5 kilometres"),
        ("1.5升", "litre", "1.5升", "1.5 litres"),
        ("2小时", "hour", "2小时", "2 hours"),
        ("30分钟", "minute", "30分钟", "30 minutes"),
        ("每小时60公里", "kilometre/hour", "每小时60千米", "60 kilometres per hour"),
    ],
)
def test_a_chinese_class_has_its_own_units(text: str, unit: str, chinese: str, english: str) -> None:
    quantity = read_quantity(text, UNITS)
    assert quantity.unit == unit
    assert (say_quantity(quantity, UNITS, "zh"), say_quantity(quantity, UNITS)) == (chinese, english)
    assert read_quantity(chinese, UNITS) == read_quantity(english, UNITS) == quantity


def test_an_awkward_number_is_said_about() -> None:
    assert say_number(Fraction(241414, 100000)) == "about 2.41"
    assert say_number(Fraction(1, 30)) == "about 0.033"
    assert say_number(Fraction(3, 8)) == "3/8"
    assert say_quantity(Quantity(Fraction(18 * 20, 17), "dollar"), UNITS) == "about $21.18"


units = st.sampled_from(["", "foot", "mile/gallon", "dollar", "dollar/text message", "percent", "mile^2/day", "/day"])
small = st.fractions(min_value=-10_000, max_value=10_000, max_denominator=20)


@given(small, units)
def test_what_is_written_or_said_is_read_as_the_same_quantity(value: Fraction, unit: str) -> None:
    quantity = Quantity(value, unit)
    assert read_quantity(str(quantity), UNITS) == quantity
    said = say_quantity(quantity, UNITS)
    if not said.startswith("about "):
        assert read_quantity(said, UNITS) == quantity


@given(st.fractions(min_value=-(10**9), max_value=10**9, max_denominator=10**9))
def test_what_is_said_about_is_near(value: Fraction) -> None:
    said = say_number(value)
    if said.startswith("about "):
        near = Fraction(said.removeprefix("about ").replace(",", ""))
        assert abs(near - value) <= max(abs(value) / 10, Fraction(1, 10**14))
    assert not said.endswith((".", ".0"))


@given(st.text(max_size=200))
def test_any_text_is_a_quantity_or_refused(text: str) -> None:
    try:
        quantity = read_quantity(text, UNITS)
    except FormulaError:
        return
    assert read_quantity(str(quantity), UNITS) == quantity


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "does not begin with a number"),
        ("sixty feet", "does not begin with a number"),
        ("3/0 cup", "divides by zero"),
        ("1" * 20, "too many digits"),
        ("1,2 feet", "comma in the wrong place"),
        ("$5 dollars", "after a \\$ sign"),
        ("60 feets", "no unit"),
        ("6" * 200, "too long"),
        ("1e9", "no unit"),
    ],
)
def test_what_is_no_quantity_is_refused(text: str, said: str) -> None:
    with pytest.raises(FormulaError, match=said):
        read_quantity(text, UNITS)


@pytest.mark.parametrize(
    ("unit", "english", "chinese"),
    [
        ("feet per step", "feet per step", "英尺/step"),
        ("square feet", "square feet", "平方英尺"),
        ("per day", "per day", "1/天"),
        ("", "", ""),
        ("dollars per pound per day", "dollars per day per pound", "美元/天/磅"),
    ],
)
def test_a_unit_is_said_without_a_number(unit: str, english: str, chinese: str) -> None:
    units = units_for({"step": "steps"})
    canonical = units.canonical(unit)
    assert (say_unit(canonical, units), say_unit(canonical, units, "zh")) == (english, chinese)
