"""Numbers, quantities and calculations in what a person writes: "sixty divided by twenty is three feet"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from eduverse_mesa.decisions.groups import Sum
from eduverse_mesa.errors import FormulaError
from eduverse_mesa.formulas import Quantity, Units, parse, read_quantity, work_out
from eduverse_mesa.formulas.wording import counts_as

_NUMBER = r"\d(?:[\d,]*\d)?(?:\.\d+)?|\.\d+"
_TOKEN = re.compile(
    rf"(?P<number>[$]?\s?(?:{_NUMBER})(?:\s?%)?)|(?P<sign>[-+*/=()])|(?P<word>[^\W\d_]+(?:'[^\W\d_]+)?|%|¢)|(?P<stop>[.,;:!?])"
)
_UNIT_WORDS = re.compile(r"\s*((?:[^\W\d_]+|%|¢)(?:\s*(?:/|\s)\s*(?:[^\W\d_]+|1\b)){0,4})?")
"""Words behind a number that may be its unit: "feet per step"."""


MINUS = r"(?:(?<![\w%).])(?<![\d%)]\s)-)?"
"""Below zero: a sign right before the number, which takes it away from nothing."""
_AND = r"\s+and\s+|\s*&\s*"
_QUANTITY = re.compile(rf"(?<![\w.]){MINUS}(?:[$]\s?)?(?:\d+(?:{_AND}|\s+)\d+/\d+|\d+/\d+|{_NUMBER})")
_SAID_OF = re.compile(r"\s*(?:=|[-+*/x]\s|is|are|makes?|gives?|equals?|of)\s*[$(]*\d")
_AND_PART = re.compile(r"\s*\band\s+(\d+/\d+)(?=\W*$|\s*[.,!?;)]|\s(?:long|each|per|for|every|an?|in)\b)")
"""3 feet and 1/2, behind the unit."""
_PART_OF = re.compile(r"(?:(?<=\d/\d)|(?<=\d%)|(?<=\d percent))\s+of\s+(?=[$(\d.])")
"""1/2 of 3 multiplies, and so does 15% of 120."""
_HALF_OF = re.compile(r"\bhalf of (?=[$\d])")
_TWICE = re.compile(r"\b(?:twice|double)\s+(?=[$\d])")
_CHANGE = re.compile(
    r"(?<![\w.,])(?P<whole>\d+) (?:dollars?|bucks?) "
    r"(?:(?:and )?(?P<cents>\d\d?) cents?\b(?! (?:per|each|every|an?|for)\b)|(?P<bare>\d\d)(?:(?=\W*$|[.,;:!?)](?!\d))"
    r"|(?= (?:and|or|but|so|because|for|is|as|too|then|each|per|off|not|it|i)\b(?! \d))))"
)
"""1 dollar 20, 5 dollars and 20 cents; 5 dollars and 20 messages are two amounts, and so are 5 dollars and 20."""
_AMOUNT = r"([$]?\d[\d,]*(?:\.\d+)?%?)((?: (?!and\b|by\b|to\b|with\b|from\b)[^\W\d_]+)?)"
_TOLD = (
    (rf"\b(?:divid\w+|split\w*|shar(?:e|ed|ing)) {_AMOUNT} (?:by|into|among|between|with) {_AMOUNT}", r"\1\2 / \3\4"),
    (rf"\bmultipl\w+ {_AMOUNT} (?:by|with|and|times) {_AMOUNT}", r"\1\2 * \3\4"),
    (rf"\badd(?:ed|ing|s)? {_AMOUNT} (?:and|to|with) {_AMOUNT}", r"\1\2 + \3\4"),
    (rf"\b(?:subtract\w*|tak(?:e|ing) away|took away|take) {_AMOUNT} (?:away )?from {_AMOUNT}", r"\3\4 - \1\2"),
)
"""Divide 60 by 20, subtract 20 from 60."""
_CENTS = re.compile(r"\s?(?:cents?\b|¢|美分)")
_ROUGHLY = re.compile(r"\b(?:about|around|roughly|almost|nearly)\b|≈|约|差不多|几乎|左右")
MOST = 12
"""Quantities and calculations that are taken in of one message; nobody says more that others could follow."""


_K = 1000
_FRACTION, _FRACTION_SIGNS = 3, re.compile(r"\d+/\d+")
_AND_HALF = re.compile(r"(?<=\d)\s+and\s+half\b(?!\s+(?:of|the|that|an?|is|\d))")
_UNIT = re.compile(r"[$]|(?<=\d)\s?(?!x\b)[^\W\d_]+")


def without_units(calculation: str) -> str:
    """A calculation without its units: "18 / (15% x 100)" of "$18 / (15% x 100)"."""
    return _UNIT.sub("", calculation)


class Found(NamedTuple):
    """A quantity in a text."""

    start: int
    end: int
    quantity: Quantity
    bare: bool
    """No unit was said with it."""


class Shown(NamedTuple):
    """A calculation in a text, and where its result stands."""

    sum: Sum
    start: int
    end: int


class Numbers:
    """The written forms of numbers in one language."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        words = data["numbers"]
        self._units, self._tens, self._scales = words["units"], words["tens"], words["scales"]
        self._one: str = words["one"]
        self._parts = {word: str(value) for word, value in words["parts"].items()}
        self._operators = sorted(
            ((spelled, sign) for sign, many in data["operators"].items() for spelled in many),
            key=lambda pair: -len(pair[0]),
        )
        self._equals = sorted(data["equals"], key=len, reverse=True)
        every = [*self._units, *self._tens, *self._scales, self._one]
        scales = "|".join(self._scales)
        self._scaled = re.compile(
            rf"(?<![\w.])(?P<money>[$]\s?)?(?P<number>{_NUMBER})(?:[\s-]*(?P<scale>{scales})s?\b|(?P<k>k)\b)"
            rf"(?P<rest>(?:[\s-]+(?:and\s+)?(?:{'|'.join(every)}|\d{{1,2}}(?![\d.,/:]*\d|\s*(?:{scales})\b)))*)(?!\w)"
        )
        self._run = re.compile(rf"\b(?:{'|'.join(every)})(?:[\s-]+(?:and\s+)?(?:{'|'.join(every)}))*\b")
        digit = "|".join([*(word for word, value in self._units.items() if value < 10), self._one, r"\d+"])
        self._point = re.compile(rf"\b({self._run.pattern}|\d+) point ((?:{digit})(?: (?:{digit}))*)\b")
        below = "|".join(data["below_zero"])
        self._below_zero = re.compile(rf"(?<![\w%)]\s)(?<![\w%)])(?:{below})\s*(?=\d)|(?<=\bis )(?:{below})\s*(?=\d)")

    def digits(self, text: str) -> str:
        """The text with numbers in words written in digits; "one" alone stays, since it often counts nothing."""
        for word, value in self._parts.items():
            text = re.sub(rf"\b{word.replace(' ', '[ -]')}\b", value, text)
        text = re.sub(rf"\b{self._one}(?=(?:{_AND})\d+/\d)", "1", text)
        text = _CHANGE.sub(_with_cents, self._point.sub(self._places, text))
        text = self._run.sub(self._count, self._scaled.sub(self._times_scale, text))
        return self._below_zero.sub("-", _AND_HALF.sub(" and 1/2", text))

    def _times_scale(self, match: re.Match[str]) -> str:
        """400 of "4 hundred", 1205 of "1.2 thousand and five", 120000 of "120k"."""
        scale = self._scales[match["scale"]] if match["scale"] else _K
        total = Fraction(match["number"].replace(",", "")) * scale
        words = [word for word in re.split(r"[\s-]+", match["rest"]) if word and word != "and"]
        behind = self._count_words(words) if words else 0
        if total.denominator != 1 or behind >= scale:
            return match[0]
        return f"{match['money'] or ''}{total + behind}"

    def _places(self, match: re.Match[str]) -> str:
        """3.25 of "three point two five": behind the point every word is a digit."""
        whole = match[1] if match[1].isdigit() else self._run.sub(self._count, match[1])
        behind = "".join(word if word.isdigit() else str(self._digit(word)) for word in match[2].split())
        return f"{1 if whole == self._one else whole}.{behind}"

    def _digit(self, word: str) -> int:
        return 1 if word == self._one else int(self._units[word])

    def _count(self, match: re.Match[str]) -> str:
        words = [word for word in re.split(r"[\s-]+", match[0]) if word != "and"]
        if words == [self._one]:
            return match[0]
        if (
            len(words) > 1
            and all(self._units.get(word, 1) < 10 and word not in self._scales for word in words)
            and not (set(words) & set(self._tens))
        ):
            return "".join(str(self._digit(word)) for word in words)  # told digit by digit
        return str(self._count_words(words))

    def _count_words(self, words: list[str]) -> int:
        """The number that words such as "two hundred five" make, some of which may be in digits."""
        total, current = 0, 0
        for word in words:
            if word in self._scales:
                current = max(current, 1) * self._scales[word]
                if self._scales[word] >= _K:
                    total, current = total + current, 0
            else:
                current += int(word) if word.isdigit() else self._units.get(word, self._tens.get(word, 1))
        return total + current

    def signs(self, text: str) -> str:
        """The text with operators and equals signs as signs, where they stand between numbers."""
        text = _PART_OF.sub(" * ", _TWICE.sub("2 * ", _HALF_OF.sub("1/2 of ", text)))
        for told, written in _TOLD:
            text = re.sub(told, written, text)
        for spelled, sign in self._operators:
            edge = r"\b" if spelled[0].isalpha() else ""
            text = re.sub(rf"(?<=[\w%)])\s*{edge}{re.escape(spelled)}{edge}\s*(?=[$(\d.])", f" {sign} ", text)
        return text

    def sums(self, text: str, units: Units) -> list[Shown]:
        """The calculations that are shown with a result."""
        tokens = [match for match in _TOKEN.finditer(self._equate(text)) if not self._is_unit(match, units)]
        found: list[Shown] = []
        place = 0
        while place < len(tokens) and len(found) < MOST:
            end = _run_of(tokens, place)
            if end is None:
                place += 1
                continue
            worked = " ".join(_sign_or_number(token) for token in tokens[place:end])
            roughly = _ROUGHLY.search(text, tokens[end].start(), tokens[end + 1].start()) is not None
            slack = Fraction(1, 20) if roughly else Fraction(0)
            shown = _work(worked, _result(tokens, end + 1), units, slack)
            if (
                shown is not None
                and not shown.holds
                and _CENTS.search(text, tokens[place].start(), tokens[end].start())
            ):
                in_dollars = " ".join(_in_dollars(token, text) for token in tokens[place:end])
                again = _work(in_dollars, Fraction(shown.result), units, slack)
                shown = Sum(shown.text, shown.result, again is not None and again.holds)
            if shown is not None and (shown.holds or not self._is_part_of_unit(text, tokens, place, end, units)):
                found.append(Shown(shown, tokens[place].start(), tokens[end + 1].start()))
            place = end + 1
        return found

    def _is_part_of_unit(self, text: str, tokens: Sequence[re.Match[str]], place: int, end: int, units: Units) -> bool:
        """Return True if 1/2 is half of something, as in "1/2 day is 30", and not a calculation."""
        first, last = tokens[place], tokens[end - 1]
        if end - place != _FRACTION or not _FRACTION_SIGNS.fullmatch(text, first.start(), last.end()):
            return False
        behind = _TOKEN.match(text, last.end() + len(text[last.end() :]) - len(text[last.end() :].lstrip()))
        return behind is not None and behind["word"] is not None and self._is_unit(behind, units)

    def begun(self, text: str, units: Units) -> Sum | None:
        """The longest calculation without a stated result, with its result."""
        return max(self.unsaid(text, units), key=lambda one: len(one.text.split()), default=None)

    def unsaid(self, text: str, units: Units) -> list[Sum]:
        """The calculations without a stated result, with their results."""
        tokens = [match for match in _TOKEN.finditer(self._equate(text)) if not self._is_unit(match, units)]
        found: list[Sum] = []
        place = 0
        while place < len(tokens) and len(found) < MOST:
            end = _run(tokens, place)
            if end is not None and not _is_sign(tokens, end, "="):
                found += _with_result(" ".join(_sign_or_number(token) for token in tokens[place:end]), units)
            place = place + 1 if end is None else end
        return found

    def _equate(self, text: str) -> str:
        """Words for "equals" become the sign, with as many letters, so that places in the text stay."""
        for spelled in self._equals:
            if spelled != "=":
                text = re.sub(rf"\b{re.escape(spelled)}\b", lambda match: "=".ljust(len(match[0])), text)
        return re.sub(r"(?<=\d) percent\b", " %      ", text)

    def _is_unit(self, match: re.Match[str], units: Units) -> bool:
        word = match["word"]
        return word is not None and (units.find(word) is not None or word in ("per", "of", "a", "an", "each", "square"))

    def quantities(self, text: str, units: Units) -> list[Found]:
        """The quantities in a text, with the units that are said with them."""
        found: list[Found] = []
        place = 0
        while (match := _QUANTITY.search(text, place)) is not None and len(found) < MOST:
            if re.search(_AND, match[0]) and not _is_mixed(match, text):
                match = (
                    _QUANTITY.search(text, match.start(), match.start(0) + len(re.split(_AND, match[0])[0])) or match
                )
            place = match.end()
            rest = text[match.end() :]
            words = _UNIT_WORDS.match(rest)
            unit_words = (words[1] or "") if words else ""
            number = re.sub(_AND, " ", match[0])
            quantity, length = _with_unit(number, unit_words, units)
            if quantity is not None:
                end = match.end() + (rest.find(unit_words) + length if length else 0)
                part = _AND_PART.match(text, end) if length and "/" not in match[0] else None
                if part is not None:
                    quantity, end = Quantity(quantity.value + Fraction(part[1]), quantity.unit), part.end()
                    place = end
                found.append(Found(match.start(), end, quantity, not quantity.unit))
        return found


def _is_mixed(match: re.Match[str], text: str) -> bool:
    """Return True if a number and a part below 1, joined by "and", are one amount: no more is said of the part."""
    above, _, below = re.split(_AND, match[0])[-1].partition("/")
    return int(above) < int(below) and _SAID_OF.match(text, match.end()) is None


def _with_cents(match: re.Match[str]) -> str:
    return f"${match['whole']}.{match['cents'] or match['bare']:0>2}"


def _with_unit(number: str, words: str, units: Units) -> tuple[Quantity | None, int]:
    """The number with as many of the words behind it as make a unit."""
    pieces = re.split(r"(\s+|/)", words) if words else []
    for count in range(len(pieces), -1, -1):
        unit = "".join(pieces[:count])
        spelled = re.sub(r"\b(?:for|in) (?:each|every|one|1|a|an)\b|(?<!of )\b(?:each|every|an?)\b(?= \w)", "per", unit)
        try:
            return read_quantity(f"{number} {spelled}".strip(), units), len(unit)
        except FormulaError:
            continue
    return None, 0


def _run_of(tokens: list[re.Match[str]], start: int) -> int | None:
    """Return the place of the equals sign of a calculation that begins here, if a number stands behind the sign."""
    end = _run(tokens, start)
    if end is None or end + 1 >= len(tokens):
        return None
    return end if _is_sign(tokens, end, "=") and tokens[end + 1]["number"] else None


def _is_sign(tokens: list[re.Match[str]], place: int, sign: str) -> bool:
    return place < len(tokens) and tokens[place]["sign"] == sign


def _run(tokens: list[re.Match[str]], start: int) -> int | None:
    """Return the end of a calculation that begins here: number, operator, number and so on."""
    place, wants_number, operators = start, True, 0
    while place < len(tokens):
        token = tokens[place]
        if token["sign"] in ("(", ")"):
            place += 1
        elif wants_number and token["number"]:
            wants_number, place = False, place + 1
        elif not wants_number and token["sign"] in ("+", "-", "*", "/"):
            wants_number, operators, place = True, operators + 1, place + 1
        else:
            break
    if wants_number or not operators:
        return None
    if start and tokens[start - 1]["sign"] == "-":
        return None  # it begins with less than nothing
    return place


def _sign_or_number(token: re.Match[str]) -> str:
    return token["sign"] or _digits_of(token)


def _in_dollars(token: re.Match[str], text: str) -> str:
    """A sign or number, cents as hundredths: 20 dollars / 5 cents is 400."""
    cents = token["number"] and _CENTS.match(text, token.end())
    return f"({_digits_of(token)} / 100)" if cents else _sign_or_number(token)


def _digits_of(token: re.Match[str]) -> str:
    number = (token["number"] or "").replace("$", "").replace(",", "").replace(" ", "")
    return f"0{number}" if number.startswith(".") else number


def _result(tokens: list[re.Match[str]], place: int) -> Fraction | None:
    """The number that stands behind the equals sign: 3, 1/4, 1 2/3."""
    kinds = ["n" if token["number"] else token["sign"] or "" for token in tokens[place : place + 5]]
    numbers = [_digits_of(token).rstrip("%") for token in tokens[place : place + 4]]
    try:
        for shape in (["n", "n", "/", "n"], ["n", "/", "n"]):
            if kinds[: len(shape)] == shape and (kinds[len(shape) :] or [""])[0] not in ("=", "+", "-", "*", "/"):
                whole = Fraction(numbers[0]) if len(shape) > 3 else Fraction(0)
                return whole + Fraction(numbers[len(shape) - 3]) / Fraction(numbers[len(shape) - 1])
        return Fraction(numbers[0])
    except (ValueError, ZeroDivisionError):
        return None


def _with_result(worked: str, units: Units) -> list[Sum]:
    """A calculation with its result, if that can be worked out."""
    for percent in (r"(\1 / 100)", r"\1"):
        try:
            result = work_out(parse(re.sub(r"(\d[\d.]*)%", percent, worked)), {}, units, "").value
        except (FormulaError, ZeroDivisionError):
            continue
        return [Sum(worked, str(result), True)]
    return []


def _work(text: str, said: Fraction | None, units: Units, slack: Fraction) -> Sum | None:
    """A calculation with its stated result; 15% may be typed for 15 as well as for 0.15."""
    found = []
    for percent in (r"(\1 / 100)", r"\1") if "%" in text else ("",):
        try:
            plain = re.sub(r"(\d[\d.]*)%", percent, text) if percent else text
            found.append(work_out(parse(plain), {}, units, "").value)
        except (FormulaError, ZeroDivisionError):
            continue
    if said is None or not found:
        return None
    holds = any(counts_as(str(said), str(one)) or abs(one - said) <= slack * abs(one) for one in found)
    return Sum(text, str(said), holds)
