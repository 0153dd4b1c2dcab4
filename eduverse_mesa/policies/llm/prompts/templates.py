"""Templates: files in a folder for each language, with {{places}} that are filled with blocks of text.

A scenario may bring its own version of each (`settings.llm.prompts`). There is no logic in a template: a heading with
nothing below it is left out, and so is a line whose places are all empty.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple, cast

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.files import read_resource
from eduverse_mesa.scenarios.problems import suggest
from eduverse_mesa.vocabulary import (
    ACTS,
    BEHAVIOURS,
    BLOOM,
    EMOTIONS,
    PHASES,
    STRATEGIES,
    STUDENT_MOVES,
    TEACHER_MOVES,
    TONES,
)
from eduverse_mesa.vocabulary.labels import complete

LANGUAGES = ("en", "zh")
CODE_LISTS: Mapping[str, tuple[str, ...]] = {
    "behaviours": BEHAVIOURS,
    "emotions": EMOTIONS[::-1],
    "cognitions": BLOOM,
    "strategies": STRATEGIES,
    "student_moves": STUDENT_MOVES,
    "acts": ACTS,
    "teacher_moves": TEACHER_MOVES,
}
"""The vocabularies whose meanings stand with the rules, by the names that `words.yaml` has for them."""
_OF_CODES: Mapping[str, tuple[str, ...]] = {
    "codes": (*BEHAVIOURS, *EMOTIONS, *BLOOM, *STRATEGIES, *ACTS, *TONES),
    "phases": PHASES,
    "student_moves": STUDENT_MOVES,
    "teacher_moves": TEACHER_MOVES,
}


class Book(NamedTuple):
    """A set of templates: the folder they are in, with a folder in it for each language."""

    folder: str
    languages: tuple[str, ...] = LANGUAGES

    @property
    def places(self) -> Mapping[str, tuple[str, ...]]:
        """Every template by its name, with the places that it may use: those of its file."""
        return _places(self.folder)


CLASSROOM = Book("eduverse_mesa.policies.llm.prompts")
_SHARED = ("reask",)
"""Templates that stand with the classroom's for all."""
_PLACE = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_MEANT_AS_PLACE = re.compile(r"\{\{([^{}]*)\}\}")


class Templates:
    """The templates of one language, some of them perhaps a scenario's own."""

    def __init__(self, language: str, own: Mapping[str, str] | None = None, book: Book = CLASSROOM) -> None:
        own = own or {}
        check_templates(own, book)
        self.language = language
        texts = _built_in(language, book.folder)
        self._texts = {name: own.get(name, texts[name]) for name in book.places}
        self.words: Mapping[str, Any] = _words(language, book.folder)

    def fill(self, name: str, blocks: Mapping[str, str]) -> str:
        """The template with its places filled."""
        lines: list[str] = []
        for line in self._texts[name].splitlines():
            places = _PLACE.findall(line)
            if places and not any(blocks[place] for place in places):
                continue
            lines.append(_PLACE.sub(lambda found: blocks[found.group(1)], line).rstrip() if places else line.rstrip())
        return _without_empty_sections(lines)


def _without_empty_sections(lines: list[str]) -> str:
    kept: list[str] = []
    for line in lines:
        if line.startswith("# ") and kept and kept[-1].startswith("# "):
            kept.pop()
        if line or (kept and kept[-1] and not kept[-1].startswith("# ")):
            kept.append(line)
    while kept and (not kept[-1] or kept[-1].startswith("# ")):
        kept.pop()
    return "\n".join(kept)


def check_templates(own: Mapping[str, str], book: Book = CLASSROOM) -> None:
    """Refuse templates and places that do not exist."""
    places = book.places
    for name, text in own.items():
        where = f"settings.llm.prompts.{name}"
        if name not in places:
            raise ScenarioError(
                "there is no such prompt.", where=where, mend=f"{suggest(name, places)}Known: {', '.join(places)}."
            )
        for place in map(str.strip, _MEANT_AS_PLACE.findall(text)):
            if place not in places[name]:
                known = ", ".join(f"{{{{{known}}}}}" for known in places[name])
                raise ScenarioError(
                    f"there is no place '{{{{{place}}}}}' in this prompt.", where=where, mend=f"It may use {known}."
                )


def template_text(name: str, language: str = "en") -> str:
    """A built-in template as its file has it."""
    return _built_in(language, CLASSROOM.folder)[name]


def prompt_language(language: str) -> str:
    """The language of the prompts for a lesson: its own where there are templates in it, else English."""
    return primary(language) if primary(language) in LANGUAGES else "en"


def primary(language: str) -> str:
    """A language without its region or script: zh of zh-TW."""
    return re.split("[-_]", language.strip().casefold())[0]


@cache
def _built_in(language: str, of: str) -> Mapping[str, str]:
    folder = files(of) / language
    texts = {
        file.name.removesuffix(".md"): file.read_text(encoding="utf-8")
        for file in folder.iterdir()
        if file.name.endswith(".md")
    }
    shared = files(CLASSROOM.folder) / language
    return texts | {name: (shared / f"{name}.md").read_text(encoding="utf-8") for name in _SHARED}


@cache
def _places(folder: str) -> Mapping[str, tuple[str, ...]]:
    texts = _built_in(LANGUAGES[0], folder)
    return {name: tuple(dict.fromkeys(_PLACE.findall(texts[name]))) for name in sorted(texts)}


@cache
def _words(language: str, of: str) -> Mapping[str, Any]:
    file = files(of) / language / "words.yaml"
    data = read_resource(file, f"built-in prompts/{language}/words.yaml").data
    assert isinstance(data, dict)
    # A book's own words for a vocabulary, and the usual label of each code that it has none for.
    own = {
        name: complete(cast(Mapping[str, str], data[name]), codes, language)
        for name, codes in _OF_CODES.items()
        if name in data
    }
    return data | own
