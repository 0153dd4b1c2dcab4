"""Parts of a scenario that are named instead of written out, fetched and put in their place."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.base import Document
from eduverse_mesa.scenarios.library import KINDS, Found, Kind, find, is_path, list_names
from eduverse_mesa.scenarios.plain import Reading, Trail, exists, read_object, value_at
from eduverse_mesa.scenarios.problems import found_at, suggest

Include: TypeAlias = str | Path | Mapping[str, object] | Document
"""A name of something built in or beside the scenario, a path, or the thing itself."""
WHOLE: dict[str, Kind] = {"layout": "layout", "class": "class", "curriculum": "curriculum", "cohort": "cohort"}
LISTS: dict[str, Kind] = {"lessons": "lesson", "subjects": "subject", "problems": "problem"}


class Written(NamedTuple):
    """A document as it was read, from a file of its own or out of another one, with the places of its values."""

    reading: Reading
    file: Path | None = None
    """The user's own file, beside which included parts are looked for."""


def include_all(reading: Reading, beside: Path | None) -> None:
    """Fetch what is named, such as a `layout`, a `class`, `lessons`; where there may be several, a lone one becomes a
    list of one. What cannot be fetched is noted as missing, and refused with whatever else is wrong."""
    data = reading.data
    assert isinstance(data, dict)
    for key, kind in WHOLE.items():
        if key in data:
            _fetch(reading, (key,), kind, beside)
    for key, kind in LISTS.items():
        _fetch_list(reading, (key,), kind, beside)
    _fetch_list(reading, ("curriculum", "subjects"), "subject", beside)  # of one that is written out


def _fetch_list(reading: Reading, trail: Trail, kind: Kind, beside: Path | None) -> None:
    if not exists(reading.data, trail):
        return
    if isinstance(value_at(reading.data, trail), str | dict):
        lone = reading.part(trail)
        reading.put(trail, Reading([None], {(): lone.spot(())}))
        reading.put((*trail, 0), lone)
    several = value_at(reading.data, trail)
    for index in range(len(several) if isinstance(several, list) else 0):
        _fetch(reading, (*trail, index), kind, beside)


def _fetch(reading: Reading, trail: Trail, kind: Kind, beside: Path | None) -> None:
    name = value_at(reading.data, trail)
    if isinstance(name, str):
        where = reading.spot(trail)
        try:
            reading.put(trail, _read_found(kind, find(kind, name, beside, where=str(where))))
        except ScenarioError as error:
            reading.missing[trail] = error


def _read_found(kind: Kind, found: Found) -> Reading:
    """A document that was found; a curriculum with its subjects, which stand beside it."""
    document = found.read()
    expect_kind(document, kind)
    if kind == "curriculum":
        _fetch_list(document, ("subjects",), "subject", found.beside)
    return document


def read_given(kind: Kind, given: Include, argument: str, beside: Path | None) -> Reading:
    """Return the document that an argument names or holds; paths are the user's own and lead anywhere."""
    if isinstance(given, Path):
        return _read_found(kind, Found(given, str(given), list_names(kind)))
    if isinstance(given, str):
        around = None if is_path(given) else beside
        return _read_found(kind, find(kind, given, around, where=f"{argument}={given[:80]}"))
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
