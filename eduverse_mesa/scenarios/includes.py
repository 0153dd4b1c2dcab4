"""Parts of a scenario that are named instead of written out, fetched and put in their place."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.base import Document
from eduverse_mesa.scenarios.library import KINDS, Kind, find, is_path
from eduverse_mesa.scenarios.plain import Reading, Trail, read_object, value_at
from eduverse_mesa.scenarios.problems import found_at, suggest
from eduverse_mesa.scenarios.reading import read_file

Include: TypeAlias = str | Path | Mapping[str, object] | Document
"""A name of something built in or beside the scenario, a path, or the thing itself."""
_WHOLE: dict[str, Kind] = {"layout": "layout", "class": "class"}


def include_all(reading: Reading, beside: Path | None) -> None:
    """Fetch what is named at `layout`, `class` and `lessons`; a lone lesson becomes a list of one."""
    data = reading.data
    assert isinstance(data, dict)
    for key, kind in _WHOLE.items():
        if key in data:
            _fetch(reading, (key,), kind, beside)
    lessons = data.get("lessons")
    if isinstance(lessons, str | dict):
        lone = reading.part(("lessons",))
        reading.put(("lessons",), Reading([None], {(): lone.spot(())}))
        reading.put(("lessons", 0), lone)
    lessons = data.get("lessons")
    for index in range(len(lessons) if isinstance(lessons, list) else 0):
        _fetch(reading, ("lessons", index), "lesson", beside)


def _fetch(reading: Reading, trail: Trail, kind: Kind, beside: Path | None) -> None:
    name = value_at(reading.data, trail)
    if isinstance(name, str):
        where = reading.spot(trail)
        document = find(kind, name, beside, where=str(where)).read()
        expect_kind(document, kind)
        reading.put(trail, document)


def read_given(kind: Kind, given: Include, argument: str, beside: Path | None) -> Reading:
    """What an argument names or holds; paths are the user's own and lead anywhere."""
    if isinstance(given, Path):
        document = read_file(given)
    elif isinstance(given, str):
        around = None if is_path(given) else beside
        document = find(kind, given, around, where=f"{argument}={given[:80]}").read()
    else:
        document = read_object(given, argument)
    expect_kind(document, kind)
    return document


def expect_kind(document: Reading, kind: Kind) -> None:
    """Refuse what is not a mapping, or says that it is a document of another kind."""
    data = document.data
    if not isinstance(data, dict):
        raise ScenarioError(
            f"expected a {kind}, a mapping, found {found_at(document, ())}.",
            where=str(document.spot(())),
            mend="Write `key: value` lines.",
        )
    said = data.get("kind", kind)
    if said == kind:
        return
    where = str(document.spot(("kind",)))
    if said not in KINDS:
        mend = f"{suggest(str(said), KINDS)}Write `kind: {kind}`, or leave it out."
        raise ScenarioError(f"kind: expected {kind}, found {found_at(document, ('kind',))}.", where=where, mend=mend)
    raise ScenarioError(f"this is a {said}, where a {kind} is expected.", where=where, mend=_wrong_kind_mend(kind))


def _wrong_kind_mend(kind: Kind) -> str:
    if kind == "scenario":
        return "Name a scenario and give this file as its layout, lesson or students."
    return f"Name a {kind}."
