"""Marks of a text: the beginnings of words that somebody who says something would use, and tests of a text for them.

A mark is the beginning of a word ("vibrat" is found in vibrates and vibration), several in a row ("pole star"), or one
of several ("vibrat|shak|wobbl"). Nothing here understands; it looks the same way at the words of an equation, of a
language model and of a child.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_HAN = r"\u3040-\u30ff\u3400-\u9fff"
_SIGN = rf"[^\W_{_HAN}]"
_WORD = re.compile(rf"(?<!{_SIGN})-(?=\d){_SIGN}+(?:[.,/:]{_SIGN}+)*|{_SIGN}+(?:['’.]{_SIGN}+)*|[{_HAN}]+")
_NO_SPACES = re.compile(rf"[{_HAN}]")
"""Scripts that are written without spaces: a mark is found anywhere in them. A number among them is a word."""
_SIGNS_PER_WORD = 1.5
"""Of Chinese, on average."""
_REMEMBERED = 8192
"""Texts that are read again within moments: a dialogue is gone through anew at each of its turns."""


@lru_cache(maxsize=_REMEMBERED)
def words(text: str) -> str:
    """The words of a text in one plain line, each with a space before it."""
    plain = text.casefold().replace("\u2212", "-")
    return "".join([f" {word}" for word in _WORD.findall(plain)])


def unspaced(text: str) -> bool:
    """Return True if a text holds a script that is written without spaces."""
    return _NO_SPACES.search(text) is not None


def count_words(text: str) -> float:
    """Return the number of words of a text; in scripts that are written without spaces, by the signs that a word
    takes."""
    signs = len(_NO_SPACES.findall(text))
    return len(_NO_SPACES.sub(" ", text).split()) + signs / _SIGNS_PER_WORD


def tokens(text: str) -> frozenset[str]:
    """The words of a text, and the single signs of scripts that are written without spaces."""
    return frozenset(part for word in words(text).split() for part in (word if _NO_SPACES.match(word) else (word,)))


def says(mark: str, text: str) -> bool:
    """Return True if a text holds a mark."""
    return _pattern(mark).search(words(text)) is not None


def share_said(marks: Iterable[str], text: str) -> float:
    """The share of the marks that a text holds; 0 where there are none to look for."""
    return _share(tuple(marks), text)


def says_all(marks: Iterable[str], text: str) -> bool:
    """Return True if a text holds every mark; for most texts the first mark that is looked for rules it out."""
    plain = words(text)
    for pattern in _rarest_first(tuple(marks)):  # noqa: SIM110  # a generator would take longer than the search
        if pattern.search(plain) is None:
            return False
    return True


@lru_cache(maxsize=_REMEMBERED)
def _rarest_first(marks: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """A mark all of whose alternatives are long is in few texts."""
    return tuple(map(_pattern, sorted(marks, key=lambda mark: min(map(len, mark.split("|"))), reverse=True)))


@lru_cache(maxsize=_REMEMBERED)
def _share(marks: tuple[str, ...], text: str) -> float:
    plain = words(text)
    return sum(_pattern(mark).search(plain) is not None for mark in marks) / len(marks) if marks else 0.0


@lru_cache(maxsize=65536)
def _pattern(mark: str) -> re.Pattern[str]:
    choices = []
    for choice in mark.casefold().split("|"):
        parts = [re.escape(part) for part in _WORD.findall(choice)]
        if not parts:
            continue
        start = "" if _NO_SPACES.match(parts[0]) else " "
        # 12 is not the beginning of 120, nor "no" of "now".
        end = r"(?!\d)" if parts[-1][-1].isdigit() else r"(?!\w)" if start and len(parts[-1]) < 3 else ""
        choices.append(start + r"\S* ".join(parts) + end)
    return re.compile("|".join(choices) if choices else r"(?!)")
