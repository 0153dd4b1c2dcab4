"""Base classes and field types that all parts of a scenario document share."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

WORDED = r"^[^|]*[^\W_][^|]*(\|[^|]*[^\W_][^|]*)*$"
"""A letter or a digit in each alternative: a mark of other signs is found in no text."""
NO_SEMICOLON = r"^[^;]*$"
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, max_length=4000)]
Sentence = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=600)]
Address = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000)]
Template = Annotated[str, StringConstraints(max_length=20_000)]
Place = tuple[int, int]
Share = Annotated[float, Field(ge=0, le=1)]


def is_unset(value: object) -> bool:
    """A field that came later is written only where it is set (`exclude_if`): documents without it keep their
    fingerprint, and runs their names."""
    return not value


class Part(BaseModel):
    """A piece of a document: unknown keys are mistakes, values do not change once read."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Document(Part):
    """A piece that can be a file of its own and be included by its name."""

    name: Name
    title: Text = ""
