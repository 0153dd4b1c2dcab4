"""Text from people, files and models made safe to show and to quote."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

OPEN, CLOSE = "«", "»"
"""The boundaries of quoted text in a prompt. Cleaned text never holds them, so nothing inside can close them."""

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Letters and marks that show nothing: fillers, a braille cell without dots, and variation selectors, which can carry
# a message from code point to code point. The two that tell an emoji from a letter (FE0E, FE0F) stay.
_BLANK = re.compile("[\u115f\u1160\u2800\u3164\uffa0]")
_UNSEEN = re.compile("[\u034f\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0d\U000e0100-\U000e01ef]")
# Words that chat templates and instruction formats give a meaning: <|im_start|>, <｜User｜>, </s>, [INST], <<SYS>>,
# ### System: and fences. Comparisons and arrows (3 < 5, 3<5, ->, <=) stay as they are.
_TAG = re.compile(r"<(?=[^\s\d=.-])")
_TAG_END = re.compile(r"(?<=[^\s\d=.-])>")
_BRACKETED = re.compile(
    r"\[\s*(/?\s*(?:INST|SYS|SYSTEM|SYSTEM_\w+|USER|ASSISTANT|THINK|AVAILABLE_TOOLS|TOOL_\w+))\s*\]", re.IGNORECASE
)
_HEADING = re.compile(r"#{2,}")
_FENCE = re.compile(r"([`~=-])\1{2,}")


def clean(text: str) -> str:
    """One line of text, without control, zero-width, bidirectional and private characters and lone surrogates."""
    if text.isascii() and text.isprintable():  # nearly always
        return " ".join(text.split())
    kept = []
    for character in _UNSEEN.sub("", _BLANK.sub(" ", text)):
        if character in "\t\n\r\v\f\u0085\u2028\u2029":
            kept.append(" ")
        elif unicodedata.category(character) not in _HIDDEN:
            kept.append(character)
    return " ".join("".join(kept).split())


_LINES = re.compile("[\n\r\v\f\u0085\u2028\u2029]+")


def lines_of(text: str) -> str:
    """Clean text like `clean`, but keep the lines that somebody has made, without empty ones."""
    return "\n".join(line for line in map(clean, _LINES.split(text)) if line)


def quote(text: str, longest: int = 600) -> str:
    """Text as a prompt may hold it: between boundaries it cannot close, and with nothing that a model reads as more
    than text."""
    text = defuse(clean(text))
    if len(text) > longest:
        text = text[: longest - 1].rstrip() + "…"
    return f"{OPEN}{text}{CLOSE}"


def defuse(text: str) -> str:
    """Take the meaning from what chat templates would read as the end of a message or the start of another."""
    text = text.replace(OPEN, '"').replace(CLOSE, '"')
    text = _TAG_END.sub("›", _TAG.sub("‹", text))
    text = _BRACKETED.sub(r"(\1)", text)
    return _FENCE.sub(r"\1", _HEADING.sub("#", text))


_NO_NAME = re.compile(r"[^\w .'’·-]|(?<=\w\w\w)\.|^[\W_]+")
"""Signs that names do without; a full stop stays after a letter or two (Ms., J. R.)."""
_NAME_WORDS, _NAME_LETTERS = 6, 48


@lru_cache(maxsize=4096)
def name_of(name: str) -> str:
    """A name as it may stand outside of boundaries: a few words without the signs that would make a sentence."""
    plain = _NO_NAME.sub(" ", defuse(clean(name)))
    return " ".join(plain.split()[:_NAME_WORDS])[:_NAME_LETTERS].lstrip(" .'’·_-").rstrip(" '’·_-") or "?"
