"""Plain documents that are never changed: an edit makes a new one, which shares with the old what is the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from eduverse_mesa.scenarios.plain import Plain, Trail, read_object, value_at

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
    """What stands at a trail, or None."""
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
    """What was entered, as plain data; ScenarioError for what no document can hold."""
    return read_object(value, label).data


def try_read(kind: type[Read] | TypeAdapter[Read], data: Plain) -> Read | None:
    """A piece of a document, or None while it is not valid."""
    adapter = kind if isinstance(kind, TypeAdapter) else TypeAdapter(kind)
    try:
        return adapter.validate_json(json.dumps(data), strict=True)
    except ValidationError:
        return None
