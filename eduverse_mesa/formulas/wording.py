"""Quantities as people write and say them, read, said and compared: "60 ft", "3/8 of a yard", "$29.95", "1 1/2 cups",
"12 per day"."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from functools import lru_cache

from eduverse_mesa.errors import FormulaError
from eduverse_mesa.formulas.units import MEASURES, Quantity, Units, write_unit

_LONGEST = 160
_MOST_DIGITS = 15
_NUMBER = re.compile(
    r"(?P<sign>[-+]?)\s*(?P<money>[$＄]?)\s*"
    r"(?:(?:(?P<whole>\d[\d,]*)(?:\s+|\s*又\s*))?(?P<top>\d+)\s*/\s*(?P<bottom>\d+)|(?P<plain>\d[\d,]*(?:\.\d+)?|\.\d+))"
)
_OF = re.compile(r"^of\s+(?:an?|the|one)\s+|^的")
_EACH = re.compile(r"^每([^\d约-]+)(.*)$")
"""In Chinese a rate begins with what it is for one of: 每步3英尺."""
_GROUPS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_SMALL_BOTTOM = 20
_BOTTOM = 100
"""Of what is said as a fraction by choice."""
_CHINESE = {measure.name: measure.chinese for measure in MEASURES}


@lru_cache(maxsize=4096)
def read_quantity(text: str, units: Units) -> Quantity:
    """The quantity that a text is; FormulaError for a text that is something else."""
    if len(text) > _LONGEST:
        raise FormulaError(
            "this is too long for a quantity.", mend="Write for example `60 feet`.", code="long_quantity"
        )
    plain = _EACH.sub(r"\2/\1", _plain(text))
    match = _NUMBER.match(plain)
    if match is None:
        message, mend = f"'{text[:40]}' does not begin with a number.", "Write for example `60 feet`."
        raise FormulaError(message, mend=mend, code="no_number", text=text[:40])
    value = _value(match, text)
    unit = _OF.sub("", plain[match.end() :].strip())
    powers = units.powers(unit)
    if match["money"]:
        if powers.get("dollar", 0) > 0:
            message, mend = f"'{unit}' stands after a $ sign.", "Write `$5` or `5 dollars`."
            raise FormulaError(message, mend=mend, code="twice_money", text=unit)
        powers["dollar"] = powers.get("dollar", 0) + 1
    return Quantity(value, write_unit(powers))


def _plain(text: str) -> str:
    """The text with fractions such as ½ written out, and one kind of minus."""
    spaced = "".join(f" {sign}" if unicodedata.decomposition(sign).startswith("<fraction>") else sign for sign in text)
    return unicodedata.normalize("NFKC", spaced).replace("⁄", "/").replace("−", "-").strip()


def _value(match: re.Match[str], text: str) -> Fraction:
    if sum(sign.isdigit() for sign in match[0]) > _MOST_DIGITS:
        message, mend = f"'{text[:40]}' has too many digits.", f"{_MOST_DIGITS} are the most."
        raise FormulaError(message, mend=mend, code="many_digits", text=text[:40], most=_MOST_DIGITS)
    number = match["plain"] or match["whole"] or "0"
    if "," in number and not _GROUPS.fullmatch(number):
        message = f"'{text[:40]}' has a comma in the wrong place."
        raise FormulaError(message, mend="Write 1200, 1,200 or 1.2.", code="odd_comma", text=text[:40])
    whole = Fraction(number.replace(",", ""))
    if match["plain"] is not None:
        value = whole
    elif int(match["bottom"]) == 0:
        message, mend = f"'{text[:40]}' divides by zero.", "Write another number below the line."
        raise FormulaError(message, mend=mend, code="zero_below", text=text[:40])
    else:
        value = whole + Fraction(int(match["top"]), int(match["bottom"]))
    return -value if match["sign"] == "-" else value


def say_quantity(quantity: Quantity, units: Units, language: str = "en") -> str:
    """A quantity for a twelve-year-old: 7.5 feet, 3/8 of a yard, $29.95, 5 miles per gallon; no trailing zeros."""
    powers = units.powers(quantity.unit)
    if language == "zh":
        return _say_chinese(quantity.value, powers, fractions=units.fractions)
    above = {unit: power for unit, power in powers.items() if power > 0}
    below = {unit: -power for unit, power in powers.items() if power < 0}
    per = "".join(f" per {_squared(power)}{unit}" for unit, power in below.items())
    if above == {"percent": 1}:
        return f"{say_number(quantity.value, units.fractions)}%{per}"
    if above == {"dollar": 1}:
        return say_money(quantity.value) + per
    if above == {"yuan": 1}:
        return f"{say_money(quantity.value).replace('$', '')} yuan{per}"
    if not above:
        return say_number(quantity.value, units.fractions) + per
    return _say_amount(quantity.value, above, units) + per


def _say_amount(value: Fraction, above: dict[str, int], units: Units) -> str:
    number = say_number(value, units.fractions)
    *first, last = [*above]
    start = "".join(f"{_squared(above[unit])}{unit}-" for unit in first) + _squared(above[last])
    if "/" in number and 0 < value < 1:
        article = "an" if (start + last)[0] in "aeio" or (start + last).startswith("hour") else "a"
        return f"{number} of {article} {start}{last}"
    return f"{number} {start}{last if abs(value) == 1 else units.plural(last)}"


def say_unit(unit: str, units: Units, language: str = "en") -> str:
    """A unit as it is said of several: feet per step, square metres; nothing for a plain number."""
    powers = units.powers(unit)
    above, below = ([*_signed(powers, sign).items()] for sign in (1, -1))
    if language == "zh":
        over = "·".join(_chinese(name, power) for name, power in above)
        return "/".join([over or "1" if below else over, *(_chinese(name, power) for name, power in below)])
    last = len(above) - 1
    over = "-".join(
        _squared(power) + (units.plural(name) if number == last else name) for number, (name, power) in enumerate(above)
    )
    return (over + "".join(f" per {_squared(power)}{name}" for name, power in below)).strip()


def _signed(powers: dict[str, int], sign: int) -> dict[str, int]:
    return {unit: power * sign for unit, power in powers.items() if power * sign > 0}


def _squared(power: int) -> str:
    return {1: "", 2: "square ", 3: "cubic "}.get(power, f"{power}th-power ")


def _say_chinese(value: Fraction, powers: dict[str, int], *, fractions: bool) -> str:
    above = "·".join(_chinese(unit, power) for unit, power in powers.items() if power > 0)
    below = [_chinese(unit, -power) for unit, power in powers.items() if power < 0]
    money = 1 in (powers.get("dollar"), powers.get("yuan"))
    number = say_money(value).replace("$", "") if money else say_number(value, fractions)
    said = f"{number.replace('about ', '约').replace(' ', '又').replace(',', '')}{above}"
    return f"每{below[0]}{said}" if len(below) == 1 else "/".join([said, *below])


def _chinese(unit: str, power: int) -> str:
    return {1: "", 2: "平方", 3: "立方"}.get(power, "") + _CHINESE.get(unit, unit)


def say_number(value: Fraction, fractions: bool = False) -> str:
    """A number as it is said: a short decimal if it is one, else a small fraction, else about so much; `fractions` says
    that a small fraction comes first."""
    if fractions and 1 < value.denominator <= _BOTTOM:
        return _as_fraction(value)
    if (value * 100).denominator == 1:
        return _grouped(value, 2)
    if value.denominator <= _SMALL_BOTTOM:
        return _as_fraction(value)
    if (value * 10**4).denominator == 1:
        return _grouped(value, 4)
    places = 2
    while abs(value) < Fraction(1, 10 ** (places - 1)) and places < _MOST_DIGITS:
        places += 1
    return f"about {_grouped(value, places)}"


def _as_fraction(value: Fraction) -> str:
    whole, rest = divmod(abs(value), 1)
    sign = "-" if value < 0 else ""
    return f"{sign}{f'{whole:,} ' if whole else ''}{rest.numerator}/{rest.denominator}"


def say_money(value: Fraction) -> str:
    """Dollars, with two places unless they are whole."""
    sign = "-" if value < 0 else ""
    if value.denominator == 1:
        return f"{sign}${abs(value).numerator:,}"
    if (value * 100).denominator == 1:
        return f"{sign}${_digits(abs(value), 2)}"
    if (value * 10**4).denominator == 1:
        return f"{sign}${_digits(abs(value), 4).rstrip('0')}"
    return f"about {sign}${_digits(abs(value), 2)}"


def _grouped(value: Fraction, places: int) -> str:
    digits = _digits(abs(value), places)
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    return f"-{digits}" if value < 0 else digits


def _digits(value: Fraction, places: int) -> str:
    """A number from zero on, rounded to some places; exactly, whatever its size."""
    whole, rest = divmod(round(value * 10**places), 10**places)
    return f"{whole:,}.{rest:0{places}d}"


NEAR = Fraction(1, 100)
"""No two amounts are the same that are further apart, whatever a problem allows."""
PLACES = 4
"""Decimal places: a number that ends within so many is exact, and is said so."""
_CENTS = 2
_MONEY = ("dollar", "yuan")


def amount_of(written: str) -> Fraction:
    """The number in a written quantity."""
    return Fraction(written.split(" ", 1)[0])


def counts_as(said: str, exact: str, off: Fraction = Fraction(0)) -> bool:
    """Return True if somebody who says this gives that amount: it is equal, it is the other rounded because that cannot
    be written out, or it is no further away than the problem allows (`off`). An exact amount is never a rounding:
    nobody who says 302/101 means 3."""
    meant, told = amount_of(exact), amount_of(said)
    apart = abs(meant - told)
    if apart == 0:
        return True
    if apart > NEAR * max(abs(meant), abs(told)):
        return False
    unit = said.partition(" ")[2] or exact.partition(" ")[2]
    return apart <= off or _is_rounded(meant, told, _CENTS if unit in _MONEY else PLACES)


def alike(one: str, other: str, off: Fraction = Fraction(0)) -> bool:
    """Return True if two quantities of the same variable, and so of the same unit, are one amount when people have said
    both, and either may be the other rounded."""
    return counts_as(one, other, off) or counts_as(other, one, off)


def _is_rounded(exact: Fraction, said: Fraction, places: int) -> bool:
    """Return True if somebody can have said this for a number that does not end within these places: 0.67 of 2/3; also
    if the rest was cut off, 0.66."""
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
