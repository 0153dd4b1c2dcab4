"""The body of a request: a call as a server of a given ability wants it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import msgspec

from eduverse_mesa.policies.llm.calling.dialect import OPTIONAL, USUAL, Dialect, SystemRole
from eduverse_mesa.policies.llm.calls import Call, Called, Message, Offer, Offers, Schema
from eduverse_mesa.policies.llm.offers import offered

Ability: TypeAlias = Literal["bounded", "strict", "json", "text"]
"""How far a server holds a model to a form: a schema with bounds, one without, JSON of any form, or not at all."""
ABILITIES: tuple[Ability, ...] = ("bounded", "strict", "json", "text")

NOTHING: Mapping[str, Any] = MappingProxyType({})
_KEPT = ("type", "enum", "const", "description", "title", "$ref")
_encode = msgspec.json.Encoder().encode


def request_body(call: Call, ability: Ability, dialect: Dialect = USUAL, extra: Mapping[str, Any] = NOTHING) -> bytes:
    """JSON for `chat/completions`; the order of its parts never changes. `extra` is added, or takes another's place."""
    body: dict[str, Any] = {
        "model": call.model,
        "messages": _messages(call, dialect.system),
        dialect.bound: call.sampling.max_tokens,
    }
    body |= _options(call)
    if call.offers is not msgspec.UNSET:
        body["tools"] = [_function(one) for one in offered(call.offers)]
        body["tool_choice"] = _tool_choice(call.offers)
    elif call.schema is not None and (form := _response_format(call.schema, call.name, ability)) is not None:
        body["response_format"] = form
    body |= extra
    return _encode({name: value for name, value in body.items() if name not in dialect.left_out})


def optional_parts(call: Call, extra: Mapping[str, Any] = NOTHING) -> tuple[str, ...]:
    """The parameters of a request that it could do without."""
    sent = _options(call).keys() | extra.keys() | ({"tool_choice"} if call.offers is not msgspec.UNSET else set())
    return tuple(name for name in OPTIONAL if name in sent)


def _options(call: Call) -> dict[str, Any]:
    sampling = call.sampling
    options = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "frequency_penalty": sampling.frequency_penalty,
        "seed": sampling.seed,
    }
    return {name: value for name, value in options.items() if value is not None}


def _messages(call: Call, role: SystemRole) -> list[Any]:
    """The messages with instructions in the role that the server knows; without one, before the first question."""
    messages = list(call.messages) if call.offers is msgspec.UNSET else _with_calls(call.offers.turns)
    if role == "system":
        return messages
    plain = [one if isinstance(one, dict) else {"role": one.role, "content": one.content} for one in messages]
    if role == "developer":
        return [{**one, "role": "developer"} if one["role"] == "system" else one for one in plain]
    kept: list[dict[str, Any]] = []
    for one in plain:
        speaker = "user" if one["role"] == "system" else one["role"]
        if kept and kept[-1]["role"] == speaker and kept[-1].keys() == one.keys() == {"role", "content"}:
            kept[-1]["content"] += "\n\n" + one["content"]
        else:
            kept.append({**one, "role": speaker})
    return kept


def _with_calls(turns: Sequence[Message | Called]) -> list[Any]:
    """A chat with calls of tools: each as the model's, with its result behind it."""
    told: list[Any] = []
    for number, turn in enumerate(turns):
        if isinstance(turn, Message):
            told.append(turn)
            continue
        mark = f"call{number:05d}"  # nine letters and digits, as Mistral's servers want them
        function = {"name": turn.tool, "arguments": _encode(turn.arguments).decode()}
        call = {"id": mark, "type": "function", "function": function}
        told.append({"role": "assistant", "content": "", "tool_calls": [call]})
        told.append({"role": "tool", "tool_call_id": mark, "content": turn.result or "-"})
    return told


def _function(offer: Offer) -> dict[str, Any]:
    about = {"name": offer.name, "description": offer.purpose, "parameters": strict(offer.schema), "strict": True}
    return {"type": "function", "function": about}


def _tool_choice(offers: Offers) -> Any:
    """Some tool has to be called, and at last the one that takes the answer."""
    return {"type": "function", "function": {"name": offers.answer.name}} if offers.last else "required"


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
