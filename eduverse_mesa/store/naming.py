"""Names that people give: one line that can be seen, and no two that look the same."""

from __future__ import annotations

import re
import unicodedata

_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
"""Letters and marks that show nothing, though Unicode calls them printable."""

_EMOJI_STYLE = re.compile("[\ufe0e\ufe0f]")
"""Keyboards put it behind a heart; it only says in which style the heart is drawn."""

_PILED = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{4}")
"""Marks on one letter: no language needs four, and a tower of them covers the lines above."""


_TWINS = str.maketrans(
    "абвгеһіјкӏмнорсԛѕтуүхԁԝѵ" + "αβγεζηικμνορτυχω" + "ı",
    "abbrehijklmhopcqstyyxdwv" + "abyezhikmnoptyxw" + "i",
)
"""Small letters of Cyrillic and Greek, and the Latin ones that look the same, small or as capitals."""

_EAST_ASIAN = frozenset(("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "LATIN"))
"""Scripts that one name may hold together."""


def tidy(name: str) -> str:
    """A name in one line, each letter written in one way."""
    return " ".join(_EMOJI_STYLE.sub("", unicodedata.normalize("NFC", name)).split())


def can_be_seen(name: str) -> bool:
    """Whether every letter of it shows, in its own place."""
    return name.isprintable() and not _UNSEEN.search(name) and not _PILED.search(unicodedata.normalize("NFD", name))


def is_of_one_script(name: str) -> bool:
    """Whether its letters are of one alphabet. What is written in Chinese, Japanese or Korean holds several, and Latin
    letters among them."""
    plain = unicodedata.normalize("NFKC", name)
    letters = (one for one in plain if unicodedata.category(one) in ("Lu", "Ll", "Lt", "Lo"))
    scripts = {unicodedata.name(one, "").partition(" ")[0] for one in letters}
    return len(scripts) < 2 or scripts <= _EAST_ASIAN


def alike(name: str) -> str:
    """The same for names that nobody would tell apart: capitals, width, signs unseen, letters of other alphabets that
    look like Latin ones."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    seen = "".join(one for one in plain if unicodedata.category(one) != "Cf")
    latin = unicodedata.normalize("NFD", seen).translate(_TWINS)
    return " ".join(_UNSEEN.sub("", unicodedata.normalize("NFKC", latin)).split())
