"""Errors in the page's language.

The package raises English sentences. A file of `sentences/` holds each of them in another language, with a gap `{}`
wherever a value is filled in; a page finds the sentence by its pattern and fills the gaps again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple, Protocol

import yaml

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.scenarios.plain import dotted
from eduverse_mesa.scenarios.problems import MOST_SHOWN, ScenarioProblemsError
from eduverse_mesa.visualization.words import DEFAULT, Words, run_on
from eduverse_mesa.vocabulary.labels import LOADER

_GAP = re.compile(r"\{(\d?)\}")
_PLACE = re.compile(r"([\w.\[\]'-]+): (?=\S)")
"""A place in a document, before what is wrong there."""
_QUOTED = ("'", '"', "“", "`")


def error_text(error: EduverseError, t: Words) -> str:
    """Return the text of an error: its place, what is wrong, and how to mend it."""
    if t.language == DEFAULT:
        return str(error)
    said = _several(error, t) if isinstance(error, ScenarioProblemsError) else bare_text(error, t)
    return _placed(error.where, said, t)


def bare_text(error: EduverseError, t: Words) -> str:
    """Return the text of an error without the place: what is wrong, and how to mend it."""
    return run_on([sentence(error.message, t), sentence(error.mend, t)])


class Wrong(Protocol):
    """Something that is wrong with a document: a `Problem`, or what a draft says of itself."""

    @property
    def message(self) -> str: ...
    @property
    def mend(self) -> str: ...


def problem_text(wrong: Wrong, t: Words) -> str:
    """Return the text of a problem in a document, without the place."""
    message = wrong.message.rstrip(".")
    said = [f"{message[:1].upper()}{message[1:]}.", wrong.mend]
    return run_on(sentence(one, t) for one in said)


def sentence(text: str, t: Words) -> str:
    """A sentence of the package in the page's language; what is none stays as it is."""
    if t.language == DEFAULT or not text:
        return text
    book = _book(t.language)
    if found := book.find(text):
        return found
    if (place := _PLACE.match(text)) and (found := book.find(text[place.end() :])):
        return t.told(place[1], found)
    return text


def phrase(text: str, t: Words) -> str:
    """A sentence of the package, or a piece of one, in the page's language."""
    return text if t.language == DEFAULT else _book(t.language).find_part(text) or sentence(text, t)


def _several(error: ScenarioProblemsError, t: Words) -> str:
    lines = [t("app.error.several", n=len(error.problems))]
    for problem in error.problems[:MOST_SHOWN]:
        where = ": ".join(filter(None, (str(problem.spot), dotted(problem.trail))))
        lines.append(f"- {_placed(where, problem_text(problem, t), t)}")
    if len(error.problems) > MOST_SHOWN:
        lines.append(f"- {t('app.error.more', n=len(error.problems) - MOST_SHOWN)}")
    return "\n".join(lines)


def _placed(where: str, said: str, t: Words) -> str:
    """Put the place before the text of an error."""
    return t.told(_book(t.language).find_part(where) or where, said) if where else said


class _Pattern(NamedTuple):
    weight: int
    """Letters that are not in gaps: of several that fit, the one with most says most."""
    shape: re.Pattern[str]
    said: str


class _Book:
    """The sentences of a language, and the words that stand in their gaps."""

    def __init__(self, sentences: Mapping[str, str], parts: Mapping[str, str]) -> None:
        self._sentences = _patterns(sentences)
        self._parts = _patterns(parts)

    def find(self, text: str) -> str:
        """A sentence in this language; empty where it is none."""
        for pattern in self._sentences:
            if found := pattern.shape.fullmatch(text.strip()):
                said = self._filled(pattern.said.removesuffix("。"), found)
                return f"{said}。" if text.rstrip().endswith(".") and not said.endswith(("。", "...")) else said
        return ""

    def find_part(self, text: str) -> str:
        """A piece of a sentence in this language; empty where it is none."""
        for pattern in self._parts:
            if found := pattern.shape.fullmatch(text):
                return self._filled(pattern.said, found)
        for sign, said in ((", ", "，"), (" or ", "或")):
            several = [self.find_part(one) for one in text.split(sign)] if sign in text else []
            if several and all(several):
                return said.join(several)
        return ""

    def _filled(self, said: str, found: re.Match[str]) -> str:
        given = [self._value(found, at) for at in range(1, (found.lastindex or 0) + 1)]
        waiting = iter(given)
        return _GAP.sub(lambda gap: given[int(gap[1])] if gap[1] else next(waiting), said)

    def _value(self, found: re.Match[str], at: int) -> str:
        """Return the value in a gap. A quoted value is somebody's own words."""
        value = found[at]
        if found.start(at) and found.string[found.start(at) - 1] in _QUOTED:
            return value
        return self.find_part(value) or (self.find(value) if " " in value else "") or value


def _patterns(phrases: Mapping[str, str]) -> list[_Pattern]:
    made = [_Pattern(len(_GAP.sub("", english)), _shape(english), said) for english, said in phrases.items()]
    return sorted(made, key=lambda pattern: -pattern.weight)


def _shape(english: str) -> re.Pattern[str]:
    """The sentence with anything in its gaps, as it stands alone, behind a colon, or before another."""
    *parts, last = _GAP.split(english)[::2]
    pieces = [re.escape(part) for part in (*parts, last.removesuffix("."))]
    if pieces[0][:1].isalpha():
        pieces[0] = f"[{pieces[0][0].upper()}{pieces[0][0].lower()}]{pieces[0][1:]}"
    gaps = [r"(\w+)" if not after else "(.*?)" for after in pieces[1:-1]] + ["(.*?)"]  # two gaps side by side
    return re.compile(
        "".join(map("".join, zip(pieces, [*gaps[: len(pieces) - 1], ""], strict=True))) + r"\.?", re.DOTALL
    )


@cache
def _book(language: str) -> _Book:
    """The file of a language."""
    file = files("eduverse_mesa.visualization.words") / "sentences" / f"{language}.yaml"
    loaded = yaml.load(file.read_text(encoding="utf-8"), Loader=LOADER)  # noqa: S506 - both are safe
    return _Book(loaded["sentences"], loaded["parts"])
