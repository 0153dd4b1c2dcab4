"""Forms: from the type of an answer to the shape that a model is held to, and from what it said back to the type."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, is_dataclass
from enum import Enum
from typing import Any, get_type_hints

from pydantic import BaseModel, PydanticSchemaGenerationError, PydanticUserError, TypeAdapter, ValidationError
from pydantic.errors import PydanticInvalidForJsonSchema

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.llm.calls import Schema
from eduverse_mesa.policies.llm.shape import (
    Choice,
    Either,
    Many,
    Maybe,
    Number,
    Real,
    Record,
    Scalar,
    Shape,
    UnusableError,
    Words,
    YesNo,
)

LONGEST_TEXT = 2000
"""Characters of a text for which the type names no `max_length`."""
LONGEST_LIST = 20
"""Entries of a list for which the type names no `max_length`."""
LARGEST = 10**9
"""A whole number without a bound of its own is at most so far from nought."""
ALONE = "answer"
"""The field of an answer that is a single value: servers want objects."""
_MEND = "Ask for a pydantic model or a dataclass of plain fields, or for an Enum, a Literal, a bool, a number or a str."


@dataclass(frozen=True)
class Form:
    """A type as a form to be filled in."""

    name: str
    """Letters, digits and underscores: servers want a name."""
    shape: Record
    told: tuple[tuple[str, str], ...]
    """Fields and what their type says about them."""
    _adapter: TypeAdapter[Any]
    _alone: bool

    @classmethod
    def of(cls, kind: Any) -> Form:
        """The form of a type; PolicyError where no form can ask for it."""
        name = re.sub(r"\W+", "_", kind.__name__ if isinstance(kind, type) else ALONE, flags=re.ASCII).strip("_")
        if _is_value(kind):
            raise PolicyError(f"{kind!r} is a value, and no type.", where="form", mend=_as_type(kind))
        try:
            adapter: TypeAdapter[Any] = TypeAdapter(kind)
            schema = adapter.json_schema()
        except _NO_FORM:
            raise _unfit(name, *_trouble_of(kind)) from None
        definitions = schema.get("$defs", {})
        whole = _resolved(schema, definitions)
        alone = whole.get("type") != "object"
        if alone:
            whole = {"type": "object", "properties": {ALONE: whole}}
        shape = _Reader(name, definitions).record(whole, ())
        told = tuple(
            (field, " ".join(part["description"].split()))
            for field, part in whole["properties"].items()
            if not alone and part.get("description")
        )
        return cls(name, shape, told, adapter, alone)

    def value(self, filled: Any, place: str = "") -> Any:
        """The typed value of a form that is filled in; UnusableError where the type itself has something against it."""
        try:
            return self._adapter.validate_python(filled[ALONE] if self._alone else filled)
        except ValidationError as error:
            raise UnusableError(_first(error, place)) from None
        except Exception as error:  # a check of the type's own may raise anything
            trouble = f"{type(error).__name__}: {error}".removesuffix(": ")
        raise PolicyError(
            f"a check of {self.name} has failed by a mistake of its own: {trouble}.",
            where=place or self.name,
            mend="Mend it; what a model may not answer is said by ValueError.",
        )

    def filled(self, value: Any) -> Any:
        """The form with this value in it, as a model would have filled it in; UnusableError where it does not fit."""
        try:
            plain = self._adapter.dump_python(self._adapter.validate_python(value), mode="json", by_alias=True)
        except ValidationError as error:
            self.shape.read({ALONE: value} if self._alone else value, "")  # says what would do, where it can
            raise UnusableError(_first(error)) from None
        return self.shape.read({ALONE: plain} if self._alone else plain, "")

    @property
    def looks(self) -> str:
        """How a value looks, for whoever writes one."""
        return (self.shape.fields[ALONE] if self._alone else self.shape).outline


def _first(error: ValidationError, place: str = "") -> str:
    """The first thing that a type has against a value."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, ([place] if place else []) + list(first["loc"])))
    words = first["msg"].removeprefix("Value error, ")
    return f"{where}: {words}" if where else words


_NO_FORM = (PydanticSchemaGenerationError, PydanticInvalidForJsonSchema, PydanticUserError)


def _is_value(kind: Any) -> bool:
    """Return True if somebody has given a value in the place of its type."""
    return (
        kind is None
        or isinstance(kind, str | int | float | list | tuple | dict | set | BaseModel | Enum)
        or (is_dataclass(kind) and not isinstance(kind, type))
    )


def _as_type(value: Any) -> str:
    if isinstance(value, list | tuple | set) and value and all(isinstance(one, str | int) for one in value):
        return f"Write Literal[{', '.join(repr(one) for one in value)}]."
    if isinstance(value, BaseModel | Enum) or is_dataclass(value):
        return f"Write {type(value).__name__}, its class."
    return _MEND


def _trouble_of(kind: Any) -> tuple[str, str]:
    """Why no form can ask for a type, and what to do: pydantic's own words are for who knows it."""
    try:
        hints = get_type_hints(kind, include_extras=True) if isinstance(kind, type) else {}
    except NameError as error:
        return f"a type in it is not known: {error.name}", f"Define {error.name} before it, or import it."
    except TypeError:
        hints = {}
    for field, hint in hints.items():
        try:
            TypeAdapter(hint).json_schema()
        except _NO_FORM:
            return f"its field {field} is {_shown(hint)}, which no form can ask for", _MEND
    return f"no form can ask for {_shown(kind)}", _MEND


def _shown(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) else str(hint).removeprefix("typing.")


def _unfit(name: str, why: str, mend: str = "") -> PolicyError:
    return PolicyError(f"nobody can be asked for it: {why}.", where=name, mend=mend or _MEND)


def _resolved(schema: Schema, definitions: Mapping[str, Schema]) -> dict[str, Any]:
    """A part with what it refers to; a description beside the reference goes before that of the type."""
    if "$ref" not in schema:
        return dict(schema)
    target = definitions[schema["$ref"].rsplit("/", 1)[-1]]
    own = {name: value for name, value in schema.items() if name != "$ref"}
    return {**{name: value for name, value in target.items() if name != "description"}, **own}


class _Reader:
    """Reads the JSON Schema of a type as a shape."""

    def __init__(self, name: str, definitions: Mapping[str, Schema]) -> None:
        self._name = name
        self._definitions = definitions

    def record(self, schema: Schema, within: tuple[str, ...]) -> Record:
        """An object with all its fields."""
        if not schema.get("properties") or isinstance(schema.get("additionalProperties"), Mapping):
            raise _unfit(self._name, f"{_place(within)} has no fixed fields")
        return Record({field: self._part(part, (*within, field)) for field, part in schema["properties"].items()})

    def _part(self, part: Schema, within: tuple[str, ...]) -> Shape:
        if len(within) > _DEEPEST:
            raise _unfit(self._name, f"{_place(within[:3])} goes on for ever, or is too deep")
        schema = _resolved(part, self._definitions)
        if "const" in schema or "enum" in schema:
            values = tuple(schema.get("enum", [schema.get("const")]))
            if not all(isinstance(value, Scalar) for value in values):
                raise _unfit(self._name, f"{_place(within)} has options that are neither text nor numbers")
            return Choice(values)
        if parts := schema.get("anyOf") or schema.get("oneOf"):
            return self._union(parts, within)
        kind = schema.get("type")
        if kind == "object":
            return self.record(schema, within)
        if kind == "array" and isinstance(items := schema.get("items"), Mapping):
            least = schema.get("minItems", 0)
            most = schema.get("maxItems", max(least, LONGEST_LIST))
            self._allow_some(least, most, "entries", within)
            return Many(self._part(items, within), least, most)
        simple = _simple(schema)
        if simple is None:
            raise _unfit(self._name, f"{_place(within)} is neither text nor number, choice, list or object")
        if isinstance(simple, Number | Real):
            self._allow_some(simple.least, simple.most, "", within)
        elif isinstance(simple, Words):
            self._allow_some(schema.get("minLength", 0), simple.longest, "characters", within)
        return simple

    def _allow_some(self, least: float | None, most: float | None, unit: str, within: tuple[str, ...]) -> None:
        """Refuse bounds between which there is nothing: a model would be asked again for ever."""
        if least is not None and most is not None and least > most:
            bounds = f"at least {least:g} and at most {most:g} {unit}".rstrip()
            raise _unfit(self._name, f"{_place(within)} allows nothing: {bounds}", "Correct its bounds.")

    def _union(self, parts: list[Schema], within: tuple[str, ...]) -> Shape:
        shapes = tuple(self._part(part, within) for part in parts if part.get("type") != "null")
        shape = shapes[0] if len(shapes) == 1 else Either(shapes)
        return Maybe(shape) if len(shapes) < len(parts) else shape


_DEEPEST = 8


def _place(within: tuple[str, ...]) -> str:
    return f"its field {'.'.join(within)}" if within else "it"


def _simple(schema: Schema) -> Shape | None:
    kind = schema.get("type")
    if kind == "string":
        least = schema.get("minLength", 0)
        longest = schema.get("maxLength", max(LONGEST_TEXT, least))
        return Words(longest, shortest=max(1, least), pattern=schema.get("pattern", ""))
    if kind == "boolean":
        return YesNo()
    if kind == "integer":
        least = schema.get("minimum", schema.get("exclusiveMinimum", -LARGEST - 1) + 1)
        most = schema.get("maximum", schema.get("exclusiveMaximum", LARGEST + 1) - 1)
        return Number(least, most)
    if kind == "number":
        return Real(
            schema.get("minimum", schema.get("exclusiveMinimum")), schema.get("maximum", schema.get("exclusiveMaximum"))
        )
    return None
