"""The words of embedded peers: a file for each language in phrases/."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

from eduverse_mesa.policies.embedded.classroom.words.grammar import pick
from eduverse_mesa.policies.embedded.rule_policy import Phrases, read_language

_FOLDER = files("eduverse_mesa.policies.embedded.groups") / "phrases"
_PLACE = re.compile(r"\{(\w+)\}")
_ENDS = ".?!。？！…"
_PAUSES = ",;:，；：、"


class PeerPhrases(Phrases):
    """Phrases of peers in one language."""

    def __init__(self, data: dict[str, Any]) -> None:
        super().__init__(data)
        self.small: frozenset[str] = frozenset(data["small"].split())
        """Words that only stand with a capital where a sentence begins; names are none of them."""
        self.stop: str = data["stop"]
        self.signs: dict[str, str] = data.get("signs", {})
        """The written forms of the signs of a calculation."""
        self.gap: str = data.get("gap", " ")
        """The text between two sentences."""

    def fill(self, family: str, key: str, luck: float, parts: Mapping[str, str]) -> str:
        """One of the phrases of a place, with its parts."""
        return filled(pick(self.at(family, key), luck), parts, self.small, self.stop)


def filled(phrase: str, parts: Mapping[str, str], small: frozenset[str] = frozenset(), stop: str = ".") -> str:
    """A phrase with its parts in place; what the parts hold is never read as a phrase itself. A sentence that goes into
    another loses its full stop, and one that stands before another keeps it."""

    def put(match: re.Match[str]) -> str:
        part = parts[match[1]].strip()
        after = phrase[match.end() :].lstrip()
        if after[:1].isupper() or (after[:1] == "{" and stop == "."):
            part = part if part[-1:] in _ENDS else f"{part}{stop}"
        elif after and not (stop == "。" and part.endswith("。") and after[:1] not in _ENDS + _PAUSES):
            part = part.rstrip(".。")
        starts = match.start() == 0 or phrase[: match.start()].rstrip().endswith(tuple(_ENDS))
        return part[:1].upper() + part[1:] if starts else _lower(part, small)

    return _PLACE.sub(put, phrase)


def places(phrase: str) -> set[str]:
    """The parts that a phrase needs."""
    return set(_PLACE.findall(phrase))


def _lower(part: str, small: frozenset[str]) -> str:
    """Within a sentence, a sentence begins small, unless it begins with I or with a name or abbreviation."""
    first = part.split(" ", 1)[0]
    if first in ("I", "I'm", "I'd", "I've", "I'll") or len(first) < 2 or not first[:1].isupper() or first[1].isupper():
        return part
    return part[:1].lower() + part[1:] if first.casefold() in small else part


def sentence(text: str, stop: str = ".") -> str:
    """With a capital at the beginning and a sign at the end."""
    text = " ".join(text.split())
    text = text[:1].upper() + text[1:]
    return text if not text or text[-1] in _ENDS else f"{text}{stop}"


@lru_cache(maxsize=16)
def load_phrases(language: str) -> PeerPhrases:
    """The phrases of a language; a region has those of its language."""
    return PeerPhrases(read_language(_FOLDER, language, "the embedded peers have no words in", "They speak"))
