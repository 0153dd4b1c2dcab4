"""Drafts to begin from, and scenarios read back from what they were written down as."""

from __future__ import annotations

from typing import Any

from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.scenarios.drafts import Draft
from tests.scenarios.documents import inline


def small() -> Draft:
    return Draft.of_scenario(load_scenario(inline()))


def load(text: str) -> Any:
    from eduverse_mesa.scenarios.yaml_text import parse

    return load_scenario(parse(text, "dump").data)  # type: ignore[arg-type]
