"""Calls to a model server and the completions that come back: the small vocabulary between prompts and transport."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from eduverse_mesa.decisions import Usage

Schema: TypeAlias = Mapping[str, Any]
"""A JSON Schema. It may bound lengths (`maxLength`, `maxItems`); endpoints that refuse bounds get it without them."""

Trouble: TypeAlias = Literal["call", "endpoint", "account", "budget"]
"""Source of a failure: this one call; a server that is not there; a key, model or quota; our own budget."""


__all__ = [
    "Call",
    "CallFailedError",
    "Called",
    "Completion",
    "Finish",
    "Message",
    "Offer",
    "Offers",
    "Sampling",
    "Schema",
    "Trouble",
    "Usage",
]


class Message(msgspec.Struct, frozen=True, gc=False):
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


class Called(msgspec.Struct, frozen=True, gc=False):
    """A call of a tool, as it stands in a chat with what came of it."""

    tool: str
    arguments: Mapping[str, Any]
    result: str


class Offer(msgspec.Struct, frozen=True, gc=False):
    """A tool that a model may call."""

    name: str
    purpose: str
    schema: Schema
    """Of its arguments."""


class Offers(msgspec.Struct, frozen=True, gc=False):
    """The same question for a server with function calling of its own: a tool takes the answer, too."""

    turns: tuple[Message | Called, ...]
    tools: tuple[Offer, ...]
    answer: Offer
    form: str
    """The field in which an answer stands where it is a form with tools in it."""
    last: bool = False
    """Nothing may be looked up any more: the answer is due."""


class Sampling(msgspec.Struct, frozen=True, gc=False):
    """How a model is to sample; the paper's values (EduVerse, appendix D). What is None is not sent."""

    temperature: float | None = 0.5
    top_p: float | None = 0.9
    max_tokens: int = 512
    frequency_penalty: float | None = 0.2
    seed: int | None = None


class Call(msgspec.Struct, frozen=True, gc=False):
    """One question to a model. Everything in it but its `offers` is part of its address in the cache."""

    model: str
    messages: tuple[Message, ...]
    sampling: Sampling = Sampling()
    schema: Schema | None = None
    """The form that the answer must have."""
    name: str = "answer"
    """The schema's name, which servers want; letters, digits and underscores."""
    replicate: int = 0
    """Sets apart answers to the same question that are meant to differ: the run's seed."""
    served_by: str = ""
    """Sets apart models of one name: the fingerprint of a model's file."""
    offers: Offers | msgspec.UnsetType = msgspec.UNSET
    """The same in another way, and therefore no part of the address."""


Finish: TypeAlias = Literal["stop", "length", "refused"]


class Completion(msgspec.Struct, frozen=True, gc=False):
    """Text that a model answered. The reader of the text decides if it can be used."""

    text: str
    finish: Finish = "stop"
    usage: Usage = Usage()
    remembered: bool = False
    """It came from the cache or from an identical call in flight: nothing was paid for it."""

    @property
    def model(self) -> str:
        """The model that answered, as the server names it."""
        return self.usage.model


class CallFailedError(Exception):
    """No answer came, in the words that end up in the answer log: short, without addresses, keys or foreign text."""

    def __init__(self, reason: str, trouble: Trouble = "call", *, attempts: int = 1, mend: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.trouble: Trouble = trouble
        self.attempts = attempts
        self.mend = mend
