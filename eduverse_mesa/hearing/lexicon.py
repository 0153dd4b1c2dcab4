"""Words with what they mean to the look-out: the concepts of harm/*.yaml, found in a text of any language."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from eduverse_mesa.hearing.spelling import plain, shortened, slips, unmasked, unstretched
from eduverse_mesa.scenarios.files import read_resource

_FOLDER = files("eduverse_mesa.hearing") / "harm"
_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")
_WORD = re.compile(r"[^\W\d_\u4e00-\u9fff]+|\d+(?:\.\d+)?|[\u4e00-\u9fff]|[^\w\s]")
_BETWEEN = re.compile("(?<=[\u4e00-\u9fff]) | (?=[\u4e00-\u9fff])")
_LONGEST = 40
_LEAST = 6
"""Shorter words are too close to one another for a slip to be told from another word."""

CJK = ("\u4e00", "\u9fff")


@dataclass(frozen=True, slots=True)
class Item:
    """A word or a saying of a text: how it is written, where it begins, and the concepts that it belongs to."""

    text: str
    at: int
    concepts: tuple[str, ...]


@dataclass(frozen=True)
class Lexicon:
    """Knowledge of words that the look-out has."""

    spellings: Mapping[str, tuple[str, ...]]
    characters: Mapping[str, str]
    sayings: Mapping[tuple[str, ...], tuple[str, ...]]
    endings: tuple[tuple[str, str], ...]
    slips: Mapping[str, str]
    hints: tuple[tuple[str, re.Pattern[str]], ...]
    signs: tuple[re.Pattern[str], ...]
    longest: int

    @property
    def known(self) -> frozenset[str]:
        """Words that are written as they should be."""
        return frozenset(word for saying in self.sayings for word in saying) | frozenset(self.spellings)

    def words(self, text: str) -> list[str]:
        """The words of a text in their usual spelling; each Chinese character, number and sign for itself."""
        straight = _APOSTROPHE.sub("", unstretched(_rough(plain(text), self)))
        for typed, meant in self.characters.items():
            if typed in straight:
                straight = straight.replace(typed, meant)
        found: list[str] = []
        for word in _WORD.findall(straight):
            found += self.spellings.get(word) or (word[:_LONGEST],)
        return found

    def hints_in(self, words: Sequence[str]) -> set[str]:
        """The names of the hints that some words hold."""
        text = _BETWEEN.sub("", " ".join(words))
        return {name for name, hint in self.hints if hint.search(text)}

    def items(self, words: list[str]) -> list[Item]:
        """The words in order, joined where they are a saying that is known; the longest one counts."""
        found = []
        at = 0
        while at < len(words):
            for length in range(min(self.longest, len(words) - at), 0, -1):
                saying = tuple(words[at : at + length])
                concepts = self.sayings.get(saying)
                if concepts is not None:
                    break
            else:
                length, saying, concepts = 1, (words[at],), self._alike(words[at])
            found.append(Item(" ".join(saying), at, concepts))
            at += length
        return found

    def _alike(self, word: str) -> tuple[str, ...]:
        """The concepts of a word that is not listed: by how it begins, or as a listed word with a slip."""
        begun = tuple(concept for start, concept in self.endings if word.startswith(start))
        if begun or len(word) < _LEAST or not word.isalpha() or not word.isascii():
            return begun
        meant = next((self.slips[short] for short in sorted(shortened(word)) if short in self.slips), None)
        return self.sayings.get((meant,), ()) if meant else ()


@cache
def load_lexicon() -> Lexicon:
    """The words of all languages."""
    spellings: dict[str, tuple[str, ...]] = {}
    characters: dict[str, str] = {}
    sayings: dict[tuple[str, ...], set[str]] = {}
    endings: list[tuple[str, str]] = []
    hints: list[tuple[str, re.Pattern[str]]] = []
    signs: list[str] = []
    for data in _files():
        for typed, meant in data.get("spellings", {}).items():
            if _is_chinese(typed):
                characters[typed] = meant
            else:
                spellings[_split(typed)[0]] = tuple(_split(meant))
    for data in _files():
        signs += data["signs"]
        hints += _hints(data)
        for concept, listed in data.get("concepts", {}).items():
            for one in (part.strip().casefold() for part in listed.split(",")):
                if one.endswith("*"):
                    endings.append((one[:-1], concept))
                else:
                    words = (word for part in _split(one) for word in spellings.get(part, (part,)))
                    sayings.setdefault(tuple(words), set()).add(concept)
    single = sorted(saying[0] for saying in sayings if len(saying) == 1 and saying[0].isascii())
    return Lexicon(
        spellings=spellings,
        characters=dict(sorted(characters.items(), key=lambda pair: -len(pair[0]))),
        sayings={saying: tuple(sorted(concepts)) for saying, concepts in sayings.items()},
        endings=tuple(endings),
        slips=slips(single, _LEAST),
        hints=tuple(hints),
        signs=tuple(re.compile(one) for one in signs),
        longest=max(map(len, sayings)),
    )


def _files() -> list[dict[str, Any]]:
    found = []
    for file in sorted(_FOLDER.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".yaml"):
            data = read_resource(file, f"built-in harm/{file.name}").data
            assert isinstance(data, dict)
            found.append(data)
    return found


def _hints(data: Mapping[str, Any]) -> list[tuple[str, re.Pattern[str]]]:
    """The hints of a language by name; `<kin>` stands for the part of that name."""
    parts: Mapping[str, str] = data.get("parts", {})
    hints: Mapping[str, str] = data.get("hints", {})
    whole = {name: re.sub(r"<(\w+)>", lambda match: parts[match[1]], hint) for name, hint in hints.items()}
    # English words stand between spaces, Chinese ones do not.
    return [(name, re.compile(hint if _is_chinese(hint) else rf"\b(?:{hint})")) for name, hint in whole.items()]


def _split(text: str) -> list[str]:
    return _WORD.findall(_APOSTROPHE.sub("", plain(text)))


def _is_chinese(text: str) -> bool:
    return any(CJK[0] <= letter <= CJK[1] for letter in text)


def _rough(text: str, lexicon: Lexicon) -> str:
    """A text in which what is masked is put right, where a known word comes out ("k!ll", "d i e", but not "q4")."""
    bare = unmasked(text)
    if bare == text:
        return text
    typed, meant = text.split(" "), bare.split(" ")
    if len(typed) != len(meant):
        return bare
    return " ".join(
        new if (new.strip(".,?!"),) in lexicon.sayings else old for old, new in zip(typed, meant, strict=True)
    )
