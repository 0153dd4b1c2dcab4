"""The dialect of a model's server: which parts of a request it takes, and by which name.

"OpenAI-compatible" has many meanings. Servers refuse single parameters, pairs of them, or a system message, each in
words of its own. A dialect begins as the usual one and is learned from refusals.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, TypeAlias

import msgspec

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
