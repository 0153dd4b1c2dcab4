"""Single values changed by dotted keys: `gate.threshold`, `class.students.Wang Fang.seat`, `lessons.0.demand`."""

from __future__ import annotations

from typing import NoReturn

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.plain import Plain, Reading, Spot, Trail, dotted, read_object, value_at
from eduverse_mesa.scenarios.problems import show, suggest
from eduverse_mesa.scenarios.scenario import Scenario
from eduverse_mesa.scenarios.yaml_text import parse

_TOP = tuple(field.alias or name for name, field in Scenario.model_fields.items())
_MOST_SEGMENTS = 20
_MAY_HOLD_KEYS = frozenset({"extra_body", "extra_headers"})
# Keys below these are names that may hold dots.
_OPEN = (("seating",), ("settings", "parameters"))


class Override:
    """A key with its new value, and the label that messages point at."""

    def __init__(self, key: str, value: object, argument: str = "settings", top: tuple[str, ...] = _TOP) -> None:
        shown = f" {key}={value}" if argument == "settings" else f"={value}"
        if not _MAY_HOLD_KEYS.isdisjoint(key.split(".")):  # then its value is shown nowhere
            shown = f" {'.'.join(key.split('.')[:3])}"
        self.label = argument + (shown if len(shown) <= 80 else shown[:79] + "…")
        self.segments = _segments(key, self.label, top)
        self.reading = _read(value, self.label)

    def apply(self, reading: Reading) -> None:
        """Set the value, and make the mappings around it that are not there yet."""
        trail: Trail = ()
        rest = self.segments
        while rest:
            step, taken = self._next(reading.data, trail, rest)
            trail, rest = (*trail, step), rest[taken:]
            if rest and (not _has(reading.data, trail) or value_at(reading.data, trail) is None):
                reading.put(trail, Reading({}, {(): Spot(self.label)}))
        reading.put(trail, self.reading)
        reading.keys[trail] = Spot(self.label)

    def _next(self, data: Plain, trail: Trail, rest: tuple[str, ...]) -> tuple[str | int, int]:
        """The next step of the trail, and how many segments it takes: names may hold dots, the longest match wins."""
        here = value_at(data, trail)
        if isinstance(here, list):
            return self._entry(here, trail, rest)
        if not isinstance(here, dict):
            self._refuse(f"{dotted(trail)} is {show(str(here))} and has no '{rest[0]}' in it", "Shorten the key.")
        if trail in _OPEN:
            return ".".join(rest), len(rest)
        keys = ((".".join(rest[:taken]), taken) for taken in range(len(rest), 1, -1))
        return next(((key, taken) for key, taken in keys if key in here), (rest[0], 1))

    def _entry(self, here: list[Plain], trail: Trail, rest: tuple[str, ...]) -> tuple[int, int]:
        if rest[0].isdecimal() and rest[0].isascii() and len(rest[0]) < 7:
            if int(rest[0]) < len(here):
                return int(rest[0]), 1
            self._refuse(
                f"{dotted(trail)} has {len(here)} entries, and counting starts at 0",
                f"Take a number from 0 to {len(here) - 1}." if here else "Add an entry in a file.",
            )
        names = [_name_of(entry) for entry in here]
        asked = ((".".join(rest[:taken]), taken) for taken in range(len(rest), 0, -1))
        found = next(((names.index(name), taken) for name, taken in asked if name in names), None)
        if found is None:
            self._refuse_name(trail, rest[0], [name for name in names if name])
        return found

    def _refuse_name(self, trail: Trail, wanted: str, known: list[str]) -> NoReturn:
        listed = ", ".join(known[:20]) + (" ..." if len(known) > 20 else "")
        self._refuse(
            f"{dotted(trail)} has no entry {show(wanted)}",
            f"{suggest(wanted, known)}Take a number from 0{f', or one of: {listed}' if known else ''}.",
        )

    def _refuse(self, message: str, mend: str) -> NoReturn:
        raise ScenarioError(f"{message}.", where=self.label, mend=mend)


def _segments(key: str, label: str, top: tuple[str, ...]) -> tuple[str, ...]:
    """The key in pieces; what is no part of the document (`top`) is short for a part of its settings."""
    segments = tuple(key.strip().split("."))
    if not all(piece.strip() for piece in segments) or len(segments) > _MOST_SEGMENTS:
        raise ScenarioError(
            "the key is not words joined by dots.", where=label, mend="Write for example gate.threshold=0.7 ."
        )
    return segments if segments[0] in top else ("settings", *segments)


def _read(value: object, label: str) -> Reading:
    """Text is read as YAML, so that `0.7`, `[3, 4]` and `true` mean what they mean in a file."""
    if not isinstance(value, str):
        return read_object(value, label)
    if not value.strip():
        raise ScenarioError("the value is missing.", where=label, mend="Write KEY=VALUE, or KEY=null to take it away.")
    if value.strip() in ("null", "~"):
        return Reading(None, {(): Spot(label)})
    try:
        data = parse(value, label).data
    except ScenarioError as error:
        raise ScenarioError(error.message, where=label, mend=error.mend) from None
    return Reading(data, {(): Spot(label)})


def _name_of(entry: Plain) -> str:
    """Return the name or id of an entry of a list, by which it can be spoken of; empty if it has none."""
    name = (entry.get("name") or entry.get("id")) if isinstance(entry, dict) else None
    return name if isinstance(name, str) else ""


def _has(data: Plain, trail: Trail) -> bool:
    parent = value_at(data, trail[:-1])
    return isinstance(parent, list) or (isinstance(parent, dict) and trail[-1] in parent)
