"""A problem as its fields in a form, and as the text of a file: nothing is lost between the two."""

from __future__ import annotations

import re
import types
from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import deepcopy
from string import ascii_uppercase
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

import yaml
from pydantic.fields import FieldInfo

from eduverse_mesa.scenarios.base import Part
from eduverse_mesa.scenarios.plain import Plain, Trail, dotted
from eduverse_mesa.scenarios.word_problem import Choice, Misconception, WordProblem

_PAIR = re.compile(r"[:：]|\s*[,，]\s*")
"""What parts the two of a pair, best a colon."""
MOST_MISTAKES = 20
FIRST: dict[type[Part], dict[str, Plain]] = {
    Misconception: {"changes": [{}]},
    Choice: {"options": [{}, {}]},
}
"""With what an entry begins that is added."""
PREFIX = "f."
"""With which names of fields begin."""
_HIDDEN = {"kind": "problem"}
"""What the top of each problem holds, and nobody chooses."""

Shape = Literal["text", "number", "choice", "yes_no", "lines", "pairs", "part", "parts"]


class Kind(NamedTuple):
    """What may stand in a field."""

    shape: Shape
    part: type[Part] | None = None
    choices: tuple[str, ...] = ()


def kind_of(info: FieldInfo) -> Kind:
    """How a field of the document is filled in."""
    given: Any = info.annotation
    if get_origin(given) in (Union, types.UnionType):
        given = next(one for one in get_args(given) if one is not type(None))
    origin, inner = get_origin(given), get_args(given)
    if origin is Literal:
        return Kind("choice", choices=inner)
    if origin is tuple:
        return Kind("parts", inner[0]) if _is_part(inner[0]) else Kind("lines")
    if origin is dict:
        return Kind("pairs")
    if _is_part(given):
        return Kind("part", given)
    plain = inner[0] if inner else given
    return Kind("yes_no" if plain is bool else "number" if plain is int else "text")


def _is_part(given: Any) -> bool:
    return isinstance(given, type) and issubclass(given, Part)


def fields_of(part: type[Part]) -> dict[str, Kind]:
    """The fields of a part, in the order of the document."""
    return {
        name: kind_of(info)
        for name, info in part.model_fields.items()
        if not (part is WordProblem and name in _HIDDEN)
    }  # fmt: skip


def is_shown(data: Plain, part: type[Part] = WordProblem) -> bool:
    """Whether a form can show all that is in a document: no field that it lacks, nothing in another shape."""
    if not isinstance(data, dict):
        return False
    known = fields_of(part)
    hidden = _HIDDEN if part is WordProblem else {}
    return all(
        data[name] == hidden[name] if name in hidden else name in known and _fits(value, known[name])
        for name, value in data.items()
    )


def _fits(value: Plain, kind: Kind) -> bool:
    if kind.shape == "parts":
        assert kind.part is not None
        return isinstance(value, list) and all(is_shown(one, kind.part) for one in value)
    if kind.shape == "part":
        assert kind.part is not None
        return value is None or is_shown(value, kind.part)
    if kind.shape == "lines":
        return isinstance(value, list) and all(isinstance(one, str) and "\n" not in one for one in value)
    if kind.shape == "pairs":
        return isinstance(value, dict) and all(
            isinstance(one, str) and "\n" not in f"{key}{one}" and not _PAIR.search(key) for key, one in value.items()
        )
    return not isinstance(value, list | dict)


def places(
    data: Mapping[str, Plain], part: type[Part] = WordProblem, trail: Trail = ()
) -> Iterator[tuple[str, Kind | None]]:
    """All places at which a form can show what is wrong, and what may stand there; None for a part as a whole."""
    yield dotted(trail), None
    for name, kind in fields_of(part).items():
        at = (*trail, name)
        value: Any = data.get(name)
        if kind.part is not None and value is not None:
            for place, one in [(at, value)] if kind.shape == "part" else [((*at, n), v) for n, v in enumerate(value)]:
                yield from places(one, kind.part, place)
        yield dotted(at), kind


# --- from a form ---


def from_form(form: Mapping[str, list[str]]) -> dict[str, Plain]:
    """The document that a form holds. What is left empty is left out."""
    found = _part({name: values[0] for name, values in form.items() if name.startswith(PREFIX)}, WordProblem, ())
    return {**_HIDDEN, **found}


def _part(form: Mapping[str, str], part: type[Part], trail: Trail) -> dict[str, Plain]:
    found: dict[str, Plain] = {}
    for name, kind in fields_of(part).items():
        value = _value(form, kind, (*trail, name))
        if value is not None:
            found[name] = value
    return found


def _value(form: Mapping[str, str], kind: Kind, trail: Trail) -> Plain:
    name = PREFIX + dotted(trail)
    if kind.shape == "parts":
        assert kind.part is not None
        numbers = {rest.partition(".")[0] for key in form if (rest := key.removeprefix(f"{name}.")) != key}
        entries = sorted(int(one) for one in numbers if one.isascii() and one.isdecimal() and len(one) < 4)
        return [_part(form, kind.part, (*trail, number)) for number in entries] or None
    if kind.shape == "part":
        assert kind.part is not None
        there = any(key.startswith(f"{name}.") for key in form)
        return _part(form, kind.part, trail) if there else None
    text = form.get(name, "").replace("\r\n", "\n").strip()
    if not text:
        return None
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if kind.shape == "lines":
        return list(lines)
    if kind.shape == "pairs":
        halves = [_PAIR.split(line, maxsplit=1) for line in lines]
        return {key.strip(): "".join(value).strip() for key, *value in halves}
    if kind.shape == "yes_no":
        return text == "yes"
    if kind.shape == "number" and text.isdecimal() and len(text) < 9:
        return int(text)
    return text


def complete(data: dict[str, Any], taken: Collection[str] = ()) -> dict[str, Any]:
    """The same with what the form makes up where it is left empty: the name, of the title, and what mistakes and
    options are called. `taken`: the names of other problems."""
    named = dict(data)
    if not data.get("name") and (slug := re.sub(r"\W+", "_", str(data.get("title") or "").casefold()).strip("_")[:60]):
        named["name"] = free_name(slug, taken)
    if data.get("language") == "zh" and data.get("nouns"):  # words have no plural there
        named["nouns"] = {one: many or one for one, many in data["nouns"].items()}
    mistakes = named.get("misconceptions")
    if mistakes:
        named["misconceptions"] = _called(mistakes, [f"mistake_{number + 1}" for number in range(MOST_MISTAKES)])
    choice = named.get("choice")
    if choice and choice.get("options"):
        named["choice"] = {**choice, "options": _called(choice["options"], ascii_uppercase)}
    order = {**dict.fromkeys(_HIDDEN), "name": None, **named}
    return {key: named[key] for key in order if key in named}


def free_name(name: str, taken: Collection[str]) -> str:
    """A name that no other problem has, as near to this one as can be."""
    tries = (name, *(f"{name}_{number}" for number in range(2, len(taken) + 3)))
    return next(one for one in tries if one not in taken)


def _called(entries: list[dict[str, Any]], names: Sequence[str]) -> list[dict[str, Any]]:
    """Entries that all have an id; one that is made up is free, as long as there are such names."""
    known = {one.get("id") for one in entries}
    free = iter([one for one in names if one not in known])
    return [one if one.get("id") else {"id": next(free, ""), **one} for one in entries]


# --- to a text, and in it ---


def write_document(data: Mapping[str, Plain]) -> str:
    """The document as a file holds it."""
    return yaml.safe_dump(dict(data), allow_unicode=True, sort_keys=False, width=110)


def change_list(data: dict[str, Any], wish: str) -> None:
    """Add an entry (`add:givens`), take one out (`remove:givens.2`) or move it up (`up:givens.2`). What no form of ours
    asks for changes nothing."""
    what, _, place = wish.partition(":")
    names = place.split(".")
    here: Any = data
    part: type[Part] = WordProblem
    kind: Kind | None = None
    for depth, name in enumerate(names):
        if kind is not None and kind.shape == "parts":  # this is the number of an entry
            if not (name.isascii() and name.isdecimal() and isinstance(here, list) and int(name) < len(here)):
                return
            if depth == len(names) - 1:
                _move(here, int(name), what)
                return
            here, kind = here[int(name)], None
            continue
        kind = fields_of(part).get(name)
        if kind is None or kind.part is None:
            return
        part = kind.part
        if depth == len(names) - 1:
            _add(here, name, kind, what)
            return
        here = here.get(name)
        if here is None:
            return
        kind = kind if kind.shape == "parts" else None


def _move(entries: list[Any], number: int, what: str) -> None:
    if what == "remove":
        del entries[number]
    elif what == "up" and number:
        entries[number - 1 : number + 1] = [entries[number], entries[number - 1]]


def _add(here: dict[str, Any], name: str, kind: Kind, what: str) -> None:
    if what == "remove":
        here.pop(name, None)
    elif what == "add" and kind.shape == "parts":
        here.setdefault(name, []).append(deepcopy(FIRST.get(kind.part or Part, {})))
    elif what == "add":
        here[name] = deepcopy(FIRST.get(kind.part or Part, {}))
