"""The form that an answer must have: one description gives the JSON Schema for the server and the check of the answer.

What a check finds is said in words that the model can act on, since they are sent back to it.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from eduverse_mesa.policies.llm.calls import Schema
from eduverse_mesa.policies.safe_text import clean, name_of


class UnusableError(Exception):
    """An answer that cannot be used, and what is wrong with it."""


class Shape(Protocol):
    """A part of an answer."""

    @property
    def schema(self) -> Schema:
        """Its JSON Schema."""
        ...

    @property
    def outline(self) -> str:
        """How it looks, for models that are not held to a schema."""
        ...

    def read(self, value: Any, place: str) -> Any:
        """The value, checked; says what is wrong with it otherwise."""
        ...


@dataclass(frozen=True, slots=True)
class Words:
    """Text of at most so many characters."""

    longest: int
    optional: bool = False
    shortest: int = 1
    """Where it is not optional."""
    pattern: str = ""
    """A regular expression. It is told in words, and checked by the type that has it: servers each know another part of
    them."""

    @property
    def schema(self) -> Schema:
        """A string with bounds."""
        bounds = {"type": "string", "maxLength": self.longest} | ({} if self.optional else {"minLength": self.shortest})
        return bounds | ({"description": f"matches {self.pattern}"} if self.pattern else {})

    @property
    def outline(self) -> str:
        """Text in quotation marks."""
        return f'"text that matches {self.pattern}"' if self.pattern else '"..."'

    def read(self, value: Any, place: str) -> str:
        """The text, cleaned of what no reader can see."""
        if not isinstance(value, str):
            raise UnusableError(f"{place} must be text")
        text = clean(value)
        if not text and not self.optional:
            raise UnusableError(f"{place} is empty")
        if len(text) > self.longest:
            raise UnusableError(f"{place} is too long: {len(text)} characters, at most {self.longest} are allowed")
        return text


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of some words, shown as they may stand in a prompt; case, spaces and hyphens do not matter in an answer."""

    options: tuple[str, ...]

    @property
    def schema(self) -> Schema:
        """An enumeration."""
        return {"type": "string", "enum": list(dict.fromkeys(map(name_of, self.options)))}

    @property
    def outline(self) -> str:
        """The options, as many as are worth repeating."""
        return '"' + "|".join(map(name_of, self.options)) + '"'

    def read(self, value: Any, place: str) -> str:
        """The option as it is written here."""
        if isinstance(value, str):
            if value in self.options:
                return value
            shown = [option for option in self.options if name_of(option) == value]
            wanted = _plain(value)
            close = shown or [option for option in self.options if _plain(name_of(option)) == wanted]
            if len(close) == 1 or shown:
                return close[0]
        raise UnusableError(f"{place} must be one of: {', '.join(map(name_of, self.options))}")


def _plain(text: str) -> str:
    return re.sub(r"[\s_-]+", "_", clean(text).casefold()).strip("_.")


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number from `least` to `most`."""

    least: int
    most: int

    @property
    def schema(self) -> Schema:
        """An integer with bounds."""
        return {"type": "integer", "minimum": self.least, "maximum": self.most}

    @property
    def outline(self) -> str:
        """The range."""
        return f"{self.least}..{self.most}"

    def read(self, value: Any, place: str) -> int:
        """The number; 3.0 counts as 3."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise UnusableError(f"{place} must be a whole number")
        # In this order: neither infinity nor an integer beyond all floats can be turned into the other.
        if not self.least <= value <= self.most or value != int(value):
            raise UnusableError(f"{place} must be a whole number from {self.least} to {self.most}")
        return int(value)


_HUGE = sys.float_info.max


@dataclass(frozen=True, slots=True)
class Real:
    """A number, whole or not, from `least` to `most`; None is no bound."""

    least: float | None = None
    most: float | None = None

    @property
    def schema(self) -> Schema:
        """A number with bounds."""
        bounds = {"minimum": self.least, "maximum": self.most}
        return {"type": "number"} | {name: bound for name, bound in bounds.items() if bound is not None}

    @property
    def outline(self) -> str:
        """The range."""
        return f"number{_range(self.least, self.most)}"

    def read(self, value: Any, place: str) -> float:
        """The number."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not -_HUGE <= value <= _HUGE:
            raise UnusableError(f"{place} must be a number")
        if (self.least is not None and value < self.least) or (self.most is not None and value > self.most):
            raise UnusableError(f"{place} must be a number{_range(self.least, self.most)}")
        return value


def _range(least: float | None, most: float | None) -> str:
    if least is not None and most is not None:
        return f" from {least:g} to {most:g}"
    if least is not None:
        return f" of at least {least:g}"
    return "" if most is None else f" of at most {most:g}"


Scalar: TypeAlias = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Choice:
    """One of some values that a program names: they are shown as they are, unlike names of people."""

    values: tuple[Scalar, ...]

    @property
    def schema(self) -> Schema:
        """An enumeration."""
        kinds = list(dict.fromkeys(_KINDS[type(value)] for value in self.values))
        return {"type": kinds[0] if len(kinds) == 1 else kinds, "enum": list(self.values)}

    @property
    def outline(self) -> str:
        """All values."""
        return "|".join(json.dumps(value, ensure_ascii=False) for value in self.values)

    def read(self, value: Any, place: str) -> Scalar:
        """The value as it is written here; of text, case, spaces and hyphens do not matter."""
        for one in self.values:
            if type(one) is type(value) and one == value:
                return one
        wanted = _plain(_written(value)) if isinstance(value, str | int | float) else None
        close = [one for one in self.values if _plain(_written(one)) == wanted]
        if len(close) == 1:
            return close[0]
        raise UnusableError(f"{place} must be one of: {', '.join(map(_written, self.values))}")


_KINDS = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def _written(value: Scalar) -> str:
    """A value in words: text without its quotation marks, and a whole number without a point."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, str) else json.dumps(value)


@dataclass(frozen=True, slots=True)
class Maybe:
    """Something, or nothing at all."""

    part: Shape

    @property
    def schema(self) -> Schema:
        """The part's, or null."""
        return {"anyOf": [self.part.schema, {"type": "null"}]}

    @property
    def outline(self) -> str:
        """The part, or null."""
        return f"{self.part.outline} or null"

    def read(self, value: Any, place: str) -> Any:
        """The value, or None."""
        return None if value is None else self.part.read(value, place)


@dataclass(frozen=True, slots=True)
class Either:
    """One of several forms."""

    parts: tuple[Shape, ...]

    @property
    def schema(self) -> Schema:
        """Any of theirs."""
        return {"anyOf": [part.schema for part in self.parts]}

    @property
    def outline(self) -> str:
        """All of them."""
        return " or ".join(part.outline for part in self.parts)

    def read(self, value: Any, place: str) -> Any:
        """The first form that fits. Where none does, the trouble is told of those that it is nearest to."""
        problems: list[tuple[int, str]] = []
        for part in self.parts:
            try:
                return part.read(value, place)
            except UnusableError as error:
                problems.append((_nearness(value, part), str(error)))
        nearest = max(near for near, _ in problems)
        raise UnusableError("; or ".join(dict.fromkeys(words for near, words in problems if near == nearest)))


def _nearness(value: Any, shape: Shape) -> int:
    """Return the number of fields of an object that fit a form."""
    if not isinstance(shape, Record) or not isinstance(value, dict):
        return 0
    near = 0
    for name, part in shape.fields.items():
        try:
            part.read(value.get(name), name)
        except UnusableError:
            continue
        near += 1
    return near


@dataclass(frozen=True, slots=True)
class YesNo:
    """True or false."""

    @property
    def schema(self) -> Schema:
        """A boolean."""
        return {"type": "boolean"}

    @property
    def outline(self) -> str:
        """Both values."""
        return "true|false"

    def read(self, value: Any, place: str) -> bool:
        """The value."""
        if not isinstance(value, bool):
            raise UnusableError(f"{place} must be true or false")
        return value


@dataclass(frozen=True, slots=True)
class Many:
    """A list of `least` to `most` parts of one shape."""

    part: Shape
    least: int
    most: int

    @property
    def schema(self) -> Schema:
        """An array with bounds."""
        return {"type": "array", "items": self.part.schema, "minItems": self.least, "maxItems": self.most}

    @property
    def outline(self) -> str:
        """A list with one part."""
        return f"[{self.part.outline}, ...]" if self.most > 1 else f"[{self.part.outline}]"

    def read(self, value: Any, place: str) -> list[Any]:
        """All parts."""
        if not isinstance(value, list):
            raise UnusableError(f"{place} must be a list")
        if not self.least <= len(value) <= self.most:
            amount = f"{self.least}" if self.least == self.most else f"{self.least} to {self.most}"
            raise UnusableError(f"{place} must have {amount} entries, not {len(value)}")
        return [self.part.read(item, f"{place}[{index + 1}]") for index, item in enumerate(value)]


class Record:
    """An object with these fields, all of them required, in this order. Fields may be names of people."""

    __slots__ = ("_shown", "fields", "schema")

    def __init__(self, fields: Mapping[str, Shape]) -> None:
        self.fields = dict(fields)
        self._shown = {name: name_of(name) for name in self.fields}
        self.schema: Schema = {
            "type": "object",
            "properties": {self._shown[name]: shape.schema for name, shape in self.fields.items()},
            "required": list(dict.fromkeys(self._shown.values())),
            "additionalProperties": False,
        }

    @property
    def outline(self) -> str:
        """All fields in order."""
        return "{" + ", ".join(f'"{self._shown[name]}": {shape.outline}' for name, shape in self.fields.items()) + "}"

    def read(self, value: Any, place: str) -> dict[str, Any]:
        """All fields; what else the model wrote is left out."""
        if not isinstance(value, dict):
            raise UnusableError(
                f"{place or 'the answer'} must be an object with the fields {', '.join(self._shown.values())}"
            )
        missing = [shown for shown in self._shown.values() if shown not in value]
        if missing:
            raise UnusableError(f"{place + ': ' if place else ''}the field {missing[0]} is missing")
        return {
            name: shape.read(value[shown], f"{place}.{shown}" if place else shown)
            for (name, shape), shown in zip(self.fields.items(), self._shown.values(), strict=True)
        }


def names(options: Sequence[str], most: int) -> Shape:
    """Up to `most` of these names; where there are none to choose from, an empty list."""
    return Many(OneOf(tuple(options)) if options else Words(1), 0, min(most, len(options)))
