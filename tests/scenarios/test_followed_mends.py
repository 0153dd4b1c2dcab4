"""No message proposes what is refused: each proposal, for every key of every kind of document, is followed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from eduverse_mesa.scenarios.includes import include_all
from eduverse_mesa.scenarios.library import KINDS, Kind, find, list_names
from eduverse_mesa.scenarios.plain import Trail, read_object
from eduverse_mesa.scenarios.problems import MODELS, Problem, explain

PROPOSED = re.compile(r"`([^`:]+): ([^`]+)`")
ODD: tuple[Any, ...] = ([[[]]], {"?": {"?": 1}}, 7.25, "", None, True)


@cache
def document(kind: Kind, name: str) -> Any:
    """A built-in document with all that it includes."""
    reading = find(kind, name).read()
    include_all(reading, None)
    return reading.data


def copied(data: Any) -> Any:
    return json.loads(json.dumps(data))  # in a fifth of the time of `deepcopy`


def problems(kind: Kind, data: Any) -> list[Problem]:
    """What is wrong with the values of a document one by one."""
    try:
        MODELS[kind].model_validate_json(json.dumps(data), strict=True)
    except ValidationError as error:
        return explain(error, kind, read_object(data, "it"))
    return []


def places(data: Any, at: Trail = ()) -> Iterator[Trail]:
    if isinstance(data, dict):
        for key, part in data.items():
            yield (*at, key)
            yield from places(part, (*at, key))
    elif isinstance(data, list):
        for index, part in enumerate(data):
            yield from places(part, (*at, index))


def around(data: Any, trail: Trail) -> Any:
    for step in trail[:-1]:
        data = data[step]
    return data


def distinct(kind: Kind) -> dict[Trail, tuple[str, Trail]]:
    """One place for each key that documents of a kind have, with the smallest document that has it."""
    found: dict[Trail, tuple[str, Trail]] = {}
    for name in sorted(list_names(kind), key=lambda name: len(json.dumps(document(kind, name)))):
        for trail in places(document(kind, name)):
            found.setdefault(tuple("*" if isinstance(step, int) else step for step in trail), (name, trail))
    return found


def refused_again(kind: Kind, data: Any, trail: Trail) -> list[str]:
    """What is said of a key after each proposal for it has been followed."""
    said = []
    for one in problems(kind, data):
        for key, value in PROPOSED.findall(one.mend):
            if key != trail[-1] or "NAME" in value:
                continue
            mended = copied(data)
            around(mended, trail)[key] = yaml.safe_load(value)
            said += [
                f"{key}: {value} -> {again.message}"
                for again in problems(kind, mended)
                if again.trail[: len(trail)] == trail
            ]
    return said


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_proposed_for_a_missing_or_a_wrong_value_would_do(kind: Kind) -> None:
    tried = 0
    for name, trail in distinct(kind).values():
        missing = copied(document(kind, name))
        del around(missing, trail)[trail[-1]]
        changed = [missing]
        for value in ODD:
            changed.append(copied(document(kind, name)))
            around(changed[-1], trail)[trail[-1]] = value
        for data in changed:
            assert refused_again(kind, data, trail) == []
            tried += 1
    assert tried > 5 * len(ODD)


@pytest.mark.parametrize("kind", KINDS)
def test_no_message_proposes_a_list_or_mapping_that_would_be_empty(kind: Kind) -> None:
    for name, trail in distinct(kind).values():
        data = copied(document(kind, name))
        del around(data, trail)[trail[-1]]
        for one in problems(kind, data):
            assert f"`{trail[-1]}: []`" not in one.mend
            assert f"`{trail[-1]}: {{}}`" not in one.mend


def test_a_list_that_is_missing_is_told_with_what_its_entries_need() -> None:
    data = {key: value for key, value in document("lesson", "spring_1").items() if key not in ("questions", "goals")}
    said = {one.given[0][1]: one.mend for one in problems("lesson", data)}
    assert said["questions"].startswith("Add `questions:` with a list of at least 1; each entry has id, idea, ask, ")
    assert said["goals"].startswith("Add `goals:` with a list of at least 1; each entry has id, text")
