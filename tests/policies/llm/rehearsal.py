"""A stand-in that answers any question by its schema alone, quickly and always the same."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable, Sequence
from typing import Any
from zlib import crc32

from eduverse_mesa.decisions import Answer, Decision
from eduverse_mesa.policies import make_policy
from eduverse_mesa.policies.llm.answer import Asker
from eduverse_mesa.policies.llm.calls import Call, CallFailedError, Completion, Sampling, Usage
from eduverse_mesa.policies.llm.policy import LlmPolicy
from eduverse_mesa.policies.llm.prompter import Prompter
from eduverse_mesa.policies.llm.stages import Fused, Staged

Twist = Callable[[Call, int], str | Completion | CallFailedError | None]

ENGLISH = "I think that it is about what we have read."
CHINESE = "我觉得这和我们读的课文有关系。"
FIDELITIES = ("staged", "fused")


class Rehearsal:
    """Takes calls, keeps them, and answers in the form that is asked for; `twist` may answer first.

    With `delays` it takes its time, a little and never the same.
    """

    def __init__(self, twist: Twist | None = None, text: str = ENGLISH, delays: random.Random | None = None) -> None:
        self.calls: list[Call] = []
        self._twist = twist
        self._text = text
        self._delays = delays

    async def complete(self, call: Call, ledger: Any = None) -> Completion:
        number = len(self.calls)
        self.calls.append(call)
        if self._delays is not None:
            for _ in range(self._delays.randrange(20)):  # turns of the loop, not time: nothing here waits for a clock
                await asyncio.sleep(0)
        answer = self._twist(call, number) if self._twist is not None else None
        if isinstance(answer, CallFailedError):
            raise answer
        if isinstance(answer, Completion):
            return answer
        if answer is None:
            answer = json.dumps(filled(call, self._text))
        return Completion(answer, usage=Usage(100, 20, 60, 0.001, 5.0, 1))


def filled(call: Call, text: str = ENGLISH) -> Any:
    """The answer to a call."""
    assert call.schema is not None
    return fill(call.schema, crc32(repr(call.sampling.seed).encode()), text)


def fill(schema: Any, luck: int, text: str = ENGLISH) -> Any:
    """The shortest value that fits, with one of the options of each enumeration."""
    if "enum" in schema:
        return schema["enum"][luck % len(schema["enum"])]
    if "anyOf" in schema:
        return fill(schema["anyOf"][luck % len(schema["anyOf"])], luck, text)
    kind = schema["type"]
    if kind in ("number", "null"):
        return schema.get("minimum", 0.5) if kind == "number" else None
    if kind == "object":
        return {name: fill(part, crc32(f"{luck}{name}".encode()), text) for name, part in schema["properties"].items()}
    if kind == "array":
        count = max(schema.get("minItems", 0), min(1, schema.get("maxItems", 1)))
        return [fill(schema["items"], crc32(f"{luck}{place}".encode()), text) for place in range(count)]
    if kind == "integer":
        return schema["minimum"] + luck % (schema["maximum"] - schema["minimum"] + 1)
    if kind == "boolean":
        return bool(luck % 2)
    return text[: schema.get("maxLength", 200)]


def policy_with(
    rehearsal: Rehearsal,
    fidelity: str = "fused",
    *,
    otherwise: str = "fallback",
    style_model: str | None = None,
    talk_steps: int = 8,
    name: str = "llm",
    useless: float = 1 / 3,
) -> LlmPolicy:
    """The policy of a language model, with the stand-in for the model."""
    asker = Asker(rehearsal, None, "small", Sampling(), reasks=2, send_seed=True)
    stages = (Staged if fidelity == "staged" else Fused)(asker, Prompter({}, talk_steps), style_model)
    fallback: Any = make_policy("embedded") if otherwise == "fallback" else None
    return LlmPolicy(name, stages, fallback, useless=useless)


class Watched:
    """A policy asked for one decision after the other, with the calls that each of them took."""

    def __init__(self, rehearsal: Rehearsal, policy: LlmPolicy) -> None:
        self.name = policy.name
        self.seen: list[tuple[Any, tuple[Call, ...]]] = []
        self._rehearsal = rehearsal
        self._policy = policy

    async def answer_async(self, decisions: Sequence[Decision]) -> list[Answer]:
        answers = []
        for decision in decisions:
            before = len(self._rehearsal.calls)
            answers += await self._policy.answer_async([decision])
            self.seen.append((decision, tuple(self._rehearsal.calls[before:])))
        return answers

    def of(self, kind: str) -> list[tuple[Any, tuple[Call, ...]]]:
        """Decisions of one kind with their calls."""
        return [(decision, calls) for decision, calls in self.seen if decision.kind == kind]

    @property
    def calls(self) -> list[Call]:
        """All calls, in the order of the decisions."""
        return [call for _, calls in self.seen for call in calls]
