"""Words of the interface, in the reader's language. A file for each page and language; keys are `page.key`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from eduverse_mesa.scenarios.layout_rules import SEAT_RULES
from eduverse_mesa.vocabulary import ACTS, BEHAVIOURS, BLOOM, DOINGS, EMOTIONS, PHASES
from eduverse_mesa.vocabulary.labels import LOADER, label_of, load_labels

LANGUAGES: Mapping[str, str] = {"en": "English", "zh": "中文"}
"""By their codes, as their speakers call them."""

DEFAULT = "en"

_OF_CODES: Mapping[str, tuple[str, ...]] = {
    "room.behaviour": BEHAVIOURS,
    "room.emotion": EMOTIONS,
    "room.cognition": BLOOM,
    "room.act": ACTS,
    "room.phase": PHASES,
    "seat.do": BEHAVIOURS,
    "seat.did": BEHAVIOURS,
    "seat.mood": EMOTIONS,
    "seat.looks": EMOTIONS,
    "seat.teach": ACTS,
    "design.doing": DOINGS,
    "design.rules.what": SEAT_RULES,
}
"""Places with words of their own for the codes of a vocabulary. A code without one has its usual label there."""


class Words(Mapping[str, str]):
    """The words of one language. `words("page.key", name=...)` fills in; `n` chooses between `one` and `other`."""

    def __init__(self, language: str, phrases: Mapping[str, str | Mapping[str, str]]) -> None:
        self.language = language
        self._phrases = phrases

    def __call__(self, key: str, /, **given: Any) -> str:
        phrase = self._phrases[key]
        if not isinstance(phrase, str):
            phrase = phrase["one" if given.get("n") == 1 and "one" in phrase else "other"]
        return phrase.format_map(given) if given else phrase

    def code(self, name: str) -> str:
        """Return the name of a code of the house (a behaviour, an act, a measure); a name that is no code stays."""
        phrase = self._phrases.get(f"codes.{name}", name.replace("_", " "))
        return phrase if isinstance(phrase, str) else phrase["other"]

    def ordinal(self, number: int) -> str:
        """The number of a grade as it is written in a sentence: in Chinese it is a word."""
        return _chinese(number) if self.language == "zh" else str(number)

    def names(self, names: Iterable[str]) -> str:
        """Names one after the other, such as those of students."""
        return self["app.joint.names"].join(names)

    def listed(self, parts: Iterable[str]) -> str:
        """Short statements, such as counts, one after the other."""
        return self["app.joint.listed"].join(parts)

    def clauses(self, clauses: Iterable[str]) -> str:
        """Statements that may hold commas themselves, one after the other."""
        return self["app.joint.clauses"].join(clauses)

    def aside(self, text: object) -> str:
        """Something in brackets, as it stands behind a word."""
        return self("app.joint.aside", text=text)

    def told(self, name: str, text: object = "") -> str:
        """A name, and behind its colon what is said of it."""
        return self("app.joint.told", name=name, text=text)

    def counted(self, name: str, number: int) -> str:
        """A number of what a code means."""
        return self("app.joint.counted", name=self.code(name), n=number)

    def under(self, *pages: str) -> Mapping[str, str]:
        """The words of these pages by their bare keys; of two that are the same the later one's."""
        return _under(self.language, pages)

    def __getitem__(self, key: str) -> str:
        phrase = self._phrases[key]
        return phrase if isinstance(phrase, str) else phrase["other"]

    def __iter__(self) -> Iterator[str]:
        return iter(self._phrases)

    def __len__(self) -> int:
        return len(self._phrases)


_CHINESE = re.compile(r"[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]")


def run_on(sentences: Iterable[str]) -> str:
    """Sentences one after the other: a blank follows each, but none follows Chinese."""
    said = [one for one in sentences if one]
    return "".join(one if _CHINESE.search(one) else f"{one} " for one in said[:-1]) + "".join(said[-1:])


_DIGITS = "零一二三四五六七八九十"


def _chinese(number: int) -> str:
    """A number up to 99 in Chinese; a larger one in digits."""
    if not 0 <= number <= 99:
        return str(number)
    tens, ones = divmod(number, 10)
    if not tens:
        return _DIGITS[ones]
    return ("" if tens == 1 else _DIGITS[tens]) + "十" + (_DIGITS[ones] if ones else "")


@cache
def load_words(language: str = DEFAULT) -> Words:
    """All words of a language."""
    folder = files("eduverse_mesa.visualization.words") / language
    phrases: dict[str, str | Mapping[str, str]] = {}
    for page in sorted(folder.iterdir(), key=lambda file: file.name):
        if page.name.endswith(".yaml"):
            loaded = yaml.load(page.read_text(encoding="utf-8"), Loader=LOADER) or {}  # noqa: S506 - both are safe
            phrases |= _flat(page.name.removesuffix(".yaml"), loaded)
    phrases |= {f"codes.{code}": label for code, label in load_labels(language).items()}
    for place, codes in _OF_CODES.items():
        for code in codes:
            if f"{place}.{code}" not in phrases:
                phrases[f"{place}.{code}"] = label_of(code, language)
    return Words(language, phrases)


def words_in(language: str) -> Words:
    """The words for what was written in a language: in that language, where the pages speak it."""
    return load_words(language if language in LANGUAGES else DEFAULT)


def _flat(prefix: str, loaded: Mapping[str, Any]) -> dict[str, str | Mapping[str, str]]:
    flat: dict[str, str | Mapping[str, str]] = {}
    for key, value in loaded.items():
        name = f"{prefix}.{key}"
        if isinstance(value, dict) and not value.keys() <= {"one", "other"}:  # else the forms of one phrase
            flat |= _flat(name, value)
        else:
            flat[name] = value if isinstance(value, dict) else str(value)
    return flat


@cache
def _under(language: str, pages: tuple[str, ...]) -> Mapping[str, str]:
    words = load_words(language)
    return {key.removeprefix(f"{page}."): words[key] for page in pages for key in words if key.startswith(f"{page}.")}


def preferred(accepted: str) -> str:
    """The language of ours that a browser's Accept-Language names first."""
    for wish in accepted.split(","):
        code = wish.partition(";")[0].strip().lower().partition("-")[0]
        if code in LANGUAGES:
            return code
    return DEFAULT
