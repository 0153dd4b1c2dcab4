"""Plain documents that are never changed (an edit makes a new one, which shares with the old what is the same), the
errors and steps of edits, and documents as YAML."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.files import MAX_BYTES
from eduverse_mesa.scenarios.plain import Plain, Trail, read_object, value_at
from eduverse_mesa.scenarios.yaml_text import resolve_scalar

Mapped = dict[str, Plain]
Read = TypeVar("Read")


def put(data: Plain, trail: Trail, value: Plain) -> Plain:
    """The data with another value at a trail; mappings that are missing on the way are made."""
    if not trail:
        return value
    step, rest = trail[0], trail[1:]
    if isinstance(step, str):
        mapping = dict(data) if isinstance(data, dict) else {}
        mapping[step] = put(mapping.get(step), rest, value)
        return mapping
    row = list(data) if isinstance(data, list) else []
    row[step : step + 1] = [put(row[step] if step < len(row) else None, rest, value)]
    return row


def insert(data: Plain, trail: Trail, value: Plain) -> Plain:
    """The data with a value put in before the entry that a trail names."""
    *around, place = trail
    assert isinstance(place, int)
    row = list(entries(data, tuple(around)))
    row.insert(place, value)
    return put(data, tuple(around), row)


def append(data: Plain, trail: Trail, value: Plain) -> Plain:
    """The data with a value at the end of the list at a trail."""
    return put(data, trail, [*entries(data, trail), value])


def drop(data: Plain, trail: Trail) -> Plain:
    """The data without what stands at a trail; as they were if nothing does."""
    *around, last = trail
    there = get(data, tuple(around))
    if isinstance(there, dict) and isinstance(last, str):
        return put(data, tuple(around), {k: v for k, v in there.items() if k != last}) if last in there else data
    if isinstance(there, list) and isinstance(last, int):
        return put(data, tuple(around), [*there[:last], *there[last + 1 :]])
    return data


def get(data: Plain, trail: Trail) -> Plain:
    """Return the value at a trail, or None."""
    try:
        return value_at(data, trail)
    except (KeyError, IndexError):
        return None


def mapping(data: Plain, trail: Trail = ()) -> Mapped:
    """The mapping at a trail; an empty one where something else stands."""
    there = get(data, trail)
    return there if isinstance(there, dict) else {}


def entries(data: Plain, trail: Trail = ()) -> list[Plain]:
    """The list at a trail; an empty one where something else stands."""
    there = get(data, trail)
    return there if isinstance(there, list) else []


def records(data: Plain, trail: Trail) -> Iterator[tuple[int, Mapped]]:
    """The mappings in the list at a trail, with their places in it."""
    for index, entry in enumerate(entries(data, trail)):
        if isinstance(entry, dict):
            yield index, entry


def said(record: Mapped, key: str) -> str:
    """The text under a key as a model would read it, or nothing."""
    value = record.get(key)
    return value.strip() if isinstance(value, str) else ""


def plain(value: object, label: str = "the draft") -> Plain:
    """Return an entered value as plain data; ScenarioError for values that no document can hold."""
    return read_object(value, label).data


def try_read(kind: type[Read] | TypeAdapter[Read], data: Plain) -> Read | None:
    """A piece of a document, or None while it is not valid."""
    adapter = kind if isinstance(kind, TypeAdapter) else TypeAdapter(kind)
    try:
        return adapter.validate_json(json.dumps(data), strict=True)
    except ValidationError:
        return None


class EditError(ScenarioError):
    """An edit that leaves the draft as it was; `code` and `values` let a page say it in another language."""

    def __init__(self, code: str, message: str, mend: str = "", **values: object) -> None:
        super().__init__(message, mend=mend)
        self.code = code
        self.values = values


class Step(NamedTuple):
    """Description of an edit: a word for it and what it was about."""

    code: str
    values: dict[str, object]


_BREAKS = frozenset("\n\r\x85\u2028\u2029\ufeff\t")


class _Writer(yaml.SafeDumper):
    """PyYAML writes YAML 1.1, and this package reads 1.2: text that is something else there goes into quotes."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - PyYAML's own signature
        return True


def _write_text(writer: _Writer, text: str) -> yaml.ScalarNode:
    ambiguous = not isinstance(_resolve(text), str)
    style = '"' if ambiguous or not _BREAKS.isdisjoint(text) else None
    return writer.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _resolve(text: str) -> object:
    try:
        return resolve_scalar(text)
    except ValueError:  # a number with too many digits
        return None


_Writer.add_representer(str, _write_text)


def write_yaml(document: Plain) -> str:
    """The text of a document; small lists and mappings of numbers and words stand on one line."""
    text: str = yaml.dump(
        document, Dumper=_Writer, allow_unicode=True, sort_keys=False, width=120, default_flow_style=None
    )
    size = len(text.encode())
    if size > MAX_BYTES:
        raise ScenarioError(
            f"the file would have {size / 1e6:.1f} MB, and {MAX_BYTES / 1e6:.0f} MB can be read back.",
            mend="Make the class smaller, or shorten the texts.",
        )
    return text
