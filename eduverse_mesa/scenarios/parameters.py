"""The parameters of the embedded model of cognition, from parameters/embedded.yaml: value, range, meaning, source."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files

from pydantic import Field, TypeAdapter, ValidationError

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.base import Part
from eduverse_mesa.scenarios.plain import Reading, Spot, Trail
from eduverse_mesa.scenarios.problems import Problem, refuse, suggest
from eduverse_mesa.scenarios.reading import read_resource

_LABEL = "built-in parameters/embedded.yaml"
_TRAIL: Trail = ("settings", "parameters")


class Parameter(Part):
    """One number of the model, and what is known about it."""

    value: float
    range: tuple[float, float] = Field(description="the values it may be set to")
    meaning: str = Field(min_length=1)
    source: str = Field(min_length=1)


@cache
def known_parameters() -> Mapping[str, Parameter]:
    """All parameters by name. Not to be changed."""
    resource = files("eduverse_mesa.scenarios") / "parameters" / "embedded.yaml"
    data = read_resource(resource, _LABEL).data
    try:
        return TypeAdapter(dict[str, Parameter]).validate_json(json.dumps(data), strict=True)
    except ValidationError as error:  # a mistake in the package, which its tests find
        raise ScenarioError(
            f"the file is not valid: {error}", where=_LABEL, mend="Install the package again."
        ) from None


def load_parameters(overrides: Mapping[str, float] | None = None) -> dict[str, float]:
    """The value of every parameter, with some changed."""
    changes = dict(overrides or {})
    refuse(find_problems(changes, Reading(None, {(): Spot("parameters")})), "parameters")
    values = {name: parameter.value for name, parameter in known_parameters().items()}
    return values | {name: float(value) for name, value in changes.items()}


def find_problems(overrides: Mapping[str, float], reading: Reading) -> Iterator[Problem]:
    """Parameters that do not exist, and values out of range; the reading knows where they were written."""
    known = known_parameters()
    for name, value in overrides.items():
        trail = (*_TRAIL, name)
        parameter = known.get(name)
        if parameter is None:
            family = [other for other in known if other.startswith(f"{name.partition('.')[0]}.")]
            mend = suggest(name, known) + (f"Known of this family: {', '.join(family)}." if family else _families())
            yield Problem(reading.key_spot(trail), trail, f"there is no parameter '{name}'", mend.strip())
            continue
        least, most = parameter.range
        if not least <= value <= most:  # also true of NaN
            mend = f"It is {parameter.meaning}; {parameter.value:g} by default."
            message = f"{value:g} is out of range: {name} may be from {least:g} to {most:g}"
            yield Problem(reading.spot(trail), trail, message, mend)


def _families() -> str:
    names = sorted({name.partition(".")[0] for name in known_parameters()})
    return f"Families of parameters: {', '.join(names)}."
