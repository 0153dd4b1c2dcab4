"""Tools in an answer: the form in which calls of them are kept, whichever way a server has told them.

A server with function calling of its own sends calls in a field of its answer, any other one in the text. Both are put
into the same words, so that what is remembered, kept, read and asked for again does not depend on the server.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from eduverse_mesa.policies.llm.calls import Called, Message, Offer, Offers

NEXT = "next"
"""The field in which a model with tools says what it does next."""
TOOL, GIVEN = "tool", "arguments"
_MOST = 16
"""Calls of one answer that are looked at."""


class Wanted(NamedTuple):
    """A call as a server sends it."""

    name: str
    arguments: str
    """JSON, or what should be."""


def in_words(wanted: Sequence[Wanted], offers: Offers) -> str:
    """The calls of an answer as text. An answer that was given beside calls was given before their results: the calls
    go before it."""
    looked_up = [one for one in wanted if one.name != offers.answer.name][:_MOST]
    if offers.last or not looked_up:
        answer = next((one for one in wanted if one.name == offers.answer.name), wanted[0])
        given = _object(answer.arguments)
        return given if offers.last else f"{{{json.dumps(NEXT)}: {{{json.dumps(offers.form)}: {given}}}}}"
    calls = [f'{{"{TOOL}": {json.dumps(one.name)}, "{GIVEN}": {_object(one.arguments)}}}' for one in looked_up]
    return f'{{"{NEXT}": {calls[0] if len(calls) == 1 else "[" + ", ".join(calls) + "]"}}}'


def _object(arguments: str) -> str:
    """Arguments as JSON; some servers send a text in which they stand, and some nothing where there are none."""
    if arguments.lstrip()[:1] == '"':
        try:
            inner = json.loads(arguments)
        except ValueError:
            return arguments
        arguments = inner if isinstance(inner, str) else arguments
    return arguments.strip() or "{}"


def asked_again(offers: Offers, said: str, words: str) -> Offers:
    """The same question after a useless answer: a call that could not be used has the trouble for its result."""
    called = _called(said, offers)
    turns: tuple[Message | Called, ...]
    if called is not None:
        turns = (Called(called[0], called[1], words),)
    else:
        turns = (Message("assistant", said), Message("user", words))
    return msgspec.structs.replace(offers, turns=(*offers.turns, *turns))


def _called(said: str, offers: Offers) -> tuple[str, Mapping[str, Any]] | None:
    """The first call in an answer; None where it holds none of a tool that is offered."""
    try:
        document = msgspec.json.decode(said)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    if not isinstance(document, dict):
        return None
    if offers.last:
        return offers.answer.name, document
    step = document.get(NEXT)
    step = step[0] if isinstance(step, list) and step else step
    if not isinstance(step, dict):
        return None
    name: Any = offers.answer.name if offers.form in step else step.get(TOOL)
    given = step[offers.form] if offers.form in step else step.get(GIVEN, {})
    known = any(one.name == name for one in offered(offers))
    return (name, given) if known and isinstance(given, dict) else None


def offered(offers: Offers) -> tuple[Offer, ...]:
    """All that may be called, the answer last; always the same, so that servers need not read it again."""
    return (*offers.tools, offers.answer)
