"""Text from people, files and models made safe to show and to quote."""

from __future__ import annotations

import re
import unicodedata

OPEN, CLOSE = "«", "»"
"""The boundaries of quoted text in a prompt. Cleaned text never holds them, so nothing inside can close them."""

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Words that chat templates and instruction formats give a meaning: <|im_start|>, </s>, [INST], <<SYS>>, ### System:
_TAG = re.compile(r"<(?=[A-Za-z/|!?<])")
_TAG_END = re.compile(r"(?<=[|A-Za-z/>])>")
_BRACKETED = re.compile(r"\[\s*(/?\s*(?:INST|SYS|SYSTEM|USER|ASSISTANT|AVAILABLE_TOOLS|TOOL_\w+))\s*\]", re.IGNORECASE)
_HEADING = re.compile(r"#{2,}")
_FENCE = re.compile(r"`{3,}|~{3,}|-{3,}|={3,}")


def clean(text: str) -> str:
    """On one line, without control, zero-width, bidirectional and private characters and lone surrogates."""
    if text.isascii() and text.isprintable():  # nearly always
        return " ".join(text.split())
    kept = []
    for character in text:
        if character in "\t\n\r\v\f\u0085\u2028\u2029":
            kept.append(" ")
        elif unicodedata.category(character) not in _HIDDEN:
            kept.append(character)
    return " ".join("".join(kept).split())


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
    return _FENCE.sub("-", _HEADING.sub("#", text))
