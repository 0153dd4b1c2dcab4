"""Names and words for sampled classes; a language is a file in languages/."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from pydantic import Field

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.base import Name, Part
from eduverse_mesa.scenarios.problems import suggest
from eduverse_mesa.scenarios.reading import read_resource

# A sentence for each case of what it is `of`.
Case = dict[str, str]
_FOLDER = "languages"
HIGH, LOW = 0.62, 0.38
"""From where on a trait is worth a word: about two thirds of a standard deviation (0.18) from the average."""


class Language(Part):
    """What a language file holds."""

    teacher: Name
    given_names: dict[str, tuple[Name, ...]]
    second: tuple[str, ...] = Field(min_length=1)
    gap: str = Field(description="what stands between two sentences")
    portrait: dict[str, tuple[Case, ...]]
    teacher_portrait: tuple[Case, ...]


def list_languages() -> tuple[str, ...]:
    """The languages that classes can be sampled in."""
    folder = files("eduverse_mesa.scenarios").joinpath(_FOLDER)
    return tuple(sorted(file.name.removesuffix(".yaml") for file in folder.iterdir() if file.name.endswith(".yaml")))


@cache
def find_language(name: str) -> Language:
    """The language of a name."""
    known = list_languages()
    if name not in known:
        raise ScenarioError(
            f"there are no names in the language '{name}'.",
            mend=f"{suggest(name, known)}Known languages: {', '.join(known)}. Or list the students one by one.",
        )
    file = files("eduverse_mesa.scenarios") / _FOLDER / f"{name}.yaml"
    data = read_resource(file, f"built-in {_FOLDER}/{name}.yaml").data
    return Language.model_validate_json(json.dumps(data), strict=True)


def describe(cases: Iterable[Case], facts: Mapping[str, float | str], gap: str) -> str:
    """A few sentences: for a number those of its level, for a word those of the word itself."""
    said = []
    for case in cases:
        fact = facts[case["of"]]
        said.append(case[fact if isinstance(fact, str) else _level(fact)])
    return gap.join(sentence for sentence in said if sentence)


def _level(value: float) -> str:
    if value >= HIGH:
        return "high"
    return "low" if value <= LOW else "middle"
