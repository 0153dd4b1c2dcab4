"""Tools in an answer: the form in which calls of them are kept, whichever way a server has told them.

A server with function calling of its own sends calls in a field of its answer, any other one in the text. Both are put
into the same words, so that what is remembered, kept, read and asked for again does not depend on the server.
"""

from __future__ import annotations

import json
import re
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


def in_words(wanted: Sequence[Wanted], offers: Offers, *, cut_off: bool) -> str:
    """The calls of an answer as text. An answer that was given beside calls was given before their results: the calls
    go before it. `cut_off`: the last one has no end."""
    looked_up = [one for one in wanted if one.name != offers.answer.name][:_MOST]
    if offers.last or not looked_up:
        answer = next((one for one in wanted if one.name == offers.answer.name), wanted[0])
        filled = _object(answer.arguments)
        return filled if offers.last else f"{{{json.dumps(NEXT)}: {{{json.dumps(offers.form)}: {filled}}}}}"
    given = [_object(one.arguments) if cut_off else _readable(one.arguments) for one in looked_up]
    calls = [
        f'{{"{TOOL}": {json.dumps(one.name)}, "{GIVEN}": {arguments}}}'
        for one, arguments in zip(looked_up, given, strict=True)
    ]
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


def _readable(arguments: str) -> str:
    """The same; where it cannot be read, as a text, so that the call around it can."""
    text = _object(arguments)
    try:
        read_nearly(text)
    except (ValueError, RecursionError):
        return json.dumps(arguments)
    return text


_WORDS = re.compile(r"""\"(?:\\.|[^"\\])*(?:"|\\?\Z)|'(?:\\.|[^'\\])*(?:'|\\?\Z)|\b(?:True|False|None)\b""", re.DOTALL)
"""Texts in quotes, which stay, and the three words that Python writes otherwise."""
_IN_JSON = {"True": "true", "False": "false", "None": "null"}


def read_nearly(text: str) -> Any:
    """Read JSON, or what is nearly JSON: by the rules of JSON5 (commas at the end, single quotes, names without quotes)
    and Python's (True, False, None). Raise ValueError or RecursionError otherwise."""
    try:
        return json.loads(text)
    except ValueError:
        import json5  # half as large as all the rest, and hardly ever needed

    return json5.loads(_WORDS.sub(lambda found: _IN_JSON.get(found[0], found[0]), text), allow_duplicate_keys=True)


def asked_again(offers: Offers, said: str, words: str) -> Offers:
    """The same question after a useless answer: where the answer was a call, it has the trouble for its result."""
    given = _answered(said, offers)
    turns: tuple[Message | Called, ...]
    if given is not None:
        turns = (Called(offers.answer.name, given, words),)
    else:
        turns = (Message("assistant", said), Message("user", words))
    return msgspec.structs.replace(offers, turns=(*offers.turns, *turns))


def _answered(said: str, offers: Offers) -> Mapping[str, Any] | None:
    """The arguments of the call that takes the answer; None where there is none."""
    try:
        document = msgspec.json.decode(said)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    if isinstance(document, dict) and not offers.last:
        step = document.get(NEXT)
        document = step.get(offers.form) if isinstance(step, dict) else None
    return document if isinstance(document, dict) else None


def offered(offers: Offers) -> tuple[Offer, ...]:
    """All that may be called, the answer last; always the same, so that servers need not read it again."""
    return (*offers.tools, offers.answer)
