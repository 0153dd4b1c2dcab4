"""Changes that a researcher makes in a running lesson: the one difference of a fork."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from eduverse_mesa.scenarios.base import Name, Part, Place, Share
from eduverse_mesa.vocabulary import Act

TraitName = Literal["openness", "conscientiousness", "extraversion", "agreeableness", "neuroticism"]


class _Change(Part):
    lesson: int = Field(1, ge=1, description="which lesson of the course, from 1")
    step: int = Field(ge=1, description="the step before which it happens, from 1")


class Move(_Change):
    """Put a student on another seat or cell until the lesson ends; where somebody sits there, the two swap.

    The next lesson begins as the scenario seats the class: give each lesson a move of its own, or change `seating`.
    """

    change: Literal["move"] = "move"
    student: Name
    to: Name | Place

    def __str__(self) -> str:
        return f"{self.student} goes to {self.to}; whoever sits there changes places with them"


class SetTrait(_Change):
    """Give a student another trait, motivation or ability until the lesson ends; the next has the class's."""

    change: Literal["trait"] = "trait"
    student: Name
    trait: TraitName | Literal["motivation", "ability"]
    value: Share

    def __str__(self) -> str:
        return f"{self.student} has {self.trait} {self.value:g}"


class SetAct(_Change):
    """Make the teacher do this in this step."""

    change: Literal["act"] = "act"
    act: Act

    def __str__(self) -> str:
        return f"the teacher does this: {self.act.replace('_', ' ')}"


class NoChange(_Change):
    """Change nothing: a fork that must equal its parent."""

    change: Literal["nothing"] = "nothing"

    def __str__(self) -> str:
        return "nothing"


Intervention = Annotated[Move | SetTrait | SetAct | NoChange, Field(discriminator="change")]
