"""Text with mathematics in it, as a small tree: words, and MathML elements from a short list.

The same tree becomes markup on the server (`typesetting`) and elements in the browser (`talk.js`), so that both show
the same and neither ever reads markup out of what somebody wrote.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

ELEMENTS = {
    "math": frozenset[str](),
    "mrow": frozenset[str](),
    "mi": frozenset({"mathvariant"}),
    "mn": frozenset[str](),
    "mo": frozenset({"stretchy", "fence", "form", "separator"}),
    "mtext": frozenset[str](),
    "mspace": frozenset({"width"}),
    "mfrac": frozenset({"linethickness"}),
    "msqrt": frozenset[str](),
    "mroot": frozenset[str](),
    "msub": frozenset[str](),
    "msup": frozenset[str](),
    "msubsup": frozenset[str](),
    "munder": frozenset({"accentunder"}),
    "mover": frozenset({"accent"}),
    "munderover": frozenset({"accent", "accentunder"}),
    "mtable": frozenset[str](),
    "mtr": frozenset[str](),
    "mtd": frozenset[str](),
    "mstyle": frozenset({"displaystyle", "scriptlevel"}),
}
"""What a tree may be made of, and the attributes that each may have: a part of MathML Core without links, styles and
scripts. https://www.w3.org/TR/mathml-core/"""


class Node(msgspec.Struct, array_like=True, frozen=True):
    """A MathML element."""

    name: str
    attributes: dict[str, str]
    children: tuple[Node | str, ...]


Piece: TypeAlias = str | Node
"""Words, or mathematics."""


def node(name: str, *children: Piece, **attributes: str) -> Node:
    """An element."""
    return Node(name, attributes, children)


def mathematics(source: str, *children: Piece) -> Node:
    """A piece of mathematics. What was typed stays with it: that is what is copied."""
    return Node("math", {"alttext": source}, children)
