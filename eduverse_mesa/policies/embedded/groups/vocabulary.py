"""Vocabulary of a language, a file for each in listening/: patterns, names, stances."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any

from eduverse_mesa.decisions.groups import AFTER_HARM, MATTERS
from eduverse_mesa.formulas import Units
from eduverse_mesa.hearing.notation import readable
from eduverse_mesa.hearing.numbers import Numbers, load_numbers
from eduverse_mesa.policies.embedded.rule_policy import read_language

_FOLDER = files("eduverse_mesa.policies.embedded.groups") / "listening"
NUMBER = r"[$]?\d[\d,]*(?:[./]\d+)?"


class Ear:
    """Patterns to listen for in one language."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data
        self.han: bool = data.get("script") == "han"
        """True if the language is written without spaces."""
        self.numbers: Numbers = load_numbers(chinese=self.han)
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
