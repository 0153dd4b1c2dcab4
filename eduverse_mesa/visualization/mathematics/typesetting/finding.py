r"""Finds the mathematics in what people and models write: LaTeX in \( \) or \[ \], and arithmetic around it.

A dollar sign is money here and never mathematics. What is not understood stays as it was typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from eduverse_mesa.visualization.mathematics.markup import Markup, join, tag
from eduverse_mesa.visualization.mathematics.typesetting.arithmetic import find_arithmetic
from eduverse_mesa.visualization.mathematics.typesetting.latex import read_latex
from eduverse_mesa.visualization.mathematics.typesetting.tree import Node, Piece

LONGEST = 8000
"""Characters of a text in which mathematics is looked for; nobody says or sets more."""
_MOST_LATEX = 40
_LATEX = re.compile(r"\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)


def typeset(text: str) -> tuple[Piece, ...]:
    """The words and the mathematics of a text, in order."""
    if len(text) > LONGEST:
        return (text,)
    return tuple(_pieces(text))


def math(text: str) -> Markup:
    """A text with its mathematics, as markup; all that is not mathematics is escaped."""
    return join([_markup(piece) for piece in typeset(text)])


def _pieces(text: str) -> Iterator[Piece]:
    last = 0
    for number, match in enumerate(_LATEX.finditer(text)):
        found = read_latex(match[1] or match[2], match[0]) if number < _MOST_LATEX else None
        if found is None:
            continue
        yield from _words(text[last : match.start()])
        yield found
        last = match.end()
    yield from _words(text[last:])


def _words(text: str) -> Iterator[Piece]:
    last = 0
    for found in find_arithmetic(text):
        if found.start > last:
            yield text[last : found.start]
        yield found.tree
        last = found.end
    if last < len(text):
        yield text[last:]


def _markup(piece: Piece) -> object:
    if not isinstance(piece, Node):
        return piece
    return tag(piece.name, *(_markup(child) for child in piece.children), **piece.attributes)
