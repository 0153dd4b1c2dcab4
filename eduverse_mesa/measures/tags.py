"""Tags of talk moves as transcribers write them ("8 - Press for accuracy", "8- press for acuracy", "8") to the names
used here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from eduverse_mesa.measures.codes import STUDENT, TEACHER

# The numbers of the TalkMoves corpus; "context" (7) marks what a restating refers to, which is no move. It has no 6.
TAG_NUMBERS: Final[Mapping[str, Mapping[int, str]]] = MappingProxyType(
    {
        TEACHER: {
            1: "none",
            2: "keep-together",
            3: "get-to-relate",
            4: "restate",
            5: "revoice",
            7: "none",
            8: "press-accuracy",
            9: "press-reasoning",
        },
        STUDENT: {1: "none", 2: "relate", 3: "ask", 4: "claim", 5: "evidence"},
    }
)
# A word that is in the tag's name and in no other's; the first that fits decides.
TAG_WORDS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = MappingProxyType(
    {
        TEACHER: (
            ("together", "keep-together"),
            ("relat", "get-to-relate"),
            ("restat", "restate"),
            ("revoic", "revoice"),
            ("accura", "press-accuracy"),
            ("reason", "press-reasoning"),
            ("none", "none"),
            ("context", "none"),
        ),
        STUDENT: (
            ("relat", "relate"),
            ("ask", "ask"),
            ("claim", "claim"),
            ("eviden", "evidence"),
            ("reason", "evidence"),
            ("none", "none"),
        ),
    }
)
_NUMBER = re.compile(r"\s*(\d+)(?:\.0+)?(?!\d)")
_MISSING = frozenset({"", "nan", "na", "n/a", "null", "-"})


def move_of(tag: str, role: str) -> str | None:
    """The move of a tag, "" for an empty one, None for one that is not known or whose number and name disagree."""
    said = tag.strip().casefold()
    if said in _MISSING:
        return ""
    numbered = _NUMBER.match(said)
    by_number = TAG_NUMBERS[role].get(int(numbered.group(1))) if numbered else None
    by_word = next((move for word, move in TAG_WORDS[role] if word in said), None)
    if by_word is None:
        return by_number
    return by_word if numbered is None or by_number == by_word else None


def known_tags(role: str) -> str:
    """The tags of a role, for a message."""
    return ", ".join(f"{number} ({move})" for number, move in TAG_NUMBERS[role].items())
