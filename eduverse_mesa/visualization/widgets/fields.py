"""Fields of forms: those of documents, with the kinds, limits and choices that the documents give, and plain ones."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from eduverse_mesa.scenarios.base import Part
from eduverse_mesa.scenarios.plain import Trail
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.words import Words

Document = TypeVar("Document", bound=Part)
Shape = Literal["text", "number", "decimal", "choice", "yes_no", "lines", "pairs", "part", "parts"]
_WIDEST = 10
"""Distance of the ends of a slider at most; a number between ends that are farther apart is typed."""
_FINE = 0.01
"""Step of a slider."""


class Kind(NamedTuple):
    """Kind of value that may stand in a field of a document, with its limits."""

    shape: Shape
    part: type[Part] | None = None
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    most: int | None = None
    """Letters of a text, or entries of a list, at most."""
    usual: Any = None
    """Value that holds where nothing is written."""


def kind_of(info: FieldInfo) -> Kind:
    """How a field of a document is filled in."""
    usual = None if info.is_required() else info.get_default(call_default_factory=True)
    return _kind(info.annotation, info.metadata)._replace(usual=usual)


def kind_at(part: type[Part], trail: Trail) -> Kind:
    """How a place inside a document is filled in; KeyError where a document has no such place."""
    info = next((one for name, one in part.model_fields.items() if trail[0] in (one.alias, name)), None)
    if info is None:
        raise KeyError(trail)
    kind, rest = kind_of(info), trail[1:]
    if kind.shape == "parts" and rest:
        rest = rest[1:]
    return kind_at(kind.part, rest) if kind.part is not None and rest else kind


def _kind(given: Any, marks: Iterable[Any]) -> Kind:
    if get_origin(given) in (Union, types.UnionType):
        given = next(one for one in get_args(given) if one is not type(None))
    if get_origin(given) is Annotated:
        given, *more = get_args(given)
        return _kind(given, [*marks, *more])
    flat = [one for mark in marks for one in (mark.metadata if isinstance(mark, FieldInfo) else [mark])]
    most = next((one.max_length for one in flat if getattr(one, "max_length", None) is not None), None)
    origin, inner = get_origin(given), get_args(given)
    if origin is Literal:
        return Kind("choice", choices=inner)
    if origin is tuple:
        return Kind("parts", inner[0], most=most) if _is_part(inner[0]) else Kind("lines", most=most)
    if origin is dict:
        return Kind("pairs")
    if _is_part(given):
        return Kind("part", given)
    if given is bool:
        return Kind("yes_no")
    if given in (int, float):
        ends = {end: getattr(one, end) for one in flat for end in ("ge", "gt", "le", "lt") if hasattr(one, end)}
        low, high = ends.get("ge", ends.get("gt")), ends.get("le", ends.get("lt"))
        return Kind("number" if given is int else "decimal", low=low, high=high)
    return Kind("text", most=most)


def _is_part(given: Any) -> bool:
    return isinstance(given, type) and issubclass(given, Part)


def control(kind: Kind, names: Callable[[str], str] = str) -> Field:
    """The input of a form that takes such values, within their limits; `names` says what a choice is called."""
    if kind.shape == "choice":
        return {"kind": "select", "options": options(kind.choices, names)}
    if kind.shape == "yes_no":
        return {"kind": "check"}
    if kind.shape not in ("number", "decimal"):
        return {"kind": "text"}
    ends = {end: value for end, value in (("min", kind.low), ("max", kind.high)) if value is not None}
    if kind.shape == "number":
        return {"kind": "number", "step": 1, **ends}
    if kind.low is not None and kind.high is not None and kind.high - kind.low <= _WIDEST:
        return {"kind": "range", "step": _FINE, **ends}
    return {"kind": "number", "step": "any", **ends}


def document_fields(part: type[Part], given: Mapping[str, Any], t: Words, words: str, **widths: str) -> list[Field]:
    """Fields of a form about a document, in the order in which their widths are given. `words` is the page and the part
    of it that has their labels (`KEY`), helps (`KEY_help`) and names of choices."""
    return [document_field(part, name, given.get(name), t, words, width=width) for name, width in widths.items()]


def document_field(part: type[Part], name: str, value: Any, t: Words, words: str, **more: Any) -> Field:
    """A field of a form about one of a document's fields; `more` says how it looks, and which choices there are where
    the document does not."""
    made = control(kind_of(part.model_fields[name]), lambda one: choice_name(one, t, words, name))
    label = more.pop("label", None) or t(f"{words}.{name}")
    return {"id": name, "label": label, "value": value, **help_of(t, f"{words}.{name}"), **made, **more}


def help_of(t: Words, key: str) -> Field:
    """Return the words that stand below a field and at the ends of a slider, where a page has some."""
    said = {"help": (f"{key}_help", f"{key}.here"), "low": (f"{key}.low",), "high": (f"{key}.high",)}
    found = {name: next((t[one] for one in keys if one in t), "") for name, keys in said.items()}
    return {name: text for name, text in found.items() if text}


def choice_name(one: str, t: Words, words: str, name: str) -> str:
    """Return what a choice is called: by the words of the field, of the page, or of the house."""
    keys = (f"{words}.{name}.{one}", f"{words.partition('.')[0]}.{name}.{one}")
    return next((t[key] for key in keys if key in t), None) or t.code(one)


def limits(part: type[Part], name: str) -> tuple[int, int]:
    """The lowest and the highest whole number that a field of a document takes, where it has both."""
    kind = kind_of(part.model_fields[name])
    if kind.low is None or kind.high is None:
        raise KeyError(name)
    return int(kind.low), int(kind.high)


def filled_in(part: type[Document], given: Mapping[str, Any]) -> Document | None:
    """The document that a form holds; None while something in it is missing or out of its limits."""
    try:
        return part.model_validate({name: value for name, value in given.items() if name in part.model_fields})
    except ValidationError:
        return None


def as_options(names: Mapping[Any, str] | Iterable[list[str]]) -> list[list[str]]:
    """Options of a select, from what each is called."""
    return [list(one) for one in (names.items() if isinstance(names, Mapping) else names)]


def options(names: Iterable[str], label: Callable[[str], str] = str) -> list[list[str]]:
    """Options of a select."""
    return [[name, label(name)] for name in names]


def field(name: str, kind: str, label: str, value: Any, **more: Any) -> Field:
    """A field about something that is in no document."""
    return {"id": name, "kind": kind, "label": label, "value": value, **more}


def select(name: str, label: str, names: Mapping[Any, str] | Iterable[list[str]], value: Any, **more: Any) -> Field:
    """A choice of one; `names` says what each is called."""
    return {"id": name, "kind": "select", "label": label, "options": as_options(names), "value": value, **more}


def buttons(name: str, *choices: tuple[Any, ...], **more: Any) -> Field:
    """A row of buttons: (value, label, look, off, name)."""
    return {"id": name, "kind": "buttons", "options": [list(choice) for choice in choices], **more}


def note(name: str, text: str, tone: str = "") -> Field:
    """A line of text."""
    return {"id": name, "kind": "note", "label": text, "tone": tone or None}


def head(name: str, text: str) -> Field:
    """A heading."""
    return {"id": name, "kind": "head", "label": text}
