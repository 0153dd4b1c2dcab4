"""The JSON Schemas that editors check YAML files with while they are written."""

from __future__ import annotations

from importlib import import_module
from importlib.resources import files
from typing import Any

import pytest

from eduverse_mesa.scenarios.library import FOLDERS, KINDS, Kind, list_names
from eduverse_mesa.scenarios.loader import load_document
from eduverse_mesa.scenarios.schema import schema
from eduverse_mesa.scenarios.yaml_text import parse
from tests.scenarios.documents import (
    COHORT,
    COLLABORATION,
    CURRICULUM,
    LAYOUT,
    LESSON,
    PROBLEM,
    ROLL,
    SCENARIO,
    SUBJECT,
    TUTORING,
    inline,
    refusal,
)

BUILT_IN = [(kind, name) for kind in KINDS for name in list_names(kind)]
WRITTEN = {"layout": LAYOUT, "class": ROLL, "lesson": LESSON, "scenario": SCENARIO}
WRITTEN |= {"subject": SUBJECT, "curriculum": CURRICULUM, "cohort": COHORT, "tutoring": TUTORING, "problem": PROBLEM}
WRITTEN |= {"collaboration": COLLABORATION}


def mistakes(kind: str, data: Any) -> list[str]:
    """What a validator finds; the library comes with altair, and carries no types."""
    validator = import_module("jsonschema").Draft7Validator
    validator.check_schema(schema(kind))
    return [error.message for error in validator(schema(kind)).iter_errors(data)]


@pytest.mark.parametrize(("kind", "name"), BUILT_IN, ids=[f"{kind} {name}" for kind, name in BUILT_IN])
def test_every_built_in_document_is_valid(kind: Kind, name: str) -> None:
    text = (files("eduverse_mesa.scenarios") / FOLDERS[kind] / f"{name}.yaml").read_text(encoding="utf-8")
    assert mistakes(kind, parse(text, name).data) == []
    assert load_document(kind, name).name == name, "a document is called by the name of its file"


@pytest.mark.parametrize("kind", KINDS)
def test_small_documents_are_valid_and_wrong_ones_are_not(kind: str) -> None:
    data: Any = parse(WRITTEN[kind], "F").data
    assert mistakes(kind, data) == []
    assert mistakes(kind, data | {"colour": 1})
    assert mistakes(kind, {key: value for key, value in data.items() if key != "name"})
    assert mistakes(kind, data | {"name": 5})
    assert mistakes(kind, data | {"kind": "other"})
    assert mistakes(kind, [])


def test_parts_of_a_scenario_are_names_or_written_out() -> None:
    data = inline()
    for layout in ("nook", data["layout"]):
        for lessons in ("tides", ["tides"], data["lessons"], data["lessons"][0]):
            assert mistakes("scenario", data | {"layout": layout, "lessons": lessons}) == []
    assert mistakes("scenario", data | {"layout": 5})
    assert mistakes("scenario", data | {"lessons": [5]})
    assert mistakes("scenario", data | {"lessons": []})
    assert mistakes("scenario", data | {"layout": data["layout"] | {"teacher": [1, 2, 3]}}), "tuples have their length"


def test_names_of_built_in_parts_are_offered() -> None:
    properties = schema("scenario")["properties"]
    assert properties["layout"]["anyOf"][0]["examples"] == list(list_names("layout"))


def test_a_schema_is_the_callers_own() -> None:
    schema("layout")["properties"].clear()
    assert schema("layout")["properties"]
    assert schema("layouts") == schema("layout")
    assert "Kinds" in refusal(schema, "planet").mend
