"""Numbers, quantities and calculations in what a person writes in Chinese: 六十除以二十等于三英尺."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from eduverse_mesa.errors import FormulaError
from eduverse_mesa.formulas import Quantity, Units, read_quantity
from eduverse_mesa.hearing.numbers.english import MINUS, MOST, Found, Numbers

_DIGITS = {
    sign: value
    for value, signs in enumerate(("零〇", "一", "二两", "三", "四", "五", "六", "七", "八", "九"))
    for sign in signs
}
_SCALES = {"十": 10, "百": 100, "千": 1000}
_GREAT = {"万": 10_000, "亿": 100_000_000}
_SIGNS = "".join((*_DIGITS, *_SCALES, *_GREAT))
_BEGUN = rf"\d(?:[\d,]*\d)?(?:\.\d+)?(?=[{''.join((*_SCALES, *_GREAT))}])[{_SIGNS}\d]+"
"""It begins in digits: 4百, 8百零5, 1.2万."""
_RUN = re.compile(rf"{_BEGUN}|[{_SIGNS}]+")
_HALF_MORE = re.compile(rf"({_BEGUN}|\d+|[{_SIGNS}]+)个半")
"""三个半 is 3.5."""
_PIECES = re.compile(r"\d+(?:\.\d+)?|\D")
_NUMBER = rf"(?:\d(?:[\d,]*\d)?(?:\.\d+)?|[{_SIGNS}]+)"
_PART = re.compile(rf"(?:({_NUMBER})又)?({_NUMBER})分之({_NUMBER}(?:点[{_SIGNS}\d]+)?)")
_POINT = re.compile(rf"({_NUMBER})点([{_SIGNS}\d]+)")
_AMOUNT = r"(?:\d+\s+\d+/\d+|\d+/\d+|\d(?:[\d,]*\d)?(?:\.\d+)?)"
_PLAIN = re.compile(rf"(?<![\w.]){MINUS}(?:[$]\s?)?{_AMOUNT}|(?<=[\u3400-\u9fff])(?<!第)-?{_AMOUNT}")
"""A number stands behind a sign of Chinese as well as behind a space; 第2 counts nothing."""
_MIXED = re.compile(r"(?<=\d)又(?=\d+/\d)")
"""1又2/3."""
_EACH = re.compile(r"每([^\d,.!?约]{1,4}?)(?:就?是|约|大约|要|用|有|有?得|能做|跑)?$")
"""Each step, before how much it is."""
_TIMES = ("second", "minute", "hour", "day", "week", "month", "year")
"""Units of time that a bare number may be per: 每天400."""
_AREAS = ("平方", "立方")
_OTHER_WORD = re.compile(r"分(?=[成给到别之为开完出配摊享母子数])|角(?=[度形落])|元(?=[素旦])|毛(?=病)")
"""Words that begin like a unit: 60分成20份 divides."""
_HOURS = re.compile(r"\d个?(?:半?小时|[点时])(?:零|又)?$")
"""Before a number of minutes: 2小时30分."""
_CHANGE = re.compile(r"(?<![\d.,])(\d+)(?:元|块钱?)(\d)[角毛](?:(\d)分?(?![\d.,]))?")
"""1元2角 is 1.2元."""
_BARE_CHANGE = re.compile(r"(?<![\d.,])(\d+)块(\d|半)(?=\s*(?:$|[,.!?;)吧啊呀哦了的]))")
"""120块5 is 120.5元."""
_PART_OF = re.compile(r"(?<=\d)((?:美元|元|块)?)的\s*(?=\d+(?:\.\d+)?%)")
"""120的15% multiplies."""
_FIRST = re.compile(r"(?<=第)一(?=[种个项号张组])|(?<=选)一(?=$|[,.!? ])")


class HanNumbers(Numbers):
    """Numbers in Chinese."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        super().__init__({**data, "numbers": {"units": {}, "tens": {}, "scales": {}, "parts": {}, "one": "一"}})
        self._no_number = re.compile(data["numbers"]["none"])
        self._is_half = re.compile(data["numbers"]["is_half"])
        self._fillers = re.compile(data["numbers"]["fillers"])
        self._turned = re.compile(data["turned"])
        self._below_zero = re.compile(rf"(?:{'|'.join(data['below_zero'])})(?=\d)")

    def digits(self, text: str) -> str:
        """The text with numbers in digits; 一 alone stays, since it often counts nothing."""
        text = _HALF_MORE.sub(lambda match: f"{_value(match[1])}.5", text)
        text = _FIRST.sub("1", self._is_half.sub("1/2", text))
        text = _MIXED.sub(" ", _PART.sub(_part, text))
        text = _POINT.sub(lambda match: f"{_value(match[1])}.{_places(match[2])}", text)
        kept = [match.span() for match in self._no_number.finditer(text)]

        def count(match: re.Match[str]) -> str:
            word = any(start < match.end() and match.start() < end for start, end in kept)
            return match[0] if word or match[0] == "一" else str(_value(match[0]))

        text = self._below_zero.sub("-", _RUN.sub(count, text))
        text = _CHANGE.sub(lambda match: f"{match[1]}.{match[2]}{match[3] or ''}元", text)
        return _BARE_CHANGE.sub(lambda match: f"{match[1]}.{'5' if match[2] == '半' else match[2]}元", text)

    def signs(self, text: str) -> str:
        """The text with operators as signs; 20除60 is 60 divided by 20."""
        text = _PART_OF.sub(r"\1 * ", self._turned.sub(r"\2 / \1", text))
        for spelled, sign in self._operators:
            text = re.sub(rf"(?<=[\w%)])\s*{re.escape(spelled)}\s*(?=[$(\d.])", f" {sign} ", text)
        return text

    def _equate(self, text: str) -> str:
        for spelled in self._equals:
            text = text.replace(spelled, "=".ljust(len(spelled)))
        return text

    def _is_unit(self, match: re.Match[str], units: Units) -> bool:
        word = match["word"]
        if word is None:
            return False
        for spelled in sorted(units.spellings(), key=len, reverse=True):
            word = word.replace(spelled, "")
        return not self._fillers.sub("", word)

    def quantities(self, text: str, units: Units) -> list[Found]:
        """The quantities in a text, with the units that stand behind them; 半 behind a unit is half of it more."""
        found: list[Found] = []
        for match in _PLAIN.finditer(text):
            if len(found) == MOST:
                break
            unit, length = self._unit(text[match.end() :], units)
            unit = "分钟" if unit == "分" and _HOURS.search(text[: match.start()]) else unit
            per = self._per(text[: match.start()], units) if "/" not in unit else ""
            per = per if unit or units.find(per) in _TIMES else ""
            unit = f"{unit}/{per}" if per else unit
            try:
                quantity = read_quantity(f"{match[0].strip()}{unit}", units)
            except FormulaError:
                continue
            end = match.end() + length
            if unit and text[end : end + 1] == "半":
                quantity, end = Quantity(quantity.value + type(quantity.value)(1, 2), quantity.unit), end + 1
            found.append(Found(match.start(), end, quantity, not quantity.unit))
        return found

    def _per(self, before: str, units: Units) -> str:
        """Return the word for the unit that an amount is per: 每步3英尺; empty if there is none."""
        match = _EACH.search(before)
        found = units.find(match[1]) if match is not None else None
        return match[1] if match is not None and found is not None else ""

    def _unit(self, rest: str, units: Units) -> tuple[str, int]:
        """The longest unit that a text begins with, perhaps behind a measure word."""
        spelled = sorted(units.spellings(), key=len, reverse=True)
        for skipped in (0, 1, 2):
            if skipped and not self._fillers.fullmatch(rest[:skipped]):
                break
            here = rest[skipped:]
            if _OTHER_WORD.match(here):
                break
            area = next((one for one in _AREAS if here.startswith(one)), "")
            here = here.removeprefix(area)
            for one in spelled:
                if here.startswith(one) and not (
                    one.isascii() and one.isalpha() and here[len(one) : len(one) + 1].isalpha()
                ):
                    per = next((each for each in spelled if here[len(one) :].startswith(f"/{each}")), "")
                    unit = f"{area}{one}/{per}" if per else f"{area}{one}"
                    return unit, skipped + len(unit)
        return "", 0


def _value(text: str) -> int | str:
    """12 of 十二, 120 of 一百二, 37 of 三七, 400 of 4百; what is in digits already stays."""
    if not any(sign in _SCALES or sign in _GREAT for sign in text):
        if text[0].isdigit() and text[0].isascii():
            return text.replace(",", "")
        return int("".join(str(_DIGITS[sign]) for sign in text))
    total, current, digit, last = Fraction(0), Fraction(0), Fraction(0), 1
    pieces = _PIECES.findall(text.replace(",", ""))
    for place, sign in enumerate(pieces):
        if sign in _GREAT:
            total, current, digit, last = (
                (total + (current + digit or 1)) * _GREAT[sign],
                Fraction(0),
                Fraction(0),
                10000,
            )
        elif sign in _SCALES:
            # 十 at the beginning is ten
            current += (digit if digit or place else 1) * _SCALES[sign]
            digit, last = Fraction(0), _SCALES[sign]
        else:
            digit = Fraction(sign if sign.isascii() else _DIGITS[sign])
            if digit == 0:
                last = 10
    short = 0 < digit < 10 and last >= 100 and pieces[-1] not in _SCALES  # 一百二 is 120
    found = total + current + digit * (last // 10 if short else 1)
    return found.numerator if found.denominator == 1 else text


def _places(text: str) -> str:
    return "".join(sign if sign.isdigit() and sign.isascii() else str(_DIGITS.get(sign, 0)) for sign in text)


def _part(match: re.Match[str]) -> str:
    whole, bottom, top = match.groups()
    above = (
        _POINT.sub(lambda point: f"{_value(point[1])}.{_places(point[2])}", top) if "点" in top else str(_value(top))
    )
    if bottom == "百":
        return f"{above}%"
    if "." in above:
        return match[0]
    part = f"{above}/{_value(bottom)}"
    return f"{_value(whole)} {part}" if whole else part
