"""Mathematics in what people and models write, as a small tree of MathML: LaTeX and typed arithmetic."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any, NamedTuple, TypeAlias

import msgspec

from eduverse_mesa.pupils.markup import Markup, join, tag

__all__ = ["math", "typeset"]

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
"""Elements that a tree may be made of, and the attributes that each may have: a part of MathML Core without links,
styles and scripts. https://www.w3.org/TR/mathml-core/"""


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


_LETTER = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u03bf\u03c1-\u03ff\u0400-\u04ff"
"""Letters of which words are made; without those of mathematics, and of scripts that set no spaces between words."""
_TOKEN = re.compile(
    rf"""(?P<address>(?<!\S)\S*(?:://|@|www\.)\S*)
    |(?P<number>(?:[$£€＄]\s?)?(?:\d+(?:,\d+)*(?:\.\d+)?[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞]?
        |\.\d+|[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞])(?:\s?[%％])?)
    |(?P<base>[{_LETTER}]{{1,8}}(?=\^\d))
    |(?P<root>sqrt(?=\()|√)
    |(?P<letter>[A-Za-zπ](?![{_LETTER}'’]))
    |(?P<word>[{_LETTER}]+(?:['’][{_LETTER}]+)*)
    |(?P<broken>=+>|-+>|<-+|<=>|==+|\*\*+|--+|\+\++|//+|\.\.+|!=+(?=!))
    |(?P<relation><=|>=|!=|[=＝<>≤≥≠≈])
    |(?P<sign>[-+*·×÷/∕⁄−–＋×])
    |(?P<power>\^|[²³])
    |(?P<open>[(（])
    |(?P<close>[)）])
    |(?P<space>[ \u00a0]+)
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_SHOWN = {
    "*": "×", "·": "·", "-": "−", "–": "−", "＋": "+", "＝": "=", "<=": "≤", ">=": "≥", "!=": "≠", "∕": "/", "⁄": "/",
}  # fmt: skip
_PLAIN = r"\d+(?:[.,]\d+)*"
_SHARED = re.compile(
    rf"(?P<top>(?<![\d:：.,/)]){_PLAIN}|\))(?P<gap>\s*)[:：]"
    rf"(?=(?P=gap){_PLAIN}\s*[=＝]\s*[$£€]?{_PLAIN}(?!\s*[:：]|[\d/]))"
)
"""60:20 = 3 divides; 10:30 is a time, 3:2 a score, and 1:2 = 2:4 compares."""
_DEEPEST = 6
_SHORT, _LONGEST = 24, 60
"""Characters that stand in one line, and those beyond which nothing is drawn: as text it can be broken anywhere."""
_BOUND = frozenset("/∕⁄:.-_#+*^@\\~<>") | {"->", "=>", "**"}
"""Signs that bind a number to what stands before it."""
_STICKS = frozenset({"word", "address", "letter", "number"})
"""Kinds of token that end in a letter or digit: a number right behind one belongs to it."""


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


class Found(NamedTuple):
    """Arithmetic in a text."""

    start: int
    end: int
    tree: Node


class _Read(NamedTuple):
    """A part of an expression, and the token behind it."""

    node: Node
    after: int


def find_arithmetic(text: str) -> Iterator[Found]:
    """The pieces of arithmetic in a text, in order."""
    tokens = [_Token(str(one.lastgroup), one[0], one.start(), one.end()) for one in _TOKEN.finditer(_shared(text))]
    at = 0
    while at < len(tokens):
        reader = _Reader(tokens)
        found = reader.expression(at) if _may_begin(tokens, at) else None
        if found is None:
            at += 1
            continue
        yield from (one for one in _in_lines(text, reader, at, found) if one.end - one.start <= _LONGEST)
        at = found.after


def _shared(text: str) -> str:
    """The same, as long, with / for a colon that divides."""
    return _SHARED.sub(lambda one: f"{one['top']}{one['gap']}/", text)


def _in_lines(text: str, reader: _Reader, at: int, found: _Read) -> Iterator[Found]:
    """No browser breaks a line within a piece of mathematics: what is long becomes several, each from a = on."""
    tokens = reader.tokens
    end = tokens[found.after - 1].end
    breaks = [one for one in range(at, found.after) if tokens[one].kind == "relation"]
    if end - tokens[at].start <= _SHORT or not breaks:
        yield Found(tokens[at].start, end, mathematics(text[tokens[at].start : end], found.node))
        return
    last = tokens[at].start
    for begin in (at, *breaks):
        part = reader.side(begin)
        until = tokens[part.after - 1].end
        yield Found(last, until, mathematics(text[last:until], part.node))
        last = until


def _may_begin(tokens: list[_Token], at: int) -> bool:
    one = tokens[at]
    if one.kind not in ("number", "letter", "base", "root", "open") and one.text not in "-−":
        return False
    if at == 0:
        return True
    before = tokens[at - 1]
    if before.kind == "space" and at > 1 and tokens[at - 2].text == ":" and at > 2 and tokens[at - 3].kind == "space":
        return False  # 6 : 3
    if one.text in "-−":
        return before.kind in ("space", "open")
    return before.kind not in _STICKS | {"close"} and before.text not in _BOUND


class _Reader:
    """Reads one expression: sums of products of powers, and relations between them."""

    def __init__(self, tokens: list[_Token]) -> None:
        self.tokens = tokens

    def expression(self, at: int) -> _Read | None:
        """All that belongs together from here on, if it is arithmetic."""
        read = self._chain(at, "relation", "sign")
        if read is None or not self._is_arithmetic(at, read) or not self._ends(at, read.after):
            return None
        return read

    def side(self, at: int) -> _Read:
        """One side of a relation that was read before, with the sign before it."""
        sign = self.tokens[at]
        read = self._chain(self._skip(at + 1) if sign.kind == "relation" else at, "sign")
        assert read is not None
        if sign.kind != "relation":
            return read
        return _Read(node("mrow", node("mo", _SHOWN.get(sign.text, sign.text), form="infix"), read.node), read.after)

    def _is_arithmetic(self, at: int, read: _Read) -> bool:
        """Told by what it is made of from what only looks like it."""
        kinds = [one.kind for one in self.tokens[at : read.after]]
        signs = {one.text for one in self.tokens[at : read.after] if one.kind == "sign"}
        fractions, times = _count(read.node, "mfrac"), any(_is_times(self.tokens, one) for one in range(at, read.after))
        if self._goes_on(at):
            return (
                fractions > 0 and not signs - {"/", "∕", "⁄"} and "relation" not in kinds and "space" not in kinds[:1]
            )
        if "relation" in kinds:
            return "number" in kinds or bool(signs) or "power" in kinds
        if "power" in kinds or "root" in kinds:
            return True
        if "number" not in kinds:
            return False
        if signs == {"/"} and "space" not in kinds and not fractions:  # 3/8/2026
            return False
        if signs <= {"-", "–", "−"} and not fractions and not times:  # scores, ranges, telephones, names of plans
            return bool(signs) and "letter" not in kinds and "space" in kinds
        return bool(signs) or fractions > 0 or times

    def _goes_on(self, at: int) -> bool:
        """It stands behind a sign that belongs to something we have not understood: 60 feet / 20 = 3."""
        before = self._at(at - 1)
        if before is not None and before.kind == "space":
            before = self._at(at - 2)
        return before is not None and before.kind == "sign"

    def _ends(self, at: int, after: int) -> bool:
        """Nothing sticks to it: no 10:30, 1.2.3, 3rd, 3/8/2026."""
        behind, further = self._at(after), self._at(after + 1)
        if behind is None or behind.kind == "space":
            return True
        if behind.kind in ("word", "letter", "base", "number", "power", "root", "address"):
            related = any(one.kind == "relation" for one in self.tokens[at:after])
            return self.tokens[after - 1].kind in ("number", "close") and _unit(behind) and related
        if further is None or behind.text not in ("/", ":", ".", "-", "_", "*", "^", ","):
            return True
        return further.kind != "number" and (further.kind not in ("letter", "word") or behind.text in "-.,:")

    def _at(self, at: int) -> _Token | None:
        return self.tokens[at] if 0 <= at < len(self.tokens) else None

    def _skip(self, at: int) -> int:
        one = self._at(at)
        return at + 1 if one is not None and one.kind == "space" else at

    def _chain(self, at: int, *kinds: str, depth: int = 0) -> _Read | None:
        """Terms with signs between them; a sign has space on both sides or on none."""
        first = self._term(at, depth)
        if first is None:
            return None
        parts: list[Piece] = [first.node]
        after = first.after
        while True:
            sign_at = self._skip(after)
            sign = self._at(sign_at)
            if sign is None or not (sign.kind in kinds or _is_times(self.tokens, sign_at)):
                break
            next_at = self._skip(sign_at + 1)
            spaced = sign_at > after
            loose = spaced != (next_at > sign_at + 1)
            if loose and sign.kind != "relation":
                break
            over = sign.text in ("/", "∕", "⁄") and not spaced  # in a line: what is over what is not told by 60/20/3
            term = self._factor(next_at, depth) if over else self._term(next_at, depth)
            if term is None or (loose and sign.text in "<>"):
                break
            parts += [node("mo", _SHOWN.get(sign.text, "×" if sign.kind == "letter" else sign.text)), term.node]
            after = term.after
        return _Read(parts[0] if len(parts) == 1 and isinstance(parts[0], Node) else node("mrow", *parts), after)

    def _term(self, at: int, depth: int) -> _Read | None:
        """A factor or a fraction, with what is multiplied by it without a sign: 2x."""
        one = self._at(at)
        if one is not None and one.text in ("-", "−") and one.kind == "sign":
            inner = self._factor(at + 1, depth)
            return inner and _Read(node("mrow", node("mo", "−"), inner.node), inner.after)
        factor = self._fraction(at, depth)
        if factor is None:
            return None
        parts, after = [factor.node], factor.after
        while (behind := self._at(after)) is not None and self.tokens[after - 1].kind in ("number", "close", "letter"):
            joined = behind.kind in ("letter", "base") and not _is_times(self.tokens, after)
            if not joined and not (behind.kind == "open" and self.tokens[after - 1].kind == "number"):
                break
            more = self._factor(after, depth)
            if more is None:
                break
            parts.append(more.node)
            after = more.after
        return _Read(parts[0] if len(parts) == 1 else node("mrow", *parts), after)

    def _fraction(self, at: int, depth: int) -> _Read | None:
        mixed = self._mixed(at)
        if mixed is not None:
            return mixed
        top = self._factor(at, depth)
        slash = self._at(top.after) if top is not None else None
        if top is None or slash is None or slash.text not in "/∕⁄":
            return top
        bottom = self._factor(top.after + 1, depth)
        further = self._at(bottom.after) if bottom is not None else None
        if bottom is None or (further is not None and further.text == "/"):
            return top  # 3/8/2026 is no fraction, and 60/20/3 stays in a line
        if not any(self.tokens[place].kind in ("number", "open") for place in (at, top.after + 1)):
            return top  # w/o, n/a
        return _Read(node("mfrac", _bare(top.node), _bare(bottom.node)), bottom.after)

    def _mixed(self, at: int) -> _Read | None:
        """A whole number and a fraction: 2 1/2, 2又1/2."""
        one, between, top, slash, bottom, further = (self._at(at + place) for place in range(6))
        if one is None or between is None or top is None or slash is None or bottom is None:
            return None
        plain = all(part.kind == "number" and part.text.isdigit() for part in (one, top, bottom))
        if not plain or slash.text != "/" or between.text not in (" ", "\u00a0", "又"):
            return None
        if int(top.text) >= int(bottom.text) or (further is not None and further.text == "/"):
            return None
        fraction = node("mfrac", node("mn", top.text), node("mn", bottom.text))
        whole: list[Piece] = [node("mn", one.text)]
        if between.text == "又":
            whole.append(node("mtext", "又"))
        return _Read(node("mrow", *whole, fraction), at + 5)

    def _factor(self, at: int, depth: int) -> _Read | None:
        """A number, a letter, a root or a sum in brackets, perhaps raised to a power."""
        base = self._atom(at, depth)
        power = self._at(base.after) if base is not None else None
        if base is None or power is None or power.kind != "power":
            return base
        if power.text in "²³":
            return _Read(node("msup", base.node, node("mn", "2" if power.text == "²" else "3")), base.after + 1)
        raised = self._atom(base.after + 1, depth)
        if raised is None:
            return base
        return _Read(node("msup", base.node, _bare(raised.node)), raised.after)

    def _atom(self, at: int, depth: int) -> _Read | None:
        one = self._at(at)
        if one is None or depth > _DEEPEST:
            return None
        if one.kind == "number":
            return _Read(node("mn", one.text), at + 1)
        if one.kind in ("letter", "base"):
            return _Read(node("mi", one.text), at + 1)
        if one.kind == "root":
            inner = self._atom(at + 1, depth + 1)
            if inner is None:
                return None
            return _Read(node("msqrt", _bare(inner.node)), inner.after)
        if one.kind == "open":
            inner = self._chain(at + 1, "sign", depth=depth + 1)
            close = self._at(inner.after) if inner is not None else None
            if inner is None or close is None or close.kind != "close":
                return None
            opening, closing = (node("mo", sign, fence="true") for sign in "()")
            return _Read(node("mrow", opening, inner.node, closing), inner.after + 1)
        return None


def _bare(part: Node) -> Node:
    """Without its brackets, which the line of a fraction, a root or a power makes needless."""
    if part.name == "mrow" and len(part.children) == 3:
        first, inner, _ = part.children
        if isinstance(first, Node) and first.attributes.get("fence") and isinstance(inner, Node):
            return inner
    return part


def _count(part: Node, name: str) -> int:
    """Return the number of elements of a name in a tree."""
    return (part.name == name) + sum(_count(child, name) for child in part.children if isinstance(child, Node))


def _is_times(tokens: list[_Token], at: int) -> bool:
    """An x between two numbers: 12 x 4."""
    if not 0 < at < len(tokens) - 1 or tokens[at].text not in "xX" or tokens[at].kind != "letter":
        return False
    before, behind = tokens[at - 1], tokens[at + 1]
    if before.kind == "space" and behind.kind == "space" and 1 < at < len(tokens) - 2:
        before, behind = tokens[at - 2], tokens[at + 2]
    return before.kind == behind.kind == "number"


def _unit(behind: _Token) -> bool:
    """A unit that sticks to a number: 60/20 = 3ft, 3cm."""
    return behind.kind in ("word", "letter", "base") and len(behind.text) <= 3


LONGEST_FORMULA = 400
_MOST = 400
"""Elements in one formula."""
_LATEX_DEEPEST = 24
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

    if len(source) > LONGEST_FORMULA or not source.strip():
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
        """Return the pieces that stand in an element."""
        return [piece for child in element for piece in self.one(child, depth + 1)]

    def one(self, element: Any, depth: int) -> list[Piece]:
        """An element, or what stands in it where it is none of ours."""
        self.count += 1
        if self.count > _MOST or depth > _LATEX_DEEPEST:
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
            return [Node(name, attributes, (_latex_words(element.text or ""),))]
        children = tuple(self.all_of(element, depth))
        if len(children) != _ARITY.get(name, len(children)):
            raise _MisfitError
        return [Node(name, attributes, children)]


def _latex_words(text: str) -> str:
    """The text of a leaf. A command that is not known would be left in it."""
    said = unescape(text)
    if len(said) > 1 and said.startswith("\\"):
        raise _MisfitError
    return said


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
