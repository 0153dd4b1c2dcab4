"""The body of an answer: from a server's bytes to a completion, whatever the server left out."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from eduverse_mesa.policies.llm.calling.failures import AttemptFailedError, Complaint, Failure, failed_status
from eduverse_mesa.policies.llm.calls import Completion, Finish, Usage

_decode = msgspec.json.Decoder().decode
_CUT_OFF = frozenset({"length", "max_tokens", "max_output_tokens"})
_REFUSED = frozenset({"content_filter", "refusal", "safety"})


def read_reply(body: bytes, key: str) -> Completion:
    """What the model said; raises AttemptFailedError where the body is no answer at all."""
    document = _document(body)
    if not isinstance(document, dict):
        raise AttemptFailedError(_nonsense(body))
    choices = document.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        raise AttemptFailedError(_without_choice(document, key))
    message = choice.get("message")
    message = message if isinstance(message, dict) else {}
    text, refusal = _text(message.get("content")), _text(message.get("refusal"))
    finish: Finish = "stop"
    if choice.get("finish_reason") in _CUT_OFF:
        finish = "length"
    if refusal or choice.get("finish_reason") in _REFUSED:
        finish = "refused"
    return Completion(text or refusal, finish, _usage(document.get("usage")))


def _document(body: bytes) -> Any:
    try:
        return _decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:  # more lenient: bytes that are no text, half characters, numbers that are none
        return json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _nonsense(body: bytes) -> Failure:
    if body.lstrip()[:1] == b"<":
        mend = "Check the base URL, which mostly ends in /v1."
        return Failure("the server sent a web page", "web page", retry=True, fault=True, mend=mend)
    return Failure("the server sent broken JSON", "broken JSON", retry=True, fault=True, charged=True)


def _without_choice(document: dict[str, Any], key: str) -> Failure:
    error = document.get("error")
    if error:  # gateways report their suppliers' errors with a status of 200
        code = error.get("code") if isinstance(error, dict) else None
        status = code if isinstance(code, int) and 400 <= code < 600 else 502
        return failed_status(status, Complaint.of(document), None, key)
    return Failure("the server sent no choice", "no choice", retry=True, charged=True)


def _text(content: Any) -> str:
    """Text as one string or in parts; half characters, which nothing can store, are replaced."""
    if isinstance(content, list):
        content = "".join(
            part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)
        )
    if not isinstance(content, str):
        return ""
    return content if content.isascii() else content.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _usage(told: Any) -> Usage:
    if not isinstance(told, dict):
        return Usage()
    details = told.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else told.get("prompt_cache_hit_tokens")
    return Usage(_count(told.get("prompt_tokens")), _count(told.get("completion_tokens")), _count(cached))


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None
