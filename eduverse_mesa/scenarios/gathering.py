"""From whatever a user gives to one validated collaboration: problems, peers, seats and rules."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from eduverse_mesa.scenarios.collaboration import Collaboration
from eduverse_mesa.scenarios.includes import Include, expect_kind, read_given
from eduverse_mesa.scenarios.library import is_path
from eduverse_mesa.scenarios.mathematics import built_in_problems, load_problem
from eduverse_mesa.scenarios.overrides import Override
from eduverse_mesa.scenarios.parameters import PEER_BOOK, find_problems
from eduverse_mesa.scenarios.plain import Reading, Spot, Trail, read_object
from eduverse_mesa.scenarios.problems import Problem, as_error, explain, refuse
from eduverse_mesa.scenarios.proving import check_word_problem
from eduverse_mesa.scenarios.reading import read_file
from eduverse_mesa.scenarios.word_problem import WordProblem

TOP = tuple(Collaboration.model_fields)


def load_collaboration(
    source: Include | None = None,
    *,
    problem: Include | None = None,
    arm: str | None = None,
    seats: Sequence[str] | None = None,
    settings: Mapping[str, object] | None = None,
) -> Collaboration:
    """A collaboration from a path, a mapping or the default: two peers and the built-in problems, all virtual.

    `problem` is the name of one of its problems, or of a built-in one, a path or a mapping: the group works on this
    one. `arm` and `settings` (dotted keys) change the rules, `seats` who of flesh and blood is there.
    """
    if isinstance(source, Collaboration):
        found = source
    else:
        found = _read(source, problem, settings or {})
        settings = None
    found = _with_problem(found, problem)
    if arm is not None or seats is not None or settings:
        found = _changed(found, arm, seats, settings or {})
    return found


def _read(source: Include | None, problem: Include | None, settings: Mapping[str, object]) -> Collaboration:
    file: Path | None = None
    if source is None:
        reading = _default(problem)
    elif isinstance(source, Path) or (isinstance(source, str) and is_path(source)):
        file = Path(source)
        reading = read_file(file)
    else:
        reading = read_object(source, "the collaboration")
    expect_kind(reading, "collaboration")
    for key, value in settings.items():
        Override(str(key), value, top=TOP).apply(reading)
    return _validate(reading, file)


def _default(problem: Include | None) -> Reading:
    """Two peers; on the problem that is asked for, or on the first that is built in."""
    name = problem if problem is not None else built_in_problems()[0]
    label = "the default collaboration"
    reading = Reading({"name": "alice_and_bob", "problems": [None]}, {(): Spot(label)})
    reading.put(("problems", 0), read_given("problem", name, "problem", None))
    return reading


def _validate(reading: Reading, file: Path | None) -> Collaboration:
    label = reading.spot(()).label
    data = reading.data
    assert isinstance(data, dict)
    listed = data.get("problems")
    for index, one in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(one, str):
            reading.put(("problems", index), read_given("problem", one, "problems", file))
    try:
        found = Collaboration.model_validate_json(json.dumps(reading.data), strict=True)
    except ValidationError as error:
        raise as_error(explain(error, Collaboration, reading), label) from None
    refuse(_check(found, reading), label)
    return found


def _check(found: Collaboration, reading: Reading) -> Iterator[Problem]:
    names = [one.name for one in found.problems]
    for index, one in enumerate(found.problems):
        place: Trail = ("problems", index)
        yield from check_word_problem(one, reading.part(place))
        if names.index(one.name) < index:
            yield Problem(reading.spot(place), place, f"the problem '{one.name}' is there twice", "Keep one of them.")
    yield from find_problems(found.settings.parameters, reading, PEER_BOOK)


def _with_problem(found: Collaboration, problem: Include | None) -> Collaboration:
    if problem is None:
        return found
    if isinstance(problem, WordProblem):
        return found.model_copy(update={"problems": (problem,)})
    chosen = [one for one in found.problems if one.name == problem]
    if not chosen:
        chosen = [load_problem(problem)]
    return found.model_copy(update={"problems": tuple(chosen)})


def _changed(
    found: Collaboration, arm: str | None, seats: Sequence[str] | None, settings: Mapping[str, object]
) -> Collaboration:
    data = found.model_dump(mode="json")
    if arm is not None:
        data["settings"]["arm"] = arm
    if seats is not None:
        data["seats"] = list(seats)
    reading = read_object(data, "the collaboration")
    for key, value in settings.items():
        Override(str(key), value, top=TOP).apply(reading)
    return _validate(reading, None)
