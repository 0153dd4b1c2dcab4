"""The body of a request: a call as a server of a given ability wants it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from eduverse_mesa.policies.llm.calls import Call, Schema

Ability: TypeAlias = Literal["bounded", "strict", "json", "text"]
"""How far a server holds a model to a form: a schema with bounds, one without, JSON of any form, or not at all."""
ABILITIES: tuple[Ability, ...] = ("bounded", "strict", "json", "text")

_KEPT = ("type", "enum", "const", "description", "title", "$ref")
_encode = msgspec.json.Encoder().encode


def request_body(call: Call, ability: Ability, bound: str = "max_tokens") -> bytes:
    """JSON for `chat/completions`; the order of its parts never changes. `bound` is what the server calls that one."""
    sampling = call.sampling
    body: dict[str, Any] = {
        "model": call.model,
        "messages": call.messages,
        bound: sampling.max_tokens,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "frequency_penalty": sampling.frequency_penalty,
    }
    if sampling.seed is not None:
        body["seed"] = sampling.seed
    form = None if call.schema is None else _response_format(call.schema, call.name, ability)
    if form is not None:
        body["response_format"] = form
    return _encode(body)


def _response_format(schema: Schema, name: str, ability: Ability) -> dict[str, Any] | None:
    if ability == "text":
        return None
    if ability == "json":
        return {"type": "json_object"}
    form = schema if ability == "bounded" else strict(schema)
    return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": form}}


def strict(schema: Schema) -> dict[str, Any]:
    """The part of a schema that all servers with schemas take: no bounds, every property required, no others."""
    kept: dict[str, Any] = {name: schema[name] for name in _KEPT if name in schema}
    if isinstance(properties := schema.get("properties"), Mapping):
        kept["properties"] = {name: strict(inner) for name, inner in properties.items()}
        kept["required"] = list(properties)
        kept["additionalProperties"] = False
    if isinstance(items := schema.get("items"), Mapping):
        kept["items"] = strict(items)
    for several in ("anyOf", "oneOf"):
        if several in schema:
            kept["anyOf"] = [strict(inner) for inner in schema[several]]
    if isinstance(definitions := schema.get("$defs"), Mapping):
        kept["$defs"] = {name: strict(inner) for name, inner in definitions.items()}
    return kept
