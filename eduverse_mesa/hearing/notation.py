"""Notation: quotes, signs, digits and formulas as people type and paste them, in one plain form."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection
from fractions import Fraction

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
