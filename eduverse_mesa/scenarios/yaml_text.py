"""YAML text to plain data, built from the parser's events.

PyYAML's own composer follows nesting by recursion and expands aliases; working on events needs no recursion and stops
at the first thing that a scenario has no use for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NoReturn

import yaml
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
)

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.plain import MAX_DEPTH, MAX_NODES, UNWANTED, Plain, Reading, Spot, Trail

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o([0-7]+)")
_HEXADECIMAL = re.compile(r"0x([0-9a-fA-F]+)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INFINITE = re.compile(r"([-+]?)\.(?:inf|Inf|INF)")
_NOT_A_NUMBER = frozenset({".nan", ".NaN", ".NAN"})
# Python refuses to read endless integers, and no quantity of a lesson needs more digits.
MAX_DIGITS = 100


def resolve_scalar(text: str) -> bool | int | float | str | None:
    """The value of a plain scalar; ValueError for a number with too many digits."""
    if text in _NULL:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    number = _resolve_number(text)
    return text if number is None else number


def _resolve_number(text: str) -> int | float | None:
    if text[:1] not in "+-.0123456789":
        return None
    if match := _INFINITE.fullmatch(text):
        return float(f"{match[1]}inf")
    if text in _NOT_A_NUMBER:
        return float("nan")
    for form, base in ((_INTEGER, 10), (_OCTAL, 8), (_HEXADECIMAL, 16)):
        if match := form.fullmatch(text):
            _limit(text)
            return int(match[match.lastindex or 0], base)
    if _FLOAT.fullmatch(text):
        _limit(text)
        return float(text)
    return None


def _limit(text: str) -> None:
    if len(text) > MAX_DIGITS:
        raise ValueError(f"a number has more than {MAX_DIGITS} digits")


# The same parser twice: in C where PyYAML was built with it, else in Python, ten times slower.
_LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MENDS = {
    "cannot start any token": "Indent with spaces, not tabs, and quote text that begins with a special character.",
    "mapping values are not allowed": 'Quote text that holds a colon ("like: this") and check the indentation.',
    "did not find expected key": "Check that the lines of one mapping start in the same column, and that quotes close.",
    "could not find expected ':'": "Write `key: value`, with a space after the colon.",
    "while scanning a quoted scalar": "Close the quotes.",
}


def parse(text: str, label: str) -> Reading:
    """The one YAML document in a text, as plain data with places."""
    _refuse_unwanted(text, label)
    builder = _Builder(label)
    documents = 0
    for event in _events(text, label):
        if isinstance(event, DocumentStartEvent):
            documents += 1
            if documents > 1:
                builder.refuse(event, "a second document starts here", "Keep one document per file: remove the `---`.")
        elif isinstance(event, NodeEvent | CollectionEndEvent):
            builder.take(event)
    if not documents or builder.reading.data is None:
        raise ScenarioError("there is nothing in it.", where=label, mend="Write at least one `key: value` line.")
    return builder.reading


def _events(text: str, label: str) -> Iterator[Event]:
    try:
        yield from yaml.parse(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = Spot(label, mark.line + 1, mark.column + 1) if mark else Spot(label)
        said = ", ".join(part for part in (error.context, error.problem) if part)
        mend = next((mend for sign, mend in _MENDS.items() if sign in said), None)
        raise ScenarioError(
            f"this is not YAML: {said}.",
            where=str(where),
            mend=mend or "Check the indentation, quotes and brackets around this place.",
        ) from None
    except yaml.YAMLError as error:
        raise ScenarioError(f"this is not YAML: {error}.", where=label, mend="Save it as YAML text.") from None


def _refuse_unwanted(text: str, label: str) -> None:
    if match := UNWANTED.search(text):
        line, column = text.count("\n", 0, match.start()) + 1, match.start() - text.rfind("\n", 0, match.start())
        raise ScenarioError(
            f"the character U+{ord(match[0]):04X} is not text.",
            where=str(Spot(label, line, column)),
            mend="Remove it, or save the file as YAML text.",
        )


class _Open:
    """A mapping or list that is not closed yet; a mapping holds a key while its value is awaited."""

    def __init__(self, content: list[Plain] | dict[str, Plain], trail: Trail) -> None:
        self.content = content
        self.trail = trail
        self.key: str | None = None

    def next_trail(self) -> Trail:
        return (*self.trail, len(self.content) if self.key is None else self.key)

    def add(self, value: Plain) -> None:
        if isinstance(self.content, list):
            self.content.append(value)
        elif self.key is not None:
            self.content[self.key] = value
            self.key = None


class _Builder:
    """Takes events one by one and builds the data, with a stack of its own."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.reading = Reading(None, {(): Spot(label)})
        self.stack: list[_Open] = []
        self.nodes = 0

    def refuse(self, event: Event, message: str, mend: str) -> NoReturn:
        raise ScenarioError(f"{message}.", where=str(self.spot(event)), mend=mend)

    def spot(self, event: Event) -> Spot:
        mark = event.start_mark
        return Spot(self.label, mark.line + 1, mark.column + 1) if mark else Spot(self.label)

    def take(self, event: Event) -> None:
        if isinstance(event, CollectionEndEvent):
            self.stack.pop()
            return
        self._refuse_extras(event)
        top = self.stack[-1] if self.stack else None
        if top is not None and isinstance(top.content, dict) and top.key is None:
            self._take_key(top, event)
            return
        trail = top.next_trail() if top else ()
        self.reading.values[trail] = self.spot(event)
        value = self._value(event)
        if top:
            top.add(value)
        else:
            self.reading.data = value
        if isinstance(value, list | dict):
            if len(self.stack) >= MAX_DEPTH:
                self.refuse(event, f"this is nested deeper than {MAX_DEPTH}", "Flatten it: no scenario is that deep.")
            self.stack.append(_Open(value, trail))

    def _refuse_extras(self, event: Event) -> None:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            self.refuse(event, f"there are more than {MAX_NODES:,} values", "Split the file.")
        if isinstance(event, AliasEvent) or getattr(event, "anchor", None) is not None:
            self.refuse(
                event,
                "anchors and aliases (&name, *name) are not allowed",
                "Write the value out, or quote it if it is text.",
            )
        tag = getattr(event, "tag", None)
        if tag is not None:
            self.refuse(event, f"tags like {tag} are not allowed", "Remove it, or quote the value if it is text.")

    def _value(self, event: Event) -> Plain:
        if isinstance(event, CollectionStartEvent):
            return {} if isinstance(event, MappingStartEvent) else []
        assert isinstance(event, ScalarEvent)
        text = event.value
        if UNWANTED.search(text):
            self.refuse(event, "an escape makes a control character", "Remove it.")
        if not event.implicit[0]:  # quoted or a block of text
            return str(text)
        try:
            return resolve_scalar(text)
        except ValueError as error:
            self.refuse(event, str(error), "Quote it if it is not a quantity.")

    def _take_key(self, top: _Open, event: Event) -> None:
        if not isinstance(event, ScalarEvent):
            self.refuse(event, "a key must be text, not a list or mapping", "Write `key: value`.")
        key = self._value(event)
        if not isinstance(key, str):
            shown = event.value or "null"
            self.refuse(event, f"the key {shown} is not text", f'Put it in quotes: "{shown}".')
        top.key = key
        trail = top.next_trail()
        if trail in self.reading.keys:
            first = self.reading.keys[trail]
            self.refuse(
                event,
                f"the key '{key}' is given twice (first in line {first.line})",
                "Remove one of the two.",
            )
        self.reading.keys[trail] = self.spot(event)
