"""Cues: groups of wordings that say something about what is done by an utterance, a file for each language."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

import yaml

from eduverse_mesa.vocabulary.labels import LOADER

LANGUAGES = ("en", "zh")
"""All are looked for in every text: people mix them."""
_HAN = re.compile("[\u3400-\u9fff]")


def has_chinese(text: str) -> bool:
    """Return True if a text holds a Chinese sign."""
    return _HAN.search(text) is not None


@cache
def groups(language: str) -> dict[str, re.Pattern[str]]:
    """The pattern of each group of cues in a language."""
    text = (files("eduverse_mesa.hearing.cues") / f"{language}.yaml").read_text(encoding="utf-8")
    found = {}
    for name, group in yaml.load(text, Loader=LOADER).items():  # noqa: S506 - a safe one
        words = "|".join(group.get("words", ()))
        patterns = [*group.get("patterns", ()), *([rf"\b(?:{words})\b"] if words else [])]
        found[name] = re.compile("|".join(patterns))
    return found


@cache
def names() -> tuple[str, ...]:
    """The groups, in their order."""
    return tuple(groups(LANGUAGES[0]))


def cues_in(text: str) -> frozenset[str]:
    """The groups of which a wording stands in a text."""
    small = text.lower().replace("\u2019", "'")
    found = {name for name, pattern in groups("en").items() if pattern.search(small)}
    if has_chinese(text):
        found |= {name for name, pattern in groups("zh").items() if pattern.search(small)}
    return frozenset(found)
