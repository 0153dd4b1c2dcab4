"""The units of school problems: a small table of measures, and whatever a problem counts (steps, bags, messages).

Pint does the arithmetic, over fractions and in a registry of our own: its full one knows a thousand units that no
sixth-grader has heard of and takes a second to build. A unit's text is read here, by a grammar of a few lines: pint's
own reader would compute whatever stands in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from functools import cached_property, lru_cache
from threading import Lock
from typing import Any, NamedTuple

from eduverse_mesa.errors import FormulaError

_MOST_FACTORS = 6
_MOST_POWER = 4
_LONGEST = 120
_PARTS = re.compile(r"/|÷|\bper\b|每")
_TIMES = re.compile(r"[*·×]")
_POWERS = {"square": 2, "sq": 2, "cubic": 3, "平方": 2, "立方": 3}
_RAISED = re.compile(r"(.+?)\s*(?:\^|\*\*)?\s*([2-9]|[²³⁴])")
_RAISED_SIGNS = {"²": 2, "³": 3, "⁴": 4}
_NOUN = re.compile(r"[^\W\d_][\w '’-]{0,39}")


class Measure(NamedTuple):
    """A unit that everybody shares."""

    name: str
    plural: str
    symbols: tuple[str, ...]
    chinese: str
    definition: str


MEASURES = (
    Measure("inch", "inches", ("in",), "英寸", "foot / 12"),
    Measure("foot", "feet", ("ft",), "英尺", "[length]"),
    Measure("yard", "yards", ("yd",), "码", "3 * foot"),
    Measure("mile", "miles", ("mi",), "英里", "5280 * foot"),
    Measure("millimetre", "millimetres", ("mm", "millimeter", "millimeters"), "毫米", "metre / 1000"),
    Measure("centimetre", "centimetres", ("cm", "centimeter", "centimeters"), "厘米", "metre / 100"),
    Measure("metre", "metres", ("m", "meter", "meters"), "米", "1250 / 381 * foot"),
    Measure("kilometre", "kilometres", ("km", "kilometer", "kilometers", "公里"), "千米", "1000 * metre"),
    Measure("fluid ounce", "fluid ounces", ("fl oz",), "液量盎司", "cup / 8"),
    Measure("cup", "cups", (), "杯", "[volume]"),
    Measure("pint", "pints", ("pt",), "品脱", "2 * cup"),
    Measure("quart", "quarts", ("qt",), "夸脱", "4 * cup"),
    Measure("gallon", "gallons", ("gal",), "加仑", "16 * cup"),
    Measure("millilitre", "millilitres", ("ml", "milliliter", "milliliters"), "毫升", "litre / 1000"),
    Measure("litre", "litres", ("l", "liter", "liters"), "升", "1 / 0.2365882365 * cup"),
    Measure("ounce", "ounces", ("oz",), "盎司", "pound / 16"),
    Measure("pound", "pounds", ("lb", "lbs"), "磅", "0.45359237 * kilogram"),
    Measure("gram", "grams", ("g",), "克", "kilogram / 1000"),
    Measure("kilogram", "kilograms", ("kg", "公斤"), "千克", "[mass]"),
    Measure("second", "seconds", ("s", "sec"), "秒", "minute / 60"),
    Measure("minute", "minutes", ("min", "mins"), "分钟", "hour / 60"),
    Measure("hour", "hours", ("h", "hr", "hrs"), "小时", "day / 24"),
    Measure("day", "days", (), "天", "[time]"),
    Measure("week", "weeks", (), "周", "7 * day"),
    Measure("month", "months", (), "个月", "[month]"),  # not so many days: no problem turns one into the other
    Measure("year", "years", (), "年", "12 * month"),
    Measure("cent", "cents", ("¢",), "美分", "dollar / 100"),
    Measure("dollar", "dollars", ("$",), "美元", "[money]"),
    Measure("fen", "fen", (), "分", "yuan / 100"),
    Measure("jiao", "jiao", ("毛",), "角", "yuan / 10"),
    Measure("yuan", "yuan", ("rmb", "人民币", "块钱"), "元", "[yuan]"),  # no rate of exchange stands in a problem
    Measure("percent", "percent", ("%", "per cent"), "%", "1 / 100"),
)
"""Exact by definition: the yard is 0.9144 m, the pound 0.45359237 kg, the gallon 231 cubic inches."""


_BUILDING = Lock()
_NAMES = frozenset(measure.name for measure in MEASURES)
_COUNTED = frozenset({"fen", "jiao", "yuan"})
"""Measures whose words may be what a problem counts: 分 are points of a game, too, and 角 corners."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """An exact number with its unit, as canonical text ("foot/step"; "" for a plain number). `Units` reads it."""

    value: Fraction
    unit: str = ""

    def __str__(self) -> str:
        return f"{self.value} {self.unit}".rstrip()


class Unit(str):
    """A unit's canonical text, told apart from other texts."""

    __slots__ = ()


class Units:
    """The shared measures together with the things that one problem counts."""

    def __init__(self, nouns: Mapping[str, str] | None = None, fractions: bool = False) -> None:
        self.fractions = fractions
        """Parts are said as fractions: 1/4 of a pizza, not 0.25 pizzas."""
        self._ids = {measure.name: _id_of(measure.name) for measure in MEASURES}
        self._plurals = {measure.name: measure.plural for measure in MEASURES}
        self._spelled = {}
        for measure in MEASURES:
            for word in (measure.name, measure.plural, *measure.symbols, measure.chinese):
                self._spelled[word] = measure.name
        self.nouns = dict(nouns or {})
        self._registry: Any = None
        for number, (noun, plural) in enumerate(self.nouns.items()):
            self._add(number, noun, plural)

    def _add(self, number: int, noun: str, plural: str) -> None:
        for word in (noun, plural):
            if not _NOUN.fullmatch(word) or _PARTS.search(word):
                mend = "Write a word or two, such as `step: steps`."
                raise FormulaError(
                    f"'{word[:40]}' is not the name of a thing that can be counted.",
                    mend=mend,
                    code="odd_noun",
                    name=word[:40],
                )
            known = self._spelled.get(word.casefold())
            if known is not None and known not in _COUNTED and (known != noun or noun in _NAMES):
                raise FormulaError(
                    f"'{word}' is already a unit.",
                    mend="Leave it out, or take another word.",
                    code="known_noun",
                    name=word,
                )
            self._spelled[word.casefold()] = noun
        self._ids[noun] = f"noun{number}"
        self._plurals[noun] = plural

    def find(self, word: str) -> str | None:
        """The unit that a word stands for ("feet" for "foot"), or None."""
        plain = " ".join(word.casefold().split())
        return self._spelled.get(plain) or self._spelled.get(plain.rstrip("."))

    def closest(self, word: str) -> str:
        """The word for a unit that is most like this one; "" where none is much like it."""
        return next(iter(get_close_matches(word, self._spelled, n=1, cutoff=0.7)), "")

    def spellings(self) -> dict[str, str]:
        """All words for units, each with the unit it stands for: what to look for in a text."""
        return dict(self._spelled)

    def plural(self, unit: str) -> str:
        """The plural of a single unit."""
        return self._plurals[unit]

    def __deepcopy__(self, _: object) -> Units:
        """Itself: units do not change, and quantities of two registries do not mix."""
        return self

    def powers(self, text: str) -> dict[str, int]:
        """The single units in a unit's text, each with its power: {"mile": 1, "gallon": -1}."""
        return dict(_powers(self, text))

    def parse(self, text: str) -> dict[str, int]:
        """The same, read anew."""
        if len(text) > _LONGEST:
            raise FormulaError(
                "this is too long for a unit.", mend="Write for example `miles per gallon`.", code="long_unit"
            )
        found: dict[str, int] = {}
        for index, part in enumerate(_PARTS.split(text)):
            for factor in _TIMES.split(part) if part.strip() or index else ():
                unit, power = self._factor(factor, text)
                found[unit] = found.get(unit, 0) + (power if index == 0 else -power)
        found = {unit: power for unit, power in found.items() if power}
        if len(found) > _MOST_FACTORS or any(abs(power) > _MOST_POWER for power in found.values()):
            message, mend = f"'{text}' is made of too many units.", "Write for example `miles per gallon`."
            raise FormulaError(message, mend=mend, code="many_units", text=text)
        return found

    def _factor(self, factor: str, text: str) -> tuple[str, int]:
        words = factor.casefold().split()
        power = 1
        if words and (raised := _POWERS.get(words[0].rstrip("."))):
            power, words = raised, words[1:]
        elif words and words[0][:2] in _POWERS and self.find(words[0][2:]):  # 平方英里
            power, words = _POWERS[words[0][:2]], [words[0][2:], *words[1:]]
        name = " ".join(words)
        unit = self.find(name)
        if unit is None and (match := _RAISED.fullmatch(name)):
            unit = self.find(match[1])
            power *= _RAISED_SIGNS.get(match[2]) or int(match[2])
        if unit is None:
            raise self._unknown(name, text)
        return unit, power

    def _unknown(self, name: str, text: str) -> FormulaError:
        close = _closest(self, name)
        meant = f"Did you mean '{close}'? " if close else ""
        mend = f"{meant}What is counted is listed under `nouns`."
        if not name:
            return FormulaError(f"a unit is missing in '{text[:40]}'.", mend=mend, code="missing_unit", text=text[:40])
        code = "unknown_unit_close" if close else "unknown_unit"
        return FormulaError(f"there is no unit '{name[:40]}'.", mend=mend, code=code, name=name[:40], close=close)

    def canonical(self, text: str) -> str:
        """A unit's text in its one canonical form."""
        return write_unit(self.powers(text))

    def convert(self, quantity: Quantity, unit: str) -> Quantity:
        """The same amount in another unit; FormulaError where that measures something else."""
        wanted = self.canonical(unit)
        if wanted == quantity.unit:
            return quantity
        return Quantity(self._magnitude(quantity, wanted), wanted)

    def amount(self, quantity: Quantity) -> Quantity:
        """Return the amount of a rate for one: 3 feet of 3 feet per step."""
        above = {unit: power for unit, power in self.powers(quantity.unit).items() if power > 0}
        return Quantity(quantity.value, write_unit(above))

    def fits(self, one: str, other: str) -> bool:
        """Return True if two units measure the same kind of thing."""
        return _fits(self, one, other)

    def same(self, one: Quantity, other: Quantity, tolerance: Fraction = Fraction(0)) -> bool:
        """Return True if two are the same amount, or differ by no more than a tolerance in the unit of the first."""
        if not self.fits(one.unit, other.unit):
            return False
        return abs(self._magnitude(other, one.unit) - one.value) <= tolerance

    def _magnitude(self, quantity: Quantity, unit: str) -> Fraction:
        import pint

        if quantity.unit == unit:
            return quantity.value
        try:
            return Fraction(self.pint(quantity).to(self._container(unit)).magnitude)
        except pint.DimensionalityError:
            said = f"'{quantity.unit}'" if quantity.unit else "a plain number"
            raise FormulaError(
                f"{said} cannot be turned into '{unit}'." if unit else f"{said} is no plain number.",
                mend="Check which unit the result has.",
                code="other_unit",
                has=Unit(quantity.unit),
                wanted=Unit(unit),
            ) from None

    @property
    def registry(self) -> Any:
        """Pint's registry of exactly these units: one for all threads, since quantities of two do not mix."""
        if self._registry is None:
            with _BUILDING:
                self._registry = self._registry or self._build()
        return self._registry

    def _build(self) -> Any:
        import pint

        registry: Any = pint.UnitRegistry(None, non_int_type=Fraction)
        for measure in MEASURES:
            definition = re.sub(r"fluid ounce", "fluid_ounce", measure.definition)
            registry.define(f"{_id_of(measure.name)} = {definition}")
        for noun in self.nouns:
            registry.define(f"{self._ids[noun]} = [{self._ids[noun]}]")
        return registry

    @cached_property
    def _names(self) -> dict[str, str]:
        return {one: name for name, one in self._ids.items()}

    def _container(self, unit: str) -> Any:
        from pint.util import UnitsContainer

        return UnitsContainer({self._ids[name]: power for name, power in self.powers(unit).items()})

    def pint(self, quantity: Quantity) -> Any:
        """A quantity as pint calculates with it."""
        return self.registry.Quantity(quantity.value, self._container(quantity.unit))

    def from_pint(self, quantity: Any) -> Quantity:
        """A quantity as it is kept."""
        powers = {self._names[name]: int(power) for name, power in quantity.unit_items()}
        return Quantity(Fraction(quantity.magnitude), write_unit(powers))


def _id_of(name: str) -> str:
    return name.replace(" ", "_")


def write_unit(powers: Mapping[str, int]) -> str:
    """The canonical text of units with powers: "foot^2*pound/day"."""
    above = [_raised(unit, power) for unit, power in sorted(powers.items()) if power > 0]
    below = [_raised(unit, -power) for unit, power in sorted(powers.items()) if power < 0]
    return "".join(["*".join(above), *(f"/{unit}" for unit in below)])


def _raised(unit: str, power: int) -> str:
    return unit if power == 1 else f"{unit}^{power}"


# The same few words stand in message after message, and most that follow a number are no units.
@lru_cache(maxsize=4096)
def _powers(units: Units, text: str) -> dict[str, int]:
    return units.parse(text)


@lru_cache(maxsize=4096)
def _fits(units: Units, one: str, other: str) -> bool:
    measured, wanted = (units.pint(Quantity(Fraction(1), unit)) for unit in (one, other))
    return bool(measured.check(wanted.dimensionality))


@lru_cache(maxsize=4096)
def _closest(units: Units, word: str) -> str:
    return units.closest(word)


@lru_cache(maxsize=256)
def _kept(nouns: tuple[tuple[str, str], ...], fractions: bool) -> Units:
    return Units(dict(nouns), fractions)


def units_for(nouns: Mapping[str, str] | Iterable[tuple[str, str]] = (), fractions: bool = False) -> Units:
    """The units of a problem that counts these things, and says parts as fractions or not; the same object for the same
    of both."""
    return _kept(tuple(dict(nouns).items()), fractions)
