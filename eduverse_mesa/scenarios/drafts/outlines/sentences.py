"""Sentences of an outline: what is asked, what is done and by whom, what is told, and what only looks like it."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from eduverse_mesa.scenarios.drafts.outlines import chinese, english
from eduverse_mesa.scenarios.drafts.outlines.acts import Act

Kind = Literal["question", "act", "idea"]

_ENDS = re.compile(
    r"(?<=[.!?])(?<!\b[A-Za-z]\.)(?<!\bno\.)(?<!\bpp\.)(?<!e\.g\.)(?<!i\.e\.)\s+(?=[\"“‘'(]?[A-Z0-9])|"
    r"(?<=[。！？；])\s*(?=\S)"
)
_ASKING = ("?", "？")
_QUOTED = re.compile(r"[\"“「『]([^\"“”「」『』]{3,}[?？])[\"”」』]")
_LED = re.compile(r"^(.{1,80}?)[:：]\s*(.+)$")


class Piece(NamedTuple):
    """A sentence and its kind; `act` where something is done, `sure` where the words leave no doubt."""

    kind: Kind
    text: str
    act: Act | None = None
    sure: bool = True


def read_sentences(text: str, language: str) -> list[Piece]:
    """The pieces of a line; statements that follow one another stay together."""
    found: list[Piece] = []
    for one in split(text):
        for piece in _read_one(one, language):
            before = found[-1] if found else None
            if before and before.kind == piece.kind == "idea" and before.sure and piece.sure:
                gap = "" if language == "zh" else " "
                found[-1] = before._replace(text=f"{before.text}{gap}{piece.text}")
            else:
                found.append(piece)
    return found


def read_act(text: str, language: str) -> Act | None:
    """The act that a sentence describes; None where it describes none."""
    return chinese.read_act(text) if language == "zh" else english.read_act(text)


def split(text: str) -> list[str]:
    """The sentences of a line."""
    return [one.strip() for one in _ENDS.split(text) if one and one.strip()]


def _read_one(text: str, language: str) -> list[Piece]:
    asked = _QUOTED.search(text)
    before = ""
    if asked is not None:
        before, text = text[: asked.start()], asked[1].strip()
    elif text.endswith(_ASKING) and (led := _LED.match(text)) and not led[1].endswith(_ASKING):
        before, text = led[1], led[2].strip()
    if text.endswith(_ASKING):
        return [*_leading(before, language), Piece("question", text)]
    act = read_act(text, language)
    if act is None:
        sure = (chinese if language == "zh" else english).is_statement(text)
        return [Piece("idea", text, sure=sure)]
    if act.told:
        return [Piece("idea", act.told)]
    return [Piece("act", text, act)]


def _leading(text: str, language: str) -> list[Piece]:
    """Return the act before a question is asked; that somebody asks is no act of its own."""
    rest = (chinese if language == "zh" else english).without_asking(text.strip(" ,，:：;；、-–—"))
    act = read_act(rest, language) if rest else None
    return [Piece("act", rest, act)] if act is not None and not act.told else []
