"""A stand-in that answers any question by its schema alone, quickly and always the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from zlib import crc32

from eduverse_mesa.policies.llm.calls import Call, CallFailedError, Completion, Usage

Twist = Callable[[Call, int], str | Completion | CallFailedError | None]

ENGLISH = "I think that it is about what we have read."
CHINESE = "我觉得这和我们读的课文有关系。"


class Rehearsal:
    """Takes calls, keeps them, and answers in the form that is asked for; `twist` may answer first."""

    def __init__(self, twist: Twist | None = None, text: str = ENGLISH) -> None:
        self.calls: list[Call] = []
        self._twist = twist
        self._text = text

    async def complete(self, call: Call, ledger: Any = None) -> Completion:
        number = len(self.calls)
        self.calls.append(call)
        answer = self._twist(call, number) if self._twist is not None else None
        if isinstance(answer, CallFailedError):
            raise answer
        if isinstance(answer, Completion):
            return answer
        if answer is None:
            assert call.schema is not None
            answer = json.dumps(fill(call.schema, crc32(repr(call.sampling.seed).encode()), self._text))
        return Completion(answer, usage=Usage(100, 20, 60, 0.001, 5.0, 1))


def fill(schema: Any, luck: int, text: str = ENGLISH) -> Any:
    """The shortest value that fits, with one of the options of each enumeration."""
    if "enum" in schema:
        return schema["enum"][luck % len(schema["enum"])]
    kind = schema["type"]
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
