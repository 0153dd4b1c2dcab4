"""The scenario: layout + class + lessons + settings, one validated document."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any, Literal

from pydantic import Field, field_validator

from eduverse_mesa.scenarios.base import Address, Document, Name, Part, Place, Share, Template, is_unset
from eduverse_mesa.scenarios.credentials import credential_in
from eduverse_mesa.scenarios.layout import Layout
from eduverse_mesa.scenarios.lesson import Lesson
from eduverse_mesa.scenarios.people import ClassRoll
from eduverse_mesa.scenarios.perception import Perception

Ablation = Literal["nolocal", "nocog", "noregulate"]


class Gate(Part):
    """The social gate (Algorithm A.1)."""

    threshold: Share = Field(0.6, description="a peer request is accepted when the intention W reaches it")


class Pacing(Part):
    """How closely the lesson keeps to its plan (Algorithm A.2)."""

    mode: Literal["adaptive", "fixed"] = "adaptive"
    stretch: float = Field(1.4, ge=1, le=3, description="the lesson never gets longer than this times its steps")


class MemorySettings(Part):
    """Settings of the memory that is carried from one lesson of a course to the next."""

    carry: bool = True
    days_between: float = Field(2.0, ge=0, le=3650)


class Deadlines(Part):
    """How long to wait for a language model, in seconds. The total counts from the first attempt of a call."""

    connect: float = Field(10, gt=0, le=3600)
    read: float = Field(60, gt=0, le=3600, description="longest silence while an answer comes in")
    attempt: float = Field(120, gt=0, le=3600)
    total: float = Field(300, gt=0, le=36000, description="all attempts at one call together")


class Budget(Part):
    """Most that a run may spend on language models; amounts left out are not limited."""

    usd: float | None = Field(None, ge=0)
    tokens: int | None = Field(None, ge=0, description="read and written together")
    requests: int | None = Field(None, ge=0, description="retries count, too")


_OWN_FIELDS = frozenset((
    "model", "messages", "response_format", "stream", "n", "tools", "tool_choice", "max_tokens",
    "max_completion_tokens", "temperature", "top_p", "frequency_penalty", "seed", "reasoning_effort",
))  # fmt: skip


class LanguageModel(Part):
    """Language model that answers, and how it is asked. The key comes from the environment only."""

    model: Address | None = Field(None, description="the name the endpoint knows it by; for `local` a GGUF file")
    base_url: Address | None = Field(None, description="an OpenAI-compatible endpoint; left out: the environment's")
    fidelity: Literal["fused", "staged"] = Field(
        "fused", description="fused: one call a student and turn; staged: each stage of the paper a call of its own"
    )
    style_model: Address | None = Field(
        None, description="model or LoRA adapter that gives students their way of speaking"
    )
    temperature: float | None = Field(0.5, ge=0, le=2, description="null: not sent, for models that refuse it")
    top_p: float | None = Field(0.9, gt=0, le=1, description="null: not sent")
    max_tokens: int = Field(512, ge=16, le=100000, description="of an answer, thoughts of a model that thinks included")
    frequency_penalty: float | None = Field(0.2, ge=-2, le=2, description="null: not sent")
    reasoning_effort: str | None = Field(
        None,
        pattern="^[a-z]{1,20}$",
        description="how long a model thinks: minimal, low, medium, high",
        exclude_if=is_unset,
    )
    extra_body: dict[Name, Any] = Field(
        default_factory=dict,
        description="fields that are added to every request, as the server documents them; never a key",
        exclude_if=is_unset,
    )
    extra_headers: dict[Name, Address] = Field(
        default_factory=dict,
        description="headers that are added to every request; never a key",
        exclude_if=is_unset,
    )
    send_seed: bool = Field(True, description="send a seed with each call, for endpoints that sample the same by it")
    reasks: int = Field(2, ge=0, le=2, description="how often a useless answer is asked for again, with the reason")
    otherwise: Literal["fallback", "failed"] = Field(
        "fallback", description="what an answer that stays useless becomes: the embedded policy's, or none"
    )
    useless: Share = Field(
        1 / 3, description="the share of useless answers that ends a run", exclude_if=lambda share: share == 1 / 3
    )
    talk_steps: int = Field(8, ge=0, le=1000, description="how many past steps of talk a prompt shows, at least")
    concurrency: int = Field(64, ge=1, le=4096, description="calls in flight at once, at most")
    delivery: Literal["live", "batch"] | None = Field(
        None,
        description="batch: for half the price within a day, in runs without people; left out: live",
        exclude_if=is_unset,
    )
    deadlines: Deadlines = Deadlines()
    budget: Budget = Budget()
    told_of_harm: bool = Field(
        False,
        description="also send what people type that tells of harm; otherwise that goes to no model",
        exclude_if=is_unset,
    )
    prompts: dict[Name, Template] = Field(default_factory=dict, description="prompt templates of your own, by name")

    @field_validator("extra_body")
    @classmethod
    def _adds_only(cls, fields: dict[str, Any]) -> dict[str, Any]:
        """Fields that the program fills itself have settings of their own."""
        taken = sorted(_OWN_FIELDS & fields.keys())
        if taken:
            raise ValueError(f"'{taken[0]}' is the program's own; leave it out here")
        return fields

    @field_validator("extra_body", "extra_headers")
    @classmethod
    def _no_keys(cls, fields: dict[str, Any]) -> dict[str, Any]:
        """A scenario is kept and passed on: no key stands in it."""
        if place := credential_in(fields):
            raise ValueError(f"'{place}' may hold a key; a scenario is passed on, keys are read from the environment")
        return fields


class Waiting(Part):
    """How a lesson deals with people who sit in it."""

    wait: float | None = Field(
        60, gt=0, le=86400, description="seconds to wait for a person's answer; null: as long as it takes"
    )
    away: float = Field(30, gt=0, le=86400, description="seconds without a sign of its browser: nobody is waited for")


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
    llm: LanguageModel = LanguageModel()
    people: Waiting = Waiting()


class Scenario(Document):
    """Everything a run needs besides a seed and answers; all that it includes by name is already in it."""

    kind: Literal["scenario"] = "scenario"
    eduverse: Literal[1] = Field(1, description="version of the scenario format")
    layout: Layout
    roll: ClassRoll = Field(alias="class")
    lessons: tuple[Lesson, ...] = Field(min_length=1)
    seating: dict[Name, Name | Place] = Field(default_factory=dict, description="student: seat id or cell")
    settings: Settings = Settings()

    @property
    def people(self) -> tuple[str, ...]:
        """Everybody's name, the teacher's first."""
        teacher = () if self.roll.teacher is None else (self.roll.teacher.name,)
        return (*teacher, *(student.name for student in self.roll.students))


def dump_scenario(scenario: Scenario) -> dict[str, Any]:
    """The whole scenario as plain data, which load_scenario reads again as the same scenario."""
    return scenario.model_dump(mode="json", by_alias=True)


def fingerprint(scenario: Scenario) -> str:
    """Sixteen hexadecimal digits that tell scenarios apart; the order of keys does not matter."""
    text = json.dumps(
        dump_scenario(scenario), sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False
    )
    return blake2b(text.encode("ascii"), digest_size=8).hexdigest()
