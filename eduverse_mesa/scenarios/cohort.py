"""The cohort document: learners one by one, or sampled from distributions (SimLearner, section 3)."""

from __future__ import annotations

from typing import Literal, Self, get_args

from pydantic import Field, model_validator

from eduverse_mesa.scenarios.base import Document, Name, Part, Share, Text
from eduverse_mesa.scenarios.people import Gender, Sample, Traits

Metacognition = Literal["beginner", "developing", "expert"]
METACOGNITION: tuple[str, ...] = get_args(Metacognition)
"""From the least to the most."""


class Learner(Part):
    """One learner's profile: what does not change with what is learned."""

    name: Name
    gender: Gender = "X"
    traits: Traits = Traits()
    ability: Share = Field(0.5, description="how fast new ideas are taken in; 0.5 is average")
    motivation: Share = 0.5
    metacognition: Metacognition = Field("beginner", description="what it knows of its own learning to begin with")
    portrait: Text = Field("", description="the learner in words, for a language model and for readers")


class Cohort(Document):
    """Learners who are taught one by one."""

    kind: Literal["cohort"] = "cohort"
    learners: tuple[Learner, ...] = Field((), max_length=5000)
    sample: Sample | None = None
    description: Text = ""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if self.learners and self.sample:
            raise ValueError("give learners one by one or a sample, not both; remove one of the two")
        if not self.learners and not self.sample:
            raise ValueError("the cohort is empty; list at least one learner or give a sample")
        names: set[str] = set()
        for learner in self.learners:
            if learner.name in names:
                raise ValueError(f"two learners are called '{learner.name}'; rename one")
            names.add(learner.name)
        return self
