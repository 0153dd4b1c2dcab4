r"""LaTeX that teachers and language models write between \( and \), as a tree of MathML.

`latex2mathml` reads it; what comes out is cut down to the elements and attributes of our list.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from eduverse_mesa.visualization.mathematics.typesetting.tree import ELEMENTS, Node, Piece, mathematics

LONGEST = 400
_MOST = 400
"""Elements in one formula."""
_DEEPEST = 24
_LEAVES = frozenset({"mi", "mn", "mo", "mtext"})
_ARITY = {"mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "munder": 2, "mover": 2, "msubsup": 3, "munderover": 3}
_VALUE = re.compile(r"true|false|normal|prefix|infix|postfix|-?\d(?:\.\d{1,4})?(?:em|px)?")
_DROPPED = frozenset({"menclose", "mpadded", "mphantom", "semantics"})
"""Not in MathML Core, or not ours: what is inside is shown without them."""


class _MisfitError(Exception):
    """It is not what we can show."""


def read_latex(source: str, typed: str) -> Node | None:
    """The mathematics that this LaTeX means; None where it is wrong, or too much."""
    from latex2mathml.converter import convert_to_element

    if len(source) > LONGEST or not source.strip():
        return None
    try:
        element = convert_to_element(source)
        children = _Cut().all_of(element, 0)
    except Exception:  # whatever a stranger's text does to the reader, it is shown as it was typed
        return None
    return mathematics(typed, *children)


class _Cut:
    """One formula, cut down."""

    def __init__(self) -> None:
        self.count = 0

    def all_of(self, element: Any, depth: int) -> list[Piece]:
        """What stands in an element."""
        return [piece for child in element for piece in self.one(child, depth + 1)]

    def one(self, element: Any, depth: int) -> list[Piece]:
        """An element, or what stands in it where it is none of ours."""
        self.count += 1
        if self.count > _MOST or depth > _DEEPEST:
            raise _MisfitError
        name = str(element.tag)
        if name in _DROPPED:
            return [Node("mrow", {}, tuple(self.all_of(element, depth)))]
        if name not in ELEMENTS or name == "math":
            raise _MisfitError
        attributes = {
            key: value
            for key, value in element.attrib.items()
            if key in ELEMENTS[name] and _VALUE.fullmatch(value) is not None
        }
        if name in _LEAVES:
            return [Node(name, attributes, (_words(element.text or ""),))]
        children = tuple(self.all_of(element, depth))
        if len(children) != _ARITY.get(name, len(children)):
            raise _MisfitError
        return [Node(name, attributes, children)]


def _words(text: str) -> str:
    """The text of a leaf. A command that is not known would be left in it."""
    said = unescape(text)
    if len(said) > 1 and said.startswith("\\"):
        raise _MisfitError
    return said
