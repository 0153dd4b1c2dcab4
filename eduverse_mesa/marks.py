"""Whether a text says something, by the marks of it: the beginnings of words that somebody who says it would use.

A mark is the beginning of a word ("vibrat" is found in vibrates and vibration), several in a row ("pole star"), or one
of several ("vibrat|shak|wobbl"). Nothing here understands; it looks the same way at the words of an equation, of a
language model and of a child.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_WORD = re.compile(r"(?<!\w)-(?=\d)[^\W_]+(?:[.,/:][^\W_]+)*|[^\W_]+(?:['’.][^\W_]+)*")
_NO_SPACES = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
"""Scripts that are written without spaces: a mark is found anywhere in them."""
_REMEMBERED = 8192
"""Texts that are read again within moments: a dialogue is gone through anew at each of its turns."""


@lru_cache(maxsize=_REMEMBERED)
def words(text: str) -> str:
    """The words of a text in one plain line, each with a space before it."""
    plain = text.casefold().replace("\u2212", "-")
    return "".join([f" {word}" for word in _WORD.findall(plain)])


def unspaced(text: str) -> bool:
    """Whether a text holds a script that is written without spaces."""
    return _NO_SPACES.search(text) is not None


def says(mark: str, text: str) -> bool:
    """Whether a text holds a mark."""
    return _pattern(mark).search(words(text)) is not None


def share_said(marks: Iterable[str], text: str) -> float:
    """The share of the marks that a text holds; 0 where there are none to look for."""
    return _share(tuple(marks), text)


def says_all(marks: Iterable[str], text: str) -> bool:
    """Whether a text holds every mark; of most texts the first mark that is looked for tells that it does not."""
    plain = words(text)
    return all(_pattern(mark).search(plain) is not None for mark in marks)


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
        start = "" if unspaced(choice) else " "
        # 12 is not the beginning of 120, nor "no" of "now".
        end = r"(?!\d)" if parts[-1][-1].isdigit() else r"(?!\w)" if start and len(parts[-1]) < 3 else ""
        choices.append(start + r"\S* ".join(parts) + end)
    return re.compile("|".join(choices) if choices else r"(?!)")
