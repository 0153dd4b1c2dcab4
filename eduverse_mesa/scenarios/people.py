"""The class document: the teacher and the students, listed one by one or sampled from distributions (C.2, D.1)."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.base import Document, Name, Part, Share, Text
from eduverse_mesa.scenarios.perception import Perception
from eduverse_mesa.vocabulary import Behaviour, Cognition, Emotion

Gender = Literal["F", "M", "X"]
Role = Literal["academic", "discussion", "off_task"]
CognitiveStyle = Literal["field_dependent", "field_independent"]
Thinking = Literal["reflective", "impulsive"]


class Traits(Part):
    """The Big Five, each from 0 to 1 with 0.5 the average."""

    openness: Share = 0.5
    conscientiousness: Share = 0.5
    extraversion: Share = 0.5
    agreeableness: Share = 0.5
    neuroticism: Share = 0.5


class Initial(Part):
    """How a student comes in."""

    behaviour: Behaviour = "head_up"
    emotion: Emotion = "positive"
    cognition: Cognition = "understand"


class Portrait(Part):
    """The behaviour profile in words: what a language model is told, and what a reader sees."""

    language_style: Text = ""
    class_behaviour: Text = ""
    learning_preference: Text = ""
    teacher_guidance: Text = ""
    role_description: Text = ""


class Speech(Part):
    """How a student talks; what is left out follows from traits."""

    hedging: Share | None = None
    filling: Share | None = None
    verbosity: Share | None = None
    fillers: tuple[Name, ...] = ()


class Student(Part):
    """One student's profile."""

    name: Name
    age: int = Field(13, ge=3, le=99)
    gender: Gender = "X"
    seat: Name | None = Field(None, description="a seat id of the layout; left out: the next free one")
    group: Name | None = None
    perception: Perception | None = None
    traits: Traits = Traits()
    cognitive_style: CognitiveStyle = "field_independent"
    thinking: Thinking = "reflective"
    motivation: Share = 0.5
    ability: Share = Field(0.5, description="how fast new ideas are taken in; 0.5 is average")
    role: Role = "academic"
    initial: Initial = Initial()
    portrait: Portrait = Portrait()
    speech: Speech = Speech()


class TeacherStyle(Part):
    """Differences between teachers; 0.5 is average (a fifth to a third of the variance of talk lies between them)."""

    questioning: Share = 0.5
    pressing: Share = Field(0.5, description="asks for reasons rather than for facts")
    revoicing: Share = 0.5
    warmth: Share = 0.6
    talkativeness: Share = 0.5
    fairness: Share = Field(0.5, description="spreads calls evenly rather than to raised hands and front seats")
    discussion: Share = 0.5
    vigilance: Share = Field(0.5, description="how soon off-task behaviour is addressed")


class Teacher(Part):
    """The teacher's profile."""

    name: Name = "Teacher"
    style: TeacherStyle = TeacherStyle()
    portrait: Text = ""


class TraitDistribution(Part):
    """A normal distribution cut to [0, 1]."""

    mean: Share = 0.5
    sd: float = Field(0.18, ge=0, le=1)


class Correlation(Part):
    """A correlation between two sampled traits, motivation or ability."""

    between: tuple[Name, Name]
    r: float = Field(ge=-0.95, le=0.95)


class Sample(Part):
    """A class drawn from trait distributions: same seed, same class."""

    size: int = Field(ge=1, le=2000)
    seed: int = Field(1, ge=0)
    language: Name = "en"
    traits: dict[Name, TraitDistribution] = Field(default_factory=dict)
    correlations: tuple[Correlation, ...] = ()
    field_dependent_share: Share = 0.5
    impulsive_share: Share = 0.4
    class_sd: float = Field(
        0.0, ge=0, le=0.5, description="spread of whole classes: how far the mean of each trait moves with the seed"
    )
    teacher_sd: float = Field(0.28, ge=0, le=0.5, description="spread of the sampled teacher's style")


class ClassRoll(Document):
    """Members of the class: students one by one, or a sample, never both."""

    kind: Literal["class"] = "class"
    teacher: Teacher | None = None
    students: tuple[Student, ...] = ()
    sample: Sample | None = None
    description: Text = ""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if self.students and self.sample:
            raise ValueError("give students one by one or a sample, not both; remove one of the two")
        if not self.students and not self.sample:
            raise ValueError("the class is empty; list at least one student or give a sample")
        return self


NO_TEACHER = "the class has no teacher"
ADD_TEACHER = "Add for example `teacher: {name: Ms Lin}`."


def teacher_of(roll: ClassRoll) -> Teacher:
    """The teacher of a class; a class that was read from a file has one."""
    if roll.teacher is None:
        raise ScenarioError(f"{NO_TEACHER}.", where=roll.name, mend=ADD_TEACHER)
    return roll.teacher
