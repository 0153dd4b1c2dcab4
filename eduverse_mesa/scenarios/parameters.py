"""The parameters of the embedded model of cognition: value, range, meaning and source from parameters/embedded.yaml,
and the values that were fitted to published lessons and real classes from parameters/calibrated.yaml."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

from pydantic import Field, TypeAdapter, ValidationError

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.base import Part
from eduverse_mesa.scenarios.files import read_file, read_resource
from eduverse_mesa.scenarios.plain import Reading, Spot, Trail
from eduverse_mesa.scenarios.problems import Problem, refuse, suggest

CLASSROOM_BOOK = "embedded"
LEARNER_BOOK = "learner"
PEER_BOOK = "peer"
"""Three models, three files of parameters: the classroom's, that of learners who are tutored, and that of peers."""
_FITTED = "built-in parameters/calibrated.yaml"
_TRAIL: Trail = ("settings", "parameters")


class Parameter(Part):
    """One number of the model, and what is known about it."""

    value: float
    """Value from its source, or a chosen one: the start of calibration."""
    range: tuple[float, float] = Field(description="the values it may be set to")
    meaning: str = Field(min_length=1)
    source: str = Field(min_length=1)
    fitted: float | None = None
    """Value after calibration; None if calibration left it alone."""

    @property
    def default(self) -> float:
        """Value that holds unless a scenario says otherwise."""
        return self.value if self.fitted is None else self.fitted


class ParameterFile(Part):
    """Values of parameters, and where they come from: what `eduverse calibrate` writes."""

    kind: Literal["parameters"]
    title: str = ""
    provenance: dict[str, str | int | float] = Field(default_factory=dict)
    values: dict[str, float]


@cache
def known_parameters(book: str = CLASSROOM_BOOK) -> Mapping[str, Parameter]:
    """All parameters of a model by name. Not to be changed."""
    folder = files("eduverse_mesa.scenarios") / "parameters"
    label = f"built-in parameters/{book}.yaml"
    data = read_resource(folder / f"{book}.yaml", label).data
    try:
        known = TypeAdapter(dict[str, Parameter]).validate_json(json.dumps(data), strict=True)
    except ValidationError as error:  # a mistake in the package, which its tests find
        raise ScenarioError(f"the file is not valid: {error}", where=label, mend="Install the package again.") from None
    if book != CLASSROOM_BOOK:
        return known
    fitted = _parameter_file(read_resource(folder / "calibrated.yaml", _FITTED), known, _FITTED)
    return known | {
        name: known[name].model_copy(update={"fitted": float(value)}) for name, value in fitted.values.items()
    }


def read_parameters(path: Path) -> ParameterFile:
    """A file of values, such as `eduverse calibrate` writes."""
    return _parameter_file(read_file(path), known_parameters(), str(path))


def calibration() -> ParameterFile:
    """The values that are the default, and how they were come by."""
    file = files("eduverse_mesa.scenarios") / "parameters" / "calibrated.yaml"
    return _parameter_file(read_resource(file, _FITTED), known_parameters(), _FITTED)


def _parameter_file(reading: Reading, known: Mapping[str, Parameter], label: str) -> ParameterFile:
    try:
        found = ParameterFile.model_validate(reading.data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ScenarioError(
            f"this is no file of parameters: {where or 'the document'}: {first['msg'].lower()}.",
            where=label,
            mend="It needs 'kind: parameters' and 'values' with a number for each name.",
        ) from None
    refuse(_problems(found.values, reading, known, ("values",)), label)
    return found


def load_parameters(overrides: Mapping[str, float] | None = None, book: str = CLASSROOM_BOOK) -> dict[str, float]:
    """The value of every parameter of a model, with some changed."""
    changes = dict(overrides or {})
    refuse(find_problems(changes, Reading(None, {(): Spot("parameters")}), book), "parameters")
    values = {name: parameter.default for name, parameter in known_parameters(book).items()}
    return values | {name: float(value) for name, value in changes.items()}


def find_problems(overrides: Mapping[str, float], reading: Reading, book: str = CLASSROOM_BOOK) -> Iterator[Problem]:
    """Parameters that do not exist, and values out of range; the reading knows where they were written."""
    return _problems(overrides, reading, known_parameters(book), _TRAIL)


def _problems(
    values: Mapping[str, float], reading: Reading, known: Mapping[str, Parameter], place: Trail
) -> Iterator[Problem]:
    for name, value in values.items():
        trail = (*place, name)
        parameter = known.get(name)
        if parameter is None:
            family = [other for other in known if other.startswith(f"{name.partition('.')[0]}.")]
            mend = suggest(name, known) + (
                f"Known of this family: {', '.join(family)}." if family else _families(known)
            )
            yield Problem(reading.key_spot(trail), trail, f"there is no parameter '{name}'", mend.strip())
            continue
        least, most = parameter.range
        if not least <= value <= most:  # also true of NaN
            mend = f"It is {parameter.meaning}; {parameter.default:g} by default."
            message = f"{value:g} is out of range: {name} may be from {least:g} to {most:g}"
            yield Problem(reading.spot(trail), trail, message, mend)


def _families(known: Mapping[str, Parameter]) -> str:
    names = sorted({name.partition(".")[0] for name in known})
    return f"Families of parameters: {', '.join(names)}."
