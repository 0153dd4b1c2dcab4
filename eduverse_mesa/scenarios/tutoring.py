"""The tutoring document: a curriculum, a cohort of learners and how they are taught (SimLearner, sections 1 to 3)."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from eduverse_mesa.scenarios.base import Document, Name, Part, Share
from eduverse_mesa.scenarios.cohort import Cohort
from eduverse_mesa.scenarios.curriculum import Curriculum, Grade
from eduverse_mesa.scenarios.scenario import LanguageModel, Waiting

Law = Literal["episodes", "ebbinghaus"]
Arm = Literal["full", "base"]


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

    @model_validator(mode="after")
    def _grades_run_upwards(self) -> Self:
        if self.grades[0] > self.grades[1]:
            raise ValueError(f"the grades run from {self.grades[0]} to {self.grades[1]}; give the lower one first")
        return self


class Tutoring(Document):
    """Everything that teaching a cohort needs besides a seed and answers."""

    kind: Literal["tutoring"] = "tutoring"
    eduverse: Literal[1] = Field(1, description="version of the tutoring format")
    curriculum: Curriculum
    cohort: Cohort
    settings: TutoringSettings = TutoringSettings()

    @property
    def language(self) -> str:
        """What learner and tutor speak."""
        return self.settings.language or self.curriculum.language

    @property
    def people(self) -> tuple[str, ...]:
        """Every learner's name."""
        return tuple(learner.name for learner in self.cohort.learners)
