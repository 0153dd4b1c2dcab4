"""What a server can do for the form of an answer: asked once, by a question whose free answer would be another."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

import msgspec

from eduverse_mesa.policies.llm.calling.body import ABILITIES, Ability
from eduverse_mesa.policies.llm.calling.failures import GivenUpError
from eduverse_mesa.policies.llm.calls import Call, Completion, Message, Offer, Offers, Sampling
from eduverse_mesa.policies.llm.offers import GIVEN, NEXT, TOOL

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


async def detect_tools(model: str, send: Send, sampling: Sampling | None = None) -> bool:
    """Whether a server has function calling of its own: whether the call that it is asked for comes back as one.
    Raises what stands in the way where it does not answer at all."""
    call = msgspec.structs.replace(probe_call(model, sampling), offers=_PROBE_OFFERS)
    try:
        completion = await _unhurried(call, "text", send)
    except GivenUpError as error:
        if error.failure.tools or (error.failure.status in _REFUSALS and error.failure.trouble == "call"):
            return False
        raise
    try:
        step = json.loads(completion.text)[NEXT]
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
