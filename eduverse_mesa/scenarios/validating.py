"""From plain data to the document that they are."""

from __future__ import annotations

import json
from typing import Any

from pydantic import ValidationError

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.library import Kind
from eduverse_mesa.scenarios.plain import Reading, Spot
from eduverse_mesa.scenarios.problems import Problem, explain, refuse
from eduverse_mesa.scenarios.shapes import MODELS


def validate(kind: Kind, reading: Reading, label: str) -> Any:
    """The document that plain data are; strictly, as in JSON: no number stands for text, no text for a number."""
    document, wrong = examine(kind, reading)
    refuse(wrong, label)
    return document


def examine(kind: Kind, reading: Reading) -> tuple[Any, list[Problem]]:
    """The same, with all that is wrong instead of an error: parts that are missing, and values that are not valid."""
    wrong = [_absent(reading.spot(trail), error) for trail, error in reading.missing.items()]
    try:
        return MODELS[kind].model_validate_json(json.dumps(reading.data), strict=True), wrong
    except ValidationError as error:
        found = explain(error, kind, reading)
    inside = [one for one in found if not any(one.trail[: len(at)] == at for at in reading.missing)]
    return None, [*wrong, *inside]


def _absent(spot: Spot, error: ScenarioError) -> Problem:
    """A part that is missing; where it is there and cannot be read, the place is its own."""
    where = spot if error.where == str(spot) else Spot(error.where)
    return Problem(where, (), error.message.removesuffix("."), error.mend)
