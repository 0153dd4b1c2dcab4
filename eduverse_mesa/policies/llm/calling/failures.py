"""An attempt that brought no answer: what happened, whether to try again, and whether it may have been charged."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from eduverse_mesa.policies.llm.calls import CallFailedError, Trouble

_EXCERPT = 120
_KEY_LIKE = re.compile(r"\b(?:sk|pk|rk|gsk|hf|xai|key)[-_][A-Za-z0-9*_.-]{6,}|\bBearer\s+\S+", re.IGNORECASE)
_SURELY_KEY = re.compile(r"\b(?:sk|gsk|hf|xai)[-_](?=[A-Za-z0-9_-]*\d)[A-Za-z0-9_-]{12,}")
_QUOTA = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "quota_exceeded"})
_FORM = ("response_format", "json_schema", "json schema", "grammar")
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
    """What became of one attempt."""

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
    disliked: Literal["", "form", "max_tokens"] = ""
    """What of a request the server does not take in this way, while it may in another."""
    mend: str = ""


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
    return _SURELY_KEY.sub("[key]", text.replace(key, "[key]") if key else text)


def excerpt(text: str, key: str) -> str:
    """What a server said of an error: one short printable line without anything that looks like a key."""
    if key:
        text = text.replace(key, "[key]")
    line = "".join(letter if letter.isprintable() else " " for letter in text[: 8 * _EXCERPT])
    line = _KEY_LIKE.sub("[key]", " ".join(line.split()))
    return line if len(line) <= _EXCERPT else line[: _EXCERPT - 1] + "…"


@dataclass(frozen=True, slots=True)
class Complaint:
    """The error that a server sent: some put it under `error`, some do not."""

    code: str = ""
    message: str = ""
    parameter: str = ""

    @classmethod
    def of(cls, body: Any) -> Complaint:
        """From a decoded body of any shape."""
        inner = body.get("error", body) if isinstance(body, dict) else body
        if isinstance(inner, str):
            return cls(message=inner)
        if not isinstance(inner, dict):
            return cls()
        words = [inner[name] for name in ("code", "type") if isinstance(inner.get(name), str)]
        message = next((inner[name] for name in ("message", "detail") if isinstance(inner.get(name), str)), "")
        parameter = inner["param"] if isinstance(inner.get("param"), str) else ""
        return cls(" ".join(words), message, parameter)

    @classmethod
    def read(cls, body: bytes) -> Complaint:
        """From the bytes of a body; none where they are not JSON, as in a proxy's page."""
        try:
            return cls.of(msgspec.json.decode(body))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return cls()


def failed_status(status: int, complaint: Complaint, wait: float | None, key: str) -> Failure:
    """What an HTTP status means for us."""
    codes = set(complaint.code.split())
    if codes & _QUOTA or status == 402:
        return _account("the account's quota is used up", "quota", status, "Raise the limit or use another key.")
    if status == 401:
        return _account("the server does not accept the key", "key", status, "Check the key in the environment.")
    if status == 403:
        return _account("the key may not use this model", "key", status, "Check what the key is allowed to use.")
    if status == 404:
        mend = "Check the model's name and the base URL, which mostly ends in /v1."
        return _account("the server knows no such model or address", "not found", status, mend)
    if status == 429:
        return Failure("the server's rate limit", "rate limit", retry=True, limited=True, wait=wait, status=status)
    if status >= 500 or status in (408, 409, 425):
        reason = f"the server failed (HTTP {status})"
        return Failure(reason, f"HTTP {status}", retry=True, fault=status >= 500, wait=wait, status=status)
    said = f"{complaint.code} {complaint.message}".lower()
    if status == 413 or any(words in said for words in _TOO_LONG):
        mend = "Use a model with a longer context, or fewer or shorter memories."
        return Failure("the prompt is longer than the model's context", "too long", status=status, mend=mend)
    told = excerpt(complaint.message, key)
    reason = f"the server refused the request (HTTP {status})" + (f": {told}" if told else "")
    disliked: Literal["", "form", "max_tokens"] = ""
    if "max_completion_tokens" in said:  # the newer name of max_tokens, which OpenAI's newer models insist on
        disliked = "max_tokens"
    elif complaint.parameter.startswith("response_format") or any(words in said for words in _FORM):
        disliked = "form"
    return Failure(reason, f"HTTP {status}", status=status, disliked=disliked)


def _account(reason: str, kind: str, status: int, mend: str) -> Failure:
    return Failure(reason, kind, "account", status=status, mend=mend)
