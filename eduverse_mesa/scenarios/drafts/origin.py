"""Beginnings of a draft: something built in, a text, or a scenario; all that it includes is written out."""

from __future__ import annotations

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.base import Document
from eduverse_mesa.scenarios.catalogue import kind_of
from eduverse_mesa.scenarios.drafts.documents import Mapped, entries, get, mapping, put, try_read
from eduverse_mesa.scenarios.files import read_bytes
from eduverse_mesa.scenarios.includes import expect_kind
from eduverse_mesa.scenarios.library import Kind, find, is_path
from eduverse_mesa.scenarios.loader import draw_class
from eduverse_mesa.scenarios.people import ClassRoll
from eduverse_mesa.scenarios.plain import Plain, Reading, Trail
from eduverse_mesa.scenarios.sampler import find_mistakes
from eduverse_mesa.scenarios.scenario import Scenario

_HEAD: Mapped = {"kind": "scenario", "eduverse": 1}


def read_text(content: bytes | str, label: str) -> tuple[Kind, Plain]:
    """Return the data of a file, with its kind. The file may name built-in parts, but no other file: it comes from
    somewhere else."""
    reading = read_bytes(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content, label)
    kind = kind_of(reading)
    expect_kind(reading, kind)
    return kind, settle(reading) if kind == "scenario" else draw(reading.data)


def read_built_in(kind: Kind, name: str) -> Plain:
    """A built-in document, written out."""
    if is_path(name):
        raise ScenarioError(f"'{name[:80]}' is a path.", mend="Give the name of something built in.")
    reading = find(kind, name).read()
    return settle(reading) if kind == "scenario" else draw(reading.data)


def write_out(document: Document) -> Plain:
    """A document that is valid, without what it leaves to the defaults."""
    data: Plain = document.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return {**_HEAD, **mapping(data)} if isinstance(document, Scenario) else data


def settle(reading: Reading) -> Plain:
    """The data of a scenario with its included parts in their places and its class drawn."""
    data = reading.data
    lessons = get(data, ("lessons",))
    if isinstance(lessons, str | dict):
        data = put(data, ("lessons",), [lessons])
    data = _include(data, ("layout",), "layout", reading)
    data = _include(data, ("class",), "class", reading)
    for index in range(len(entries(data, ("lessons",)))):
        data = _include(data, ("lessons", index), "lesson", reading)
    data = put(data, ("class",), draw(get(data, ("class",)))) if get(data, ("class",)) is not None else data
    return {**_HEAD, **mapping(data)}


def _include(data: Plain, trail: Trail, kind: Kind, reading: Reading) -> Plain:
    name = get(data, trail)
    if not isinstance(name, str):
        return data
    where = str(reading.spot(trail))
    if is_path(name):
        raise ScenarioError(
            f"the {kind} is in another file, '{name[:80]}'.",
            where=where,
            mend="Write the part out in this file; or name a built-in one here, and open that file afterwards.",
        )
    return put(data, trail, find(kind, name, where=where).read().data)


def draw(part: Plain) -> Plain:
    """A class with its students listed, where it is a sample that can be drawn; anything else as it is."""
    if "sample" not in mapping(part):
        return part
    roll = try_read(ClassRoll, part)
    if roll is None or roll.sample is None or any(find_mistakes(roll.sample)):
        return part
    return write_out(draw_class(roll))
