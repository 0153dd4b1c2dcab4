"""The scenario: layout + class + lessons + settings, one validated document."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from eduverse_mesa.scenarios.base import Document, Name, Part, Place, Share
from eduverse_mesa.scenarios.layout import Layout
from eduverse_mesa.scenarios.lesson import Lesson
from eduverse_mesa.scenarios.people import ClassRoll, Perception

Ablation = Literal["nolocal", "nocog", "noregulate"]


class Gate(Part):
    """The social gate (Algorithm A.1)."""

    threshold: Share = Field(0.6, description="a peer request is accepted when the intention W reaches it")


class Pacing(Part):
    """How closely the lesson keeps to its plan (Algorithm A.2)."""

    mode: Literal["adaptive", "fixed"] = "adaptive"
    stretch: float = Field(1.4, ge=1, le=3, description="the lesson never gets longer than this times its steps")


class MemorySettings(Part):
    """What is carried from one lesson of a course to the next."""

    carry: bool = True
    days_between: float = Field(2.0, ge=0, le=3650)


class Settings(Part):
    """How a lesson is run."""

    steps: int = Field(30, ge=1, le=1000, description="nominal steps of a lesson")
    floor: int = Field(2, ge=1, le=100, description="how many can be heard by the whole class in one step")
    perception: Perception = Perception()
    gate: Gate = Gate()
    pacing: Pacing = Pacing()
    memory: MemorySettings = MemorySettings()
    ablation: tuple[Ablation, ...] = Field((), description="mechanisms to take out")
    policy: Name = "embedded"
    parameters: dict[Name, float] = Field(default_factory=dict, description="embedded policy parameters to change")


class Scenario(Document):
    """Everything a run needs besides a seed and answers; all that it includes by name is already in it."""

    kind: Literal["scenario"] = "scenario"
    eduverse: Literal[1] = Field(1, description="version of the scenario format")
    layout: Layout
    roll: ClassRoll = Field(alias="class")
    lessons: tuple[Lesson, ...] = Field(min_length=1)
    seating: dict[Name, Name | Place] = Field(default_factory=dict, description="student: seat id or cell")
    settings: Settings = Settings()
