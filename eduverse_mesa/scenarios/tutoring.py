"""The tutoring document: a curriculum, a cohort of learners and how they are taught (SimLearner, sections 1 to 3)."""

from __future__ import annotations

from typing import Literal, Self, get_args

from pydantic import Field, field_validator, model_validator

from eduverse_mesa.scenarios.base import Document, Name, Part, Share, Text
from eduverse_mesa.scenarios.curriculum import Curriculum, Grade
from eduverse_mesa.scenarios.people import Gender, Sample, Traits
from eduverse_mesa.scenarios.scenario import LanguageModel, Waiting

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


Law = Literal["episodes", "ebbinghaus"]
Arm = Literal["full", "base"]
EVERY_GRADE = (0, 13)
"""Whichever grades the curriculum has."""


class LearnerMemory(Part):
    """How what was learned is kept (SimLearner, section 2)."""

    law: Law = Field(
        "episodes", description="episodes: a share is lost with each episode; ebbinghaus: with the time that passes"
    )
    alpha: Share = Field(0.95, description="what is left of a concept after an episode, before it is shaped")
    beta: Share = Field(0.25, description="how much of the mastery shown in an episode is added")
    reflect_every: int = Field(
        4, ge=1, le=100, description="episodes of a subject after which its skills are seen anew"
    )
    episodes_kept: int = Field(400, ge=1, le=5000, description="episodes remembered at most; the faintest go first")


class TutoringSettings(Part):
    """How learners are taught."""

    grades: tuple[Grade, Grade] = Field((1, 5), description="first and last grade that is taught")
    visits: int = Field(
        3, ge=0, le=40, description="dialogues in a grade for each of its units; which, the tutor picks"
    )
    turns: int = Field(8, ge=1, le=60, description="the tutor's turns in a dialogue, at most")
    arm: Arm = Field("full", description="base: the learner without memory and without what it must not know")
    memory: LearnerMemory = LearnerMemory()
    school_days: int = Field(180, ge=1, le=366, description="days over which a grade's dialogues are spread")
    language: Name | None = Field(
        None, description="what learner and tutor speak around the curriculum's own words; none: its language"
    )
    policy: Name = "embedded"
    parameters: dict[Name, float] = Field(default_factory=dict, description="parameters of the learner to change")
    llm: LanguageModel = LanguageModel()
    people: Waiting = Waiting()

    @field_validator("grades")
    @classmethod
    def _grades_run_upwards(cls, grades: tuple[Grade, Grade]) -> tuple[Grade, Grade]:
        if grades[0] > grades[1]:
            raise ValueError(f"the grades run from {grades[0]} to {grades[1]}; give the lower one first")
        return grades


class Tutoring(Document):
    """Everything that teaching a cohort needs besides a seed and answers."""

    kind: Literal["tutoring"] = "tutoring"
    eduverse: Literal[1] = Field(1, description="version of the tutoring format")
    curriculum: Curriculum
    cohort: Cohort
    settings: TutoringSettings = TutoringSettings()

    @property
    def language(self) -> str:
        """Language that learner and tutor speak."""
        return self.settings.language or self.curriculum.language

    @property
    def people(self) -> tuple[str, ...]:
        """Every learner's name."""
        return tuple(learner.name for learner in self.cohort.learners)
