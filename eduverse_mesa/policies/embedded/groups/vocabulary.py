"""Vocabulary of a language, a file for each in listening/: notation, Chinese numbers, patterns, names, stances."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from importlib.resources import files
from typing import Any

from eduverse_mesa.decisions.groups import AFTER_HARM, MATTERS
from eduverse_mesa.errors import FormulaError
from eduverse_mesa.formulas import Quantity, Units, read_quantity
from eduverse_mesa.policies.embedded.groups.numbers import MINUS, MOST, Found, Numbers
from eduverse_mesa.policies.embedded.rule_policy import read_language

_UNSEEN = re.compile("[\u00ad\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
"""Signs that nobody sees: a word with one inside is the same word."""
_NOTATION_SIGNS = str.maketrans(
    {chr(0xFF01 + place): chr(0x21 + place) for place in range(0x5E)}
    | {"’": "'", "‘": "'", "“": '"', "”": '"', "−": "-", "–": "-", "﹣": "-", "÷": "/", "∕": "/", "⁄": "/"}
    | {"×": "*", "∗": "*", "→": "=", "⇒": "=", "\u3000": " "}
    | {"，": ", ", "。": ". ", "？": "? ", "！": "! ", "、": ", ", "；": "; "}
)
_NOTATION_NUMBER = r"\d+(?:[.,]\d+)*"
_TEX: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"\\(?:text|mathrm|mathbf|boxed|mbox)\s*\{([^{}]*)\}", r" \1 "),
    (r"\\[dt]?frac\s*\{\s*([\d.,]+)\s*\}\s*\{\s*([\d.,]+)\s*\}", r" \1/\2 "),
    (r"\\[dt]?frac\s*(\d)\s*(\d)", r" \1/\2 "),
    (r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r" (\1)/(\2) "),
    (r"\\(?:cdot|times|ast)(?![a-zA-Z])", " * "),
    (r"\\div(?![a-zA-Z])", " / "),
    (r"\\(?:Rightarrow|rightarrow|to|implies)(?![a-zA-Z])", " = "),
    (r"\\(?:left|right|quad|qquad)(?![a-zA-Z])|\\[,;:! ]|\\[()\[\]]", " "),
    (r"\$\$?([^$]*[\d)}]\s*[-+*/=][^$]*[\w)}])\$\$?(?!\d)", r" \1 "),
)
_WRITTEN = ((r"=>|->(?=\s*[$]?\d)", "="), (r"(?<=\d)\s*\*\*\s*(?=\d)", "^"))
_SHARED = re.compile(
    rf"(?<![\d:.])({_NOTATION_NUMBER})\s*:\s*({_NOTATION_NUMBER})(?=\s*(?:=|等于)\s*[$]?{_NOTATION_NUMBER}(?!\s*:|[\d/]))"
)
"""60:20=3 divides; 1:2 = 2:4 compares."""
_COMMA = re.compile(
    r"(?<![\d.,])(?:(?P<plain>0,\d{1,3}|(?<=[$=])\d+,\d{1,2})"
    r"|(?<!\d, )(?<!\d and )(?<!\d or )(?P<behind>\d+,\d{1,2})(?=\s?(?P<unit>[$€%]|[^\W\d_]+)))"
    r"(?![\d,]|\.\d|,? ?(?:and|or|&|和|或者?|还是) ?\d(?!,\d))"
)
"""0,2 is 0.2 to people who learned it so, and 2,5 feet are 2.5; in steps 1,2 and 3 two numbers of a list are meant."""
_LISTED = re.compile(r"\d0$")
"""30,60 minutes are two numbers: nobody writes the last zero but of money."""
_MONEY = ("$", "€", "dollar", "dollars", "bucks", "美元", "元")
_RAISED = re.compile("[⁰¹²³⁴-⁹]+")
_POWER = re.compile(r"(?<![\w.^])(\d+(?:\.\d+)?)\s*\^\s*([2-4])(?![\d.^])")
_REPEATING = re.compile(r"(?<![\d.,])(\d+)\.(\d*?)(\d)\3+\s?(?:\.{2,}|\u2026)")
"""2.999... goes on without an end."""
_UNREADABLE = re.compile(r"√\s*\(?\d[\d.]*|(?<![\w.])\d[\d.,]*e[-+]?\d+\b|[\w)]+\s*\^\s*[-({]*\w+[)}]*", re.IGNORECASE)
"""Powers of ten and of letters: nobody in a class of ten-year-olds writes so, and half a number is another number."""


def straight(text: str, spellings: Collection[str] = ()) -> str:
    """A text with one kind of quotes, signs and digits; the spellings of units tell a comma from a point."""
    text = _UNSEEN.sub("", text).translate(_NOTATION_SIGNS)
    text = "".join(_parts(sign) for sign in text)
    if "\\" in text or "$" in text:
        for found, better in _TEX:
            text = re.sub(found, better, text)
    for found, plain in _WRITTEN:
        text = re.sub(found, plain, text)
    text = _REPEATING.sub(_without_end, text)
    text = _RAISED.sub(lambda match: "^" + unicodedata.normalize("NFKC", match[0]), text)
    text = _POWER.sub(lambda match: "(" + "*".join([match[1]] * int(match[2])) + ")", text)
    text = _COMMA.sub(lambda match: match[0].replace(",", ".") if _is_point(match, spellings) else match[0], text)
    return _SHARED.sub(r"\1/\2", text)


def _without_end(match: re.Match[str]) -> str:
    """3 of 2.999..., 2/3 of 0.666..., 1 2/3 of 1.666..."""
    places = 10 ** len(match[2])
    found = Fraction(int(match[1] + match[2])) / places + Fraction(int(match[3]), 9 * places)
    whole, above = divmod(found.numerator, found.denominator)
    part = f"{above}/{found.denominator}" if above else ""
    return f"{whole} {part}".strip() if whole or not part else part


def _is_point(match: re.Match[str], spellings: Collection[str]) -> bool:
    """Return True if a comma is a decimal point: in a number that has a unit, or can be nothing else."""
    if match["plain"] is not None:
        return True
    unit = match["unit"].casefold()
    if unit in _MONEY:
        return True
    known = unit in spellings or (not unit.isascii() and any(unit.startswith(one) for one in spellings))
    return known and _LISTED.search(match["behind"]) is None


def readable(text: str) -> str:
    """The same text, of the same length, without numbers that cannot be read as they are meant."""
    return _UNREADABLE.sub(lambda match: "#" * len(match[0]), text)


def _parts(sign: str) -> str:
    """1/2 for a sign that is a half; digits of other scripts as ours."""
    if sign.isascii():
        return sign
    if unicodedata.category(sign) == "Nd":
        return str(unicodedata.digit(sign))
    written = unicodedata.normalize("NFKC", sign) if unicodedata.category(sign) == "No" else ""
    return f" {written.replace(chr(0x2044), '/')} " if chr(0x2044) in written else sign


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


_FOLDER = files("eduverse_mesa.policies.embedded.groups") / "listening"
NUMBER = r"[$]?\d[\d,]*(?:[./]\d+)?"


class Ear:
    """Patterns to listen for in one language."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data
        self.han: bool = data.get("script") == "han"
        """True if the language is written without spaces."""
        self.numbers: Numbers = (HanNumbers if self.han else Numbers)(data)
        self._spelling: dict[str, str] = data.get("spelling", {})

    def hears(self, kind: str, text: str) -> bool:
        """Return True if one of the patterns of a kind is in the text."""
        return any(pattern(one).search(text) for one in self.patterns(kind))

    def patterns(self, kind: str) -> list[str]:
        """The patterns of a kind."""
        found = self._data[kind]
        return [found] if isinstance(found, str) else list(found)

    def about(self, kind: str, name: str) -> re.Pattern[str]:
        """The pattern of a kind with a name in it."""
        return pattern("|".join(self.patterns(kind)).replace("{name}", re.escape(name)))

    def spelled(self, text: str) -> str:
        """A text in small letters, with the words of a chat written out."""
        small = " ".join(readable(text).casefold().split())
        if self._spelling:
            small = re.sub(r"[^\W\d_]+(?:'[^\W\d_]+)?", lambda match: self._spelling.get(match[0], match[0]), small)
        return small

    def plain(self, text: str, units: Units) -> str:
        """The same with its numbers in digits and its operators as signs."""
        return self._articles(self.numbers.signs(self.numbers.digits(self.spelled(text))), units)

    def _articles(self, text: str, units: Units) -> str:
        """Text with "a" before a unit as 1: "it's a yard" says how much, "it's a problem" does not."""
        if "article" not in self._data:
            return text

        def counted(match: re.Match[str]) -> str:
            if units.find(match[2]) is None or match[2] in units.nouns:
                return match[0]
            return match[0][: match.start(1) - match.start()] + "1"

        return pattern(self._data["article"]).sub(counted, text)

    def matter(self, text: str, *, gently: bool = False) -> str:
        """Return the gravest matter that is raised besides the problem; harm is the look-out's. Some matters are only
        heard from somebody who is spoken to gently."""
        beside = ("", "harm") if gently else ("", "harm", *AFTER_HARM)
        return next((kind for kind in MATTERS if kind not in beside and self._raises(kind, text, gently)), "")

    def _raises(self, kind: str, text: str, gently: bool) -> bool:
        """Return True if this is raised. "Help me" is about the problem, except from somebody spoken to gently."""
        more = f"{kind}_gently"
        return self.hears(kind, text) or (gently and more in self._data and self.hears(more, text))

    def pairs(self, text: str) -> list[str]:
        """Signs of a text two by two, for writing without spaces; pairs that stand in every sentence are out."""
        return [
            text[place : place + 2]
            for place in range(len(text) - 1)
            if re.fullmatch(r"[\u4e00-\u9fff]{2}", text[place : place + 2])
            and text[place : place + 2] not in self._data["small"]
        ]


@lru_cache(maxsize=1024)
def pattern(text: str) -> re.Pattern[str]:
    """A pattern, compiled once."""
    return re.compile(text.replace("{number}", NUMBER))


@lru_cache(maxsize=16)
def load_ear(language: str) -> Ear:
    """Return the ear for a language."""
    return Ear(read_language(_FOLDER, language, "the embedded peers do not understand", "They understand"))


def called(ear: Ear, text: str, others: Sequence[str], table: str = "") -> str:
    """Return the member who is called: by a name that stands alone, not one that is told about; also if it is misspelt
    a little. A word that stands on the table, such as alike, is no slip."""
    for name in others:
        small = name.casefold()
        start, end = ("", "") if ear.han else (r"(?<!\w)", r"(?!\w)")
        for match in re.finditer(rf"@?{start}{re.escape(small)}{end}", text):
            before, after = text[: match.start()], text[match.end() :].lstrip()
            told = any(pattern(one).match(after) for one in ear.patterns("quotes")) or after.startswith("'s")
            if not told and not ear.hears("told_before", before):
                return name
    return "" if ear.han else _misspelt(ear, text, others, table)


def _misspelt(ear: Ear, text: str, others: Sequence[str], table: str) -> str:
    words = list(re.finditer(r"@?[^\W\d_]+", text))
    for place, match in enumerate(words):
        if re.search(rf"\b{match[0]}\b", table):
            continue
        first = ear.hears("vocative", text[: match.start()])
        if not (first or place == len(words) - 1 or match[0].startswith("@")):
            continue
        after = text[match.end() :].lstrip()
        if after.startswith("'") or any(pattern(one).match(after) for one in ear.patterns("quotes")):
            continue
        for name in others:
            if _slip(match[0].lstrip("@"), name.casefold()):
                return name
    return ""


_LONG_NAME = 5


def _slip(word: str, name: str) -> bool:
    """Return True for one slip: letters turned round, left out or doubled; another letter only in a longer name."""
    if word == name or not name.isalpha() or (word[:1] != name[:1] and sorted(word) != sorted(name)):
        return False
    swapped = any(
        name[:place] + name[place + 1] + name[place] + name[place + 2 :] == word for place in range(len(name) - 1)
    )
    doubled = re.sub(r"(.)\1+", r"\1", word) == re.sub(r"(.)\1+", r"\1", name)
    if swapped or doubled:
        return True
    if len(name) < _LONG_NAME:
        return False
    missing = any(name[:place] + name[place + 1 :] == word for place in range(1, len(name)))
    other = len(word) == len(name) and sum(a != b for a, b in zip(word, name, strict=True)) == 1
    return missing or other


def backed(ear: Ear, text: str, others: Sequence[str]) -> str:
    """Return the member whose answer is said to be right; empty if there is none."""
    return next((name for name in others if ear.about("backing", name.casefold()).search(text)), "")


def stance_of(ear: Ear, text: str) -> str:
    """Return "agrees", "disagrees" or neither. A stage closes on this reading: a mixed message is no agreement."""
    for kind in ("concedes", "beside_agreeing"):
        to = "agree" if kind == "concedes" and not ear.han else "同意" if kind == "concedes" else " "
        for one in ear.patterns(kind):
            text = pattern(one).sub(to, text)
    if ear.hears("disagree", text):
        return "disagrees"
    if ear.hears("proposes", text):
        return "agrees"
    # "is that right?" asks, it does not agree
    statement = re.sub(r"[^.!?]*\?", " ", text)
    clauses = [one.strip() for one in pattern(ear.patterns("clauses")[0]).split(statement) if one and one.strip()]
    read = [_clause(ear, one) for one in clauses]
    if "denied" in read:
        return "disagrees"
    return "agrees" if "agreed" in read and not ear.hears("conditions", statement) else ""


def _clause(ear: Ear, clause: str) -> str:
    """Return "agreed", "denied", or empty if the clause says neither or only asks."""
    if ear.hears("refuses", clause):
        return "denied"
    found = [match for one in ear.patterns("agree") for match in pattern(one).finditer(clause)]
    if not found:
        return ""
    before = clause[: max(match.start() for match in found)]
    if ear.hears("denies", before) or ear.hears("denies_behind", clause):
        return "denied"
    return "" if ear.hears("withholds", clause) else "agreed"
