"""Plain data and where each piece of it was written, so that a mistake found later can still be pointed at."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, NamedTuple, NoReturn, TypeAlias, cast

from pydantic import BaseModel

from eduverse_mesa.errors import ScenarioError

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"
Trail: TypeAlias = tuple[str | int, ...]

MAX_DEPTH = 40
MAX_NODES = 200_000
# Control characters steer terminals and break tables; nothing that is said in a lesson needs them. Lone surrogates
# cannot be stored.
UNWANTED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


class Spot(NamedTuple):
    """A place in a text: the file's label with line and column from 1, or a label alone (line 0)."""

    label: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.label}:{self.line}:{self.column}" if self.line else self.label


@dataclass
class Reading:
    """Plain data with the spot of every value and of every key."""

    data: Plain
    values: dict[Trail, Spot] = field(default_factory=dict)
    keys: dict[Trail, Spot] = field(default_factory=dict)
    missing: dict[Trail, ScenarioError] = field(default_factory=dict)
    """Parts that are named and could not be fetched: the name still stands in their place."""

    def spot(self, trail: Trail) -> Spot:
        """Return the spot of a value, or else of the nearest thing around it."""
        return next(spot for around in _outwards(trail) if (spot := self.values.get(around)) is not None)

    def key_spot(self, trail: Trail) -> Spot:
        """Return the spot of a value's key, or else of the value."""
        return self.keys.get(trail) or self.spot(trail)

    def copied(self) -> Reading:
        """Return a copy, to be changed."""
        return Reading(_copied(self.data), {**self.values}, {**self.keys}, {**self.missing})

    def part(self, trail: Trail) -> Reading:
        """A piece of the data as a reading of its own."""
        depth = len(trail)

        def below(spots: dict[Trail, Spot]) -> dict[Trail, Spot]:
            return {at[depth:]: spot for at, spot in spots.items() if at[:depth] == trail}

        return Reading(value_at(self.data, trail), {(): self.spot(trail), **below(self.values)}, below(self.keys))

    def put(self, trail: Trail, other: Reading) -> None:
        """Set the value at a trail, whose parent exists, with the other's spots; the spot of the key itself stays."""
        key_spot = self.keys.get(trail) or (self.spot(trail) if exists(self.data, trail) else other.spot(()))
        depth = len(trail)
        known = trail in self.values  # what is inside of something has a spot only if that has one
        for spots, others in ((self.values, other.values), (self.keys, other.keys)):
            for at in [at for at in spots if at[:depth] == trail] if known else ():
                del spots[at]
            spots.update({trail + at: spot for at, spot in others.items()})
        for at in [at for at in self.missing if at[:depth] == trail]:
            del self.missing[at]
        self.missing.update({trail + at: error for at, error in other.missing.items()})
        self.keys[trail] = key_spot
        parent, last = value_at(self.data, trail[:-1]), trail[-1]
        if isinstance(parent, dict) and isinstance(last, str):
            parent[last] = other.data
        elif isinstance(parent, list) and isinstance(last, int):
            parent[last : last + 1] = [other.data]
        else:
            raise TypeError(f"nothing can be put at {dotted(trail)}")


def _copied(data: Plain) -> Plain:
    if isinstance(data, dict):
        return {key: _copied(value) for key, value in data.items()}
    return [_copied(value) for value in data] if isinstance(data, list) else data


def _outwards(trail: Trail) -> Iterator[Trail]:
    yield from (trail[:length] for length in range(len(trail), -1, -1))


def value_at(data: Plain, trail: Trail) -> Plain:
    """The value at a trail; KeyError or IndexError where there is none."""
    here: Any = data
    for step in trail:
        container: type = dict if isinstance(step, str) else list
        if not isinstance(here, container):
            raise KeyError(step)
        here = cast(Any, here)[step]
    return cast("Plain", here)


def exists(data: Plain, trail: Trail) -> bool:
    """Return True if there is a value at a trail."""
    try:
        value_at(data, trail)
    except (KeyError, IndexError):
        return False
    return True


def dotted(trail: Trail) -> str:
    """A trail as a user would write it among the settings."""
    return ".".join(map(str, trail))


def read_object(source: object, label: str) -> Reading:
    """Plain data from Python's own: mappings, sequences, numbers, text, paths and pydantic models."""
    return Reading(_Copier(label).copy(source, ()), {(): Spot(label)})


_SCALARS = (str, bool, int, float)


class _Copier:
    """Copies Python data; limits keep a structure that holds itself from running on."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.nodes = 0

    def refuse(self, trail: Trail, message: str, mend: str) -> NoReturn:
        at = f"{dotted(trail)}: " if trail else ""
        raise ScenarioError(f"{at}{message}.", where=self.label, mend=mend)

    def copy(self, value: object, trail: Trail) -> Plain:
        self.nodes += 1
        if len(trail) > MAX_DEPTH or self.nodes > MAX_NODES:
            self.refuse(
                trail[:3],
                f"the data are nested deeper than {MAX_DEPTH} or have more than {MAX_NODES:,} values",
                "Make sure that nothing holds itself, and split what is too large.",
            )
        if value is None or isinstance(value, _SCALARS):  # most are: to ask whether they are mappings takes long
            return self._scalar(value, trail)
        if isinstance(value, BaseModel):
            value = value.model_dump(mode="json", by_alias=True)
        if isinstance(value, dict | Mapping):
            return {self._key(key, trail): self.copy(part, (*trail, str(key))) for key, part in value.items()}
        if isinstance(value, list | tuple | Sequence) and not isinstance(value, bytes | bytearray):
            return [self.copy(part, (*trail, index)) for index, part in enumerate(value)]
        return self._scalar(value, trail)

    def _key(self, key: object, trail: Trail) -> str:
        if not isinstance(key, str):
            self.refuse(trail, f"the key {key!r} is not text", "Use text as keys.")
        return str(self._scalar(key, trail))

    def _scalar(self, value: object, trail: Trail) -> Plain:
        if value is None or isinstance(value, bool):
            return value
        if not isinstance(value, _SCALARS) and isinstance(value, os.PathLike):
            value = _path_text(value)
        if isinstance(value, str):
            if UNWANTED.search(value):
                self.refuse(trail, "the text holds a control character", "Remove it.")
            return str.__str__(value)
        if isinstance(value, int | Integral):
            return int(value)
        if not isinstance(value, float | Real):
            self.refuse(
                trail,
                f"a value of type {type(value).__name__} is not part of a scenario",
                "Use text, numbers, true or false, lists and mappings.",
            )
        return float(value)


def _path_text(path: os.PathLike[str]) -> str:
    """A path as an include that cannot be taken for the name of something built in."""
    text = os.fspath(path)
    return text if os.sep in text else os.path.join(os.curdir, text)  # noqa: PTH118 - pathlib drops the "./"
