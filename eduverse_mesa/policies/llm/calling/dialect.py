"""The dialect of a model's server (which parts of a request it takes, and by which name), bodies of requests in it, and
probes that find it out.

"OpenAI-compatible" has many meanings. Servers refuse single parameters, pairs of them, or a system message, each in
words of its own. A dialect begins as the usual one and is learned from refusals.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import msgspec

from eduverse_mesa.policies.llm.calling.failures import Failure, GivenUpError
from eduverse_mesa.policies.llm.calls import Call, Called, Completion, Message, Offer, Offers, Sampling, Schema
from eduverse_mesa.policies.llm.offers import GIVEN, NEXT, TOOL, offered

SystemRole: TypeAlias = Literal["system", "developer", "user"]

OPTIONAL = ("tool_choice", "reasoning_effort", "frequency_penalty", "seed", "top_p", "temperature")
"""Parameters that a request can do without, in the order in which they are given up where two exclude one another."""
_REFUSED = re.compile(
    r"unsupported|not (?:currently |yet )?supported|(?:does|do)(?:n['’]t| not) support"
    r"|(?:unknown|unexpected) (?:name|field|parameter|argument|keyword)|unrecogni[sz]ed|no such (?:field|parameter)"
    r"|extra (?:inputs?|fields?)|extra_forbidden|not permitted|not allowed"
    r"|(?:is|are) not (?:enabled|available|accepted)"
    r"|cannot (?:both )?be (?:both )?(?:used|set|specified)|only the default|deprecated|not accept"
    r"|invalid (?:field|parameter|argument) name",
    re.IGNORECASE,
)
"""Words by which servers say that they do not know a parameter, and not that its value is out of range."""
_EXCLUDING = re.compile(r"\bboth\b|only one of|mutually exclusive|together|either\b.+\bor\b", re.IGNORECASE)
_NO_SYSTEM = re.compile(
    r"system (?:role|messages?|prompts?|instructions?) (?:is |are )?(?:not|un)"
    r"|(?:does not|doesn['’]t) support ['\"`]?system|(?:developer|system) instruction is not enabled"
    r"|roles must alternate|only (?:the )?user,? (?:and )?assistant (?:and tool )?roles"
    r"|(?:unsupported|unexpected|invalid) (?:message )?role",
    re.IGNORECASE,
)


class Dialect(msgspec.Struct, frozen=True):
    """Everything that was learned about one model of one server."""

    bound: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    """The server's name for the most tokens of an answer."""
    left_out: tuple[str, ...] = ()
    """Parameters that it refuses: they are not sent."""
    system: SystemRole = "system"
    """The role that instructions have; `user` puts them before the first question."""

    def without(self, names: Iterable[str]) -> Dialect:
        """The same, with further parameters left out."""
        return msgspec.structs.replace(self, left_out=tuple(sorted({*self.left_out, *names})))


USUAL = Dialect()


class Refusal(msgspec.Struct, frozen=True):
    """A server's words about a request that it does not take."""

    message: str = ""
    parameters: tuple[str, ...] = ()
    """Parameters that the error names in a field of its own."""


def learn(dialect: Dialect, refusal: Refusal, sent: Iterable[str]) -> Dialect | None:
    """The dialect in which the request may be taken; None where the refusal is about something else.

    `sent` are the optional parameters that the refused request carried.
    """
    return _other_bound(dialect, refusal) or _other_role(dialect, refusal) or _fewer(dialect, refusal, tuple(sent))


def _other_bound(dialect: Dialect, refusal: Refusal) -> Dialect | None:
    names = _named(refusal, ("max_tokens", "max_completion_tokens"))
    wanted: Literal["max_tokens", "max_completion_tokens"]
    wanted = "max_completion_tokens" if dialect.bound == "max_tokens" else "max_tokens"
    if wanted in names or (dialect.bound in names and _REFUSED.search(refusal.message)):
        return msgspec.structs.replace(dialect, bound=wanted)
    return None


def _other_role(dialect: Dialect, refusal: Refusal) -> Dialect | None:
    if dialect.system == "user":
        return None
    about = any(re.fullmatch(r"messages(?:\[\d+\]|\.\d+)\.role", name) for name in refusal.parameters)
    if not (_NO_SYSTEM.search(refusal.message) or (about and "system" in refusal.message)):
        return None
    developer = dialect.system == "system" and re.search(r"['\"`]developer['\"`]", refusal.message) is not None
    return msgspec.structs.replace(dialect, system="developer" if developer else "user")


def _fewer(dialect: Dialect, refusal: Refusal, sent: tuple[str, ...]) -> Dialect | None:
    if not _REFUSED.search(refusal.message) and not _EXCLUDING.search(refusal.message):
        return None
    named = [name for name in _named(refusal, OPTIONAL) if name in sent]
    if len(named) > 1 and _EXCLUDING.search(refusal.message):
        named = named[:1]
    elif not _REFUSED.search(refusal.message):
        return None
    return dialect.without(named) if named else None


def _named(refusal: Refusal, names: Iterable[str]) -> list[str]:
    """The parameters that a refusal names, in a field or in its words, in any way of writing."""
    fields = {name.rsplit(".", 1)[-1] for name in refusal.parameters}
    return [name for name in names if fields & _spellings(name) or _in_words(name, refusal.message)]


def _in_words(name: str, message: str) -> bool:
    return any(re.search(rf"(?<![\w]){re.escape(one)}(?![\w])", message) for one in _spellings(name))


def _spellings(name: str) -> set[str]:
    """`frequency_penalty`, `frequencyPenalty`, `frequency penalty`; Gemini's servers say just "Penalty"."""
    first, *rest = name.split("_")
    spellings = {name, first + "".join(word.title() for word in rest), name.replace("_", " ")}
    return spellings | {"Penalty"} if name == "frequency_penalty" else spellings


Ability: TypeAlias = Literal["bounded", "strict", "json", "text"]
"""How far a server holds a model to a form: a schema with bounds, one without, JSON of any form, or not at all."""
ABILITIES: tuple[Ability, ...] = ("bounded", "strict", "json", "text")

NOTHING: Mapping[str, Any] = MappingProxyType({})
_KEPT = ("type", "enum", "const", "description", "title", "$ref")
_BOUNDS = (
    ("minLength", "maxLength", "characters"),
    ("minimum", "maximum", ""),
    ("minItems", "maxItems", "entries"),
)
"""Pairs of keywords that bound a part, and the unit that they count."""
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
        body["tools"] = [_function(one, ability) for one in offered(call.offers)]
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


def _function(offer: Offer, ability: Ability) -> dict[str, Any]:
    form = offer.schema if ability == "bounded" else strict(offer.schema)
    about = {"name": offer.name, "description": offer.purpose, "parameters": form, "strict": True}
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


# Bounds that strict modes refuse as keywords, each by its own page:
# - OpenAI (https://platform.openai.com/docs/guides/structured-outputs, "Supported schemas"): lengths of text, for all
#   models; for fine-tuned ones also `pattern`, `minimum`, `maximum`, `minItems` and `maxItems`.
# - Azure (https://learn.microsoft.com/azure/ai-foundry/openai/how-to/structured-outputs, "Unsupported type-specific
#   keywords"): all of them.
# - Anthropic with `strict: true` (https://platform.claude.com/docs/en/build-with-claude/structured-outputs, "JSON
#   Schema limitations"): all but `minItems` of 0 or 1 and simple patterns. Its tools without `strict`, which is how
#   they are called here, take any schema.
# Descriptions are taken by all of them, and models read them.
def strict(schema: Schema) -> dict[str, Any]:
    """The part of a schema that all servers with schemas take: every property required, no others, and bounds in
    words, in the descriptions."""
    kept: dict[str, Any] = {name: schema[name] for name in _KEPT if name in schema}
    if bounds := bounds_in_words(schema):
        kept["description"] = f"{kept['description']} ({bounds})" if "description" in kept else bounds
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


def bounds_in_words(schema: Schema) -> str:
    """Return the bounds of a part of a schema, in words for a model; empty if it has none."""
    told = (_range(schema.get(least), schema.get(most), unit) for least, most, unit in _BOUNDS)
    return ", ".join(filter(None, told))


def _range(least: float | None, most: float | None, unit: str) -> str:
    if least is None and most is None:
        return ""
    if least == most:
        words = f"exactly {least}"
    elif least is None:
        words = f"at most {most}"
    elif most is None:
        words = f"at least {least}"
    else:
        words = f"from {least} to {most}"
    return f"{words} {unit}".rstrip()


_WORD = "quartz"
"""No model answers this by itself; who does was held to it."""
_QUESTION = Message("user", "What is the capital of France? Answer in JSON.")
_SCHEMA = {
    "type": "object",
    "properties": {
        "answer": {"type": "string", "enum": [_WORD]},
        "why": {"type": "string", "minLength": 1, "maxLength": 20},
        "marks": {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 2}, "maxItems": 1},
    },
    "required": ["answer", "why", "marks"],
    "additionalProperties": False,
}
ROOM_TO_THINK = 1024
"""Tokens: some models think before they answer, and their thoughts count."""
_REFUSALS = frozenset({400, 405, 415, 422, 500, 501})
"""How servers say that they do not know a form; some break over a schema that they cannot compile."""

Send = Callable[[Call, Ability], Awaitable[Completion]]


def probe_call(model: str, sampling: Sampling | None = None) -> Call:
    """The question, sampled as the run's own questions are, with room for a model that thinks first."""
    own = sampling or Sampling()
    own = msgspec.structs.replace(own, seed=None, max_tokens=max(own.max_tokens, ROOM_TO_THINK))
    return Call(model, (_QUESTION,), own, _SCHEMA, "probe")


async def detect(model: str, send: Send, sampling: Sampling | None = None) -> Ability:
    """The most a server can do; raises what stands in the way where it does not answer at all."""
    call = probe_call(model, sampling)
    broke: GivenUpError | None = None
    for ability in ABILITIES:
        try:
            completion = await _unhurried(call, ability, send)
        except GivenUpError as error:
            if error.failure.status not in _REFUSALS or error.failure.trouble != "call":
                raise
            broke = error
            continue
        if ability == "text" or completion.finish == "length":
            return ability  # an answer, or a beginning of one: what was refused before was the form
        if _holds(completion.text, ability):
            return ability
        if ability == "bounded":
            return "json" if _is_object(completion.text) else "text"
    assert broke is not None
    raise broke  # it takes nothing at all: a bad moment says nothing about what it can do


_LOOK_UP = Offer(
    "look_up",
    "Look a word up in the dictionary.",
    {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
)
_PROBE_OFFERS = Offers(
    (Message("user", f"What does the dictionary say about '{_WORD}'? Look it up."),),
    (_LOOK_UP,),
    Offer("probe", "Take the answer.", _SCHEMA),
    "probe",
)


class Untaken(msgspec.Struct, frozen=True):
    """A server does not take tools, or not these."""

    why: str
    """Its words, or what it did instead of calling one."""


_ABOUT_SCHEMA = re.compile(r"schema|min(?:imum|_?length|_?items)|max(?:imum|_?length|_?items)|keyword", re.IGNORECASE)


def less_of_tools(ability: Ability, failure: Failure) -> Ability | Untaken:
    """How tools are offered to a server after it has refused them so: without bounds, if it was not the tools
    themselves that it refused."""
    if ability == "bounded" and not (failure.tools and not _ABOUT_SCHEMA.search(failure.reason)):
        return "strict"
    return Untaken(failure.reason)


async def detect_tools(model: str, send: Send, sampling: Sampling | None = None) -> Ability | Untaken:
    """Return how far a server with function calling of its own holds a model to a tool's schema; Untaken if it has
    none: if the call that it is asked for does not come back as one. Raise the failure if the server does not answer at
    all."""
    call = msgspec.structs.replace(probe_call(model, sampling), offers=_PROBE_OFFERS)
    found: Ability | Untaken = "bounded"
    while not isinstance(found, Untaken):
        try:
            completion = await _unhurried(call, found, send)
        except GivenUpError as error:
            if not (error.failure.tools or (error.failure.status in _REFUSALS and error.failure.trouble == "call")):
                raise
            found = less_of_tools(found, error.failure)
            continue
        return found if _looks_up(completion.text) else Untaken("it answered a trial without calling the tool")
    return found


def _looks_up(text: str) -> bool:
    try:
        step = json.loads(text)[NEXT]
        return bool(step[TOOL] == _LOOK_UP.name and _WORD in step[GIVEN]["word"].lower())
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return False


async def _unhurried(call: Call, ability: Ability, send: Send) -> Completion:
    """An answer; where thoughts have taken all the room, one with four times as much."""
    completion = await send(call, ability)
    if completion.finish != "length":
        return completion
    more = msgspec.structs.replace(call.sampling, max_tokens=4 * call.sampling.max_tokens)
    return await send(msgspec.structs.replace(call, sampling=more), ability)


def _holds(text: str, ability: Ability) -> bool:
    if ability == "json":
        return _is_object(text)
    try:
        return bool(json.loads(text)["answer"] == _WORD)
    except (ValueError, KeyError, TypeError, RecursionError):
        return False


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
