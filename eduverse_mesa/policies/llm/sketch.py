"""Answers sketched from a schema alone: what a rehearsal server says, and how long real answers may get."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from zlib import crc32

from eduverse_mesa.policies.llm.calls import Schema

_TEXT = "I think that it is about what we have read, and that there is a reason for it. "
_TEXTS = {"zh": "我觉得这和我们读的课文有关系，也有它的道理。"}


def filler(language: str) -> str:
    """A sentence to fill texts with, in the language of a lesson."""
    return _TEXTS.get(language, _TEXT)


def sketch(schema: Schema, luck: int = 0, fullness: float = 0.5, text: str = _TEXT) -> Any:
    """A value that fits: enumerations by luck, texts and lists filled to a share of what is allowed."""
    if "enum" in schema:
        return schema["enum"][luck % len(schema["enum"])]
    if "anyOf" in schema:
        return sketch(schema["anyOf"][luck % len(schema["anyOf"])], luck, fullness, text)
    kind = schema.get("type")
    if kind == "object":
        parts: Mapping[str, Schema] = schema["properties"]
        return {name: sketch(part, _mix(luck, name), fullness, text) for name, part in parts.items()}
    if kind == "array":
        least, most = schema.get("minItems", 0), schema.get("maxItems", 1)
        count = max(least, min(most, 1), round(fullness * most)) if most else 0
        return [sketch(schema["items"], _mix(luck, place), fullness, text) for place in range(count)]
    if kind in ("integer", "number"):
        least, most = schema.get("minimum", 0), schema.get("maximum", 10)
        return least + luck % (int(most - least) + 1)
    if kind == "null":
        return None
    if kind == "boolean":
        return bool(luck % 2)
    length = max(1, round(fullness * schema.get("maxLength", 100)))
    return (text * (length // len(text) + 1))[:length].strip() or text[0]


def _mix(luck: int, with_: object) -> int:
    return crc32(f"{luck}/{with_}".encode())
