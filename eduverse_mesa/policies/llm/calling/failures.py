"""Failures: attempts that brought no answer, with what happened, whether to try again, and whether they may have been
charged; keys are blotted out of all that servers say."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urljoin, urlsplit

import msgspec

from eduverse_mesa.policies.llm.calls import CallFailedError, Trouble, Usage
from eduverse_mesa.scenarios.credentials import SURELY_KEY

_EXCERPT = 150
_KEY_LIKE = re.compile(r"\b(?:sk|pk|rk|gsk|hf|xai|key)[-_][A-Za-z0-9*_.-]{6,}|\bBearer\s+\S+", re.IGNORECASE)
_QUOTA = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "quota_exceeded"})
_FORM = ("response_format", "json_schema", "json schema", "grammar")
_TOO_LARGE = re.compile(
    r"request (?:is )?too large|tokens must be reduced|reduce (?:the length of )?(?:your|the) (?:message|prompt|input)",
    re.IGNORECASE,
)
"""A request that is larger than all that an account may send in a minute: waiting does not help."""
_TOOLS = re.compile(r"\btools?\b|\btool[ _-]|function[ _-]?call|\bfunctions?\b", re.IGNORECASE)
_LESS = "Wait and resume, ask for less at once (llm.concurrency), or raise the account's limit."
_TOO_LONG = (
    "context_length_exceeded",
    "context length",
    "context size",
    "context window",
    "maximum context",
    "too many tokens",
    "prompt is too long",
    "exceed_context_size",
)


@dataclass(frozen=True, slots=True)
class Failure:
    """Outcome of one attempt that brought no answer."""

    reason: str
    kind: str
    """One word or two, to be counted under."""
    trouble: Trouble = "call"
    retry: bool = False
    fault: bool = False
    """The server itself does badly: counts towards giving it up for a while."""
    limited: bool = False
    """The server wants less from us."""
    wait: float | None = None
    """Seconds that the server asks us to wait."""
    charged: bool = False
    """The server may have worked for it, so it may stand on the bill."""
    status: int | None = None
    form: bool = False
    """The server does not take the form of the answer in this way, while it may in another."""
    tools: bool = False
    """The server does not take the tools; it may take the same question without them."""
    adapted: bool = False
    """The dialect was learned from the refusal: the same request is sent in that dialect at once."""
    mend: str = ""
    usage: Usage | None = None
    """Usage of the attempt, if the server told it without an answer."""


class AttemptFailedError(Exception):
    """Carries a failure from where it happened to where it is decided what to do about it."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


class GivenUpError(CallFailedError):
    """A call that was tried, and is not tried again."""

    def __init__(self, failure: Failure, attempts: int) -> None:
        super().__init__(failure.reason, failure.trouble, attempts=attempts, mend=failure.mend)
        self.failure = failure


def hide_keys(text: str, key: str = "") -> str:
    """Text without this key, and without what can hardly be anything but one: a file may be called `key_ideas.yaml`."""
    return SURELY_KEY.sub("[key]", blot(text, key))


_FRAGMENT = 8
"""Signs of a key in a row that do not stand in a text by chance."""


def blot(text: str, key: str) -> str:
    """Text without this key and without fragments of it, which a server can send back in any length."""
    if len(key) < _FRAGMENT:
        return text
    pieces = {key[start : start + _FRAGMENT] for start in range(len(key) - _FRAGMENT + 1)}
    if not any(piece in text for piece in pieces):
        return text
    hidden = [False] * len(text)
    for start in range(len(text) - _FRAGMENT + 1):
        if text[start : start + _FRAGMENT] in pieces:
            hidden[start : start + _FRAGMENT] = [True] * _FRAGMENT
    shown, before = [], False
    for letter, gone in zip(text, hidden, strict=True):
        shown.append(letter if not gone else "" if before else "[key]")
        before = gone
    return "".join(shown)


def excerpt(text: str, key: str) -> str:
    """Return a server's words on an error as one short printable line without anything that looks like a key."""
    text = blot(text, key)
    line = "".join(letter if letter.isprintable() else " " for letter in text[: 8 * _EXCERPT])
    line = _KEY_LIKE.sub("[key]", " ".join(line.split()))
    return line if len(line) <= _EXCERPT else line[: _EXCERPT - 1] + "…"


@dataclass(frozen=True, slots=True)
class Complaint:
    """The error that a server sent: some put it under `error`, some do not, and some list several."""

    code: str = ""
    message: str = ""
    parameters: tuple[str, ...] = ()
    """Parts of the request that it names in fields of their own."""

    @classmethod
    def of(cls, body: Any, deeper: int = 4) -> Complaint:
        """From a decoded body of any shape: servers put their words under several names, some as JSON within JSON."""
        if isinstance(body, str):
            inner = _unpacked(body) if deeper else None
            return cls(message=body) if inner is None else cls.of(inner, deeper - 1)
        if isinstance(body, list):
            return _listed(body)
        if not isinstance(body, dict) or not deeper:
            return cls()
        found = cls()
        for name in ("error", "detail", "message"):
            if body.get(name):
                found = cls.of(body[name], deeper - 1)
            if found.message:
                break
        words = " ".join([found.code, *(body[name] for name in _CODES if isinstance(body.get(name), str))])
        own = body.get("param")
        return cls(words.strip(), found.message, ((own,) if isinstance(own, str) else ()) + found.parameters)

    @classmethod
    def read(cls, body: bytes) -> Complaint:
        """From the bytes of a body; none where they are not JSON, as in a proxy's page."""
        try:
            return cls.of(msgspec.json.decode(body))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return cls()


_CODES = ("code", "type", "status")
_MOST_LISTED = 4


def _listed(errors: list[Any]) -> Complaint:
    """Errors with places, as FastAPI's servers send them (vLLM, Mistral); Gemini's send a list of one."""
    found: list[Complaint] = []
    for one in errors[:_MOST_LISTED]:
        if not isinstance(one, dict):
            continue
        place = one.get("loc")
        where = ".".join(str(step) for step in place if step != "body") if isinstance(place, list) else ""
        words = one["msg"] if isinstance(one.get("msg"), str) else ""
        told = Complaint(message=f"{where}: {words}" if where else words) if words else Complaint.of(one, 3)
        found.append(Complaint(told.code, told.message, ((where,) if where else ()) + told.parameters))
    return Complaint(
        " ".join(one.code for one in found if one.code),
        "; ".join(one.message for one in found if one.message),
        tuple(name for one in found for name in one.parameters),
    )


def _unpacked(text: str) -> Any:
    """The JSON that a text is, where it is an object or a list."""
    if text[:1] not in ("{", "["):
        return None
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def failed_status(status: int, complaint: Complaint, wait: float | None, key: str) -> Failure:
    """Return the failure that an HTTP status stands for."""
    told = excerpt(complaint.message, key).rstrip(".")
    words = f": {told}" if told else ""
    codes = set(complaint.code.split())
    if codes & _QUOTA or status == 402:
        return _account("the account's quota is used up", "quota", status, "Raise the limit or use another key.")
    if status == 401:
        return _account("the server does not accept the key", "key", status, "Check the key in the environment.")
    if status == 403:
        return _account("the key may not use this model", "key", status, "Check what the key is allowed to use.")
    if status == 404:
        mend = "Check the model's name and the base URL, which mostly ends in /v1."
        return _account(f"the server knows no such model or address{words}", "not found", status, mend)
    if status == 429:
        return _too_much(complaint, words, wait)
    if status >= 500 or status in (408, 409, 425):
        reason = f"the server failed (HTTP {status})"
        return Failure(reason, f"HTTP {status}", retry=True, fault=status >= 500, wait=wait, status=status)
    said = f"{complaint.code} {complaint.message}".lower()
    if status == 413 or any(phrase in said for phrase in _TOO_LONG):
        mend = "Use a model with a longer context, or fewer or shorter memories."
        return Failure("the prompt is longer than the model's context", "too long", status=status, mend=mend)
    about_form = any(one.startswith("response_format") for one in complaint.parameters)
    about_form = about_form or any(phrase in said for phrase in _FORM)
    reason = f"the server refused the request (HTTP {status}){words}"
    mend = "Change what the server names (llm.extra_body, llm.max_tokens), or ask another model."
    return Failure(reason, f"HTTP {status}", status=status, form=about_form, mend=mend)


def _too_much(complaint: Complaint, words: str, wait: float | None) -> Failure:
    if _TOO_LARGE.search(complaint.message):
        mend = "Ask for less in one call (llm.max_tokens, llm.talk_steps), or raise the account's limit."
        return Failure(f"the request is too large for the account{words}", "too large", status=429, mend=mend)
    reason = f"the server's rate limit{words}"
    return Failure(reason, "rate limit", retry=True, limited=True, wait=wait, status=429, mend=_LESS)


def failed_key(failure: Failure, key: str, variable: str) -> Failure:
    """The same failure, with the environment variable of the key where the server wants another one, or any."""
    if failure.status != 401:
        return failure
    if not key:
        mend = (
            f"Set {variable} in the environment; a key is sent only to the address that it is for, such as that in "
            "OPENAI_BASE_URL."
        )
        return _account("the server wants a key, and none was sent", "key", 401, mend)
    mend = f"Check the key in the environment ({variable})."
    return _account("the server does not accept the key", "key", 401, mend)


def unreachable(url: str, *, unknown: bool = False) -> Failure:
    """Return the failure of a server to which there is no connection; `unknown`: its host has no address. The address
    stands in the mend only, which no log of answers keeps."""
    if unknown:
        host = hide_keys(urlsplit(url).hostname or "")
        mend = f"There is no machine called {host}: check the base URL, and the network."
    else:
        mend = f"Nobody answers at {place_of(url)}: check host and port of the base URL, and that the server runs."
    return Failure("the server cannot be reached", "unreachable", "endpoint", retry=True, fault=True, mend=mend)


def place_of(url: str) -> str:
    """Return host and port of an address, and nothing else of it."""
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return hide_keys(f"{host}:{parts.port or (443 if parts.scheme == 'https' else 80)}")


def failed_tools(failure: Failure, complaint: Complaint, key: str) -> Failure:
    """The same failure of a request with tools, where the server's words are about those; the reason tells them."""
    if not _TOOLS.search(" ".join([complaint.message, complaint.code, *complaint.parameters])):
        return failure
    told = excerpt(complaint.message, key).rstrip(".")
    reason = failure.reason if told in failure.reason else f"{failure.reason}: {told}"
    return replace(failure, reason=reason, tools=True, trouble="call", retry=False, fault=False)


_PATH = "/chat/completions"


def failed_address(failure: Failure, base_url: str, location: str, key: str) -> Failure:
    """The same failure, where the status says that the address is wrong, with what is probably wrong about it."""
    status = failure.status or 0
    if status not in (404, 405) and not 300 <= status < 400:
        return failure
    mend = _address_mend(base_url, location, key)
    if status == 404:
        return replace(failure, mend=mend) if mend else failure
    if not mend:
        mend = "Check the base URL."
    reason = failure.reason if status == 405 else f"the server points to another address (HTTP {status})"
    return replace(failure, reason=reason, trouble="endpoint", form=False, mend=mend)


def _address_mend(base_url: str, location: str, key: str) -> str:
    """Return the advice on a base URL; empty if nothing stands out. A key is never sent to the address that the server
    points to."""
    own = urlsplit(base_url)
    path = own.path.rstrip("/")
    if path.endswith(_PATH):
        return f"Leave {_PATH} out of the base URL: it is added."
    try:
        other = urlsplit(urljoin(f"{base_url}{_PATH}", location)) if location else None
        host = (other.hostname or "") if other else ""
        place = f"{host}:{other.port}" if other and other.port else host
    except ValueError:
        other, host, place = None, "", ""
    if other is not None and other.scheme == "https" and own.scheme == "http" and host == own.hostname:
        return f"Write the base URL with https: https://{own.netloc}{path}"
    if not re.search(r"/v\d", path):
        return "Check the base URL, which mostly ends in /v1."
    if place and place != own.netloc:
        return f"It points to {excerpt(place, key)}; name that server in the base URL if you trust it."
    return ""


def _account(reason: str, kind: str, status: int, mend: str) -> Failure:
    return Failure(reason, kind, "account", status=status, mend=mend)
