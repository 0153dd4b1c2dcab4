"""From plain data to the document that they are."""

from __future__ import annotations

import json
from typing import Any

from pydantic import ValidationError

from eduverse_mesa.scenarios.library import Kind
from eduverse_mesa.scenarios.plain import Reading
from eduverse_mesa.scenarios.problems import as_error, explain
from eduverse_mesa.scenarios.shapes import MODELS


def validate(kind: Kind, reading: Reading, label: str) -> Any:
    """The document that plain data are; strictly, as in JSON: no number stands for text, no text for a number."""
    try:
        return MODELS[kind].model_validate_json(json.dumps(reading.data), strict=True)
    except ValidationError as error:
        raise as_error(explain(error, kind, reading), label) from None
