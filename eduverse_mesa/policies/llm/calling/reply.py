"""The body of an answer: from a server's bytes to a completion, whatever the server left out or put elsewhere."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import msgspec

from eduverse_mesa.policies.llm.calling.failures import AttemptFailedError, Complaint, Failure, blot, failed_status
from eduverse_mesa.policies.llm.calls import Completion, Finish, Offers, Usage
from eduverse_mesa.policies.llm.offers import Wanted, in_words

_decode = msgspec.json.Decoder().decode
_CUT_OFF = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
_REFUSED = frozenset({"content_filter", "refusal", "safety", "prohibited_content", "blocklist"})
_MARK = b"\xef\xbb\xbf"
"""A byte-order mark, which some gateways send."""
_MOST_TOKENS = 10_000_000
"""Nobody counts more in one answer: a larger number is a fault of the server's."""
_LONGEST_NAME = 200


def read_reply(body: bytes, key: str, offers: Offers | msgspec.UnsetType = msgspec.UNSET) -> Completion:
    """Return the model's answer; raise AttemptFailedError, and nothing else, where the body is none. Calls of the tools
    that were offered are put into words."""
    try:
        return _read(body, key, offers)
    except AttemptFailedError:
        raise
    except Exception as error:  # a body can be odder than anybody thinks of, and must not end a run
        kind = type(error).__name__
    raise AttemptFailedError(
        Failure(f"the server's answer cannot be read ({kind})", "unreadable", retry=True, charged=True)
    )


def _read(body: bytes, key: str, offers: Offers | msgspec.UnsetType) -> Completion:
    document = _document(body.removeprefix(_MARK))
    if not isinstance(document, dict):
        raise AttemptFailedError(_nonsense(body))
    choices = document.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        raise AttemptFailedError(_without_choice(document, key))
    message = choice.get("message")
    message = message if isinstance(message, dict) else {}
    refusal = _text(message.get("refusal"))
    wanted = [] if offers is msgspec.UNSET else _wanted(message)
    ended = _word(choice.get("finish_reason"))
    cut_off = ended in _CUT_OFF
    if wanted and offers is not msgspec.UNSET:
        said = in_words(wanted, offers, cut_off=cut_off)
    else:
        said = _said(message, choice)
    finish: Finish = "stop"
    if cut_off:
        finish = "length"
    if (refusal and not said) or ended in _REFUSED:
        finish = "refused"
    return Completion(blot(said or refusal, key), finish, _usage(document, key))


def _word(value: Any, *, lower: bool = True) -> str:
    """A word that a server chose from a list of its own; anything else is none."""
    if not isinstance(value, str):
        return ""
    clean = "".join(letter for letter in value if letter.isprintable()).strip()
    return clean.lower() if lower else clean


def _document(body: bytes) -> Any:
    if body.lstrip()[:5] in (b"data:", b"event") or body.lstrip()[:1] == b":":
        return _joined(body.decode("utf-8", "replace"))
    return _json(body)


def _json(body: bytes) -> Any:
    try:
        return _decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:  # more lenient: bytes that are no text, half characters, numbers that are none
        return json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _joined(text: str) -> Any:
    """One answer from a stream of events, which some servers send although nobody asked for it."""
    message: dict[str, Any] = {}
    choice: dict[str, Any] = {"message": message}
    whole: dict[str, Any] = {}
    calls: dict[int, dict[str, str]] = {}
    for line in text.splitlines():
        if not line.startswith("data:") or line[5:].strip() == "[DONE]":
            continue
        event = _json(line[5:].strip().encode())
        if not isinstance(event, dict):
            continue
        whole |= {name: event[name] for name in ("model", "usage", "error") if event.get(name)}
        choices = event.get("choices")
        part = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
        delta = part.get("delta") or part.get("message")
        if isinstance(delta, dict):
            for name in ("content", "refusal", *_THOUGHTS):
                if delta.get(name) is not None:
                    message[name] = message.get(name, "") + _text(delta[name])
            for call in _dicts(delta.get("tool_calls")):
                place = call["index"] if isinstance(call.get("index"), int) else 0
                known = calls.setdefault(place, {"name": "", "arguments": ""})
                known["name"] = known["name"] or _name(call)
                known["arguments"] += _arguments(call)
        if part.get("finish_reason"):
            choice["finish_reason"] = part["finish_reason"]
        whole["choices"] = [choice] if part or "choices" in whole else []
    if calls:
        message["tool_calls"] = [{"function": calls[place]} for place in sorted(calls)]
    return whole or None


_THOUGHTS = ("reasoning_content", "reasoning")
"""Names under which servers put a model's thoughts; some put its whole answer there."""


def _said(message: dict[str, Any], choice: dict[str, Any]) -> str:
    """The answer, from wherever the server has put it: the content, the arguments of a call, or the thoughts."""
    content = message.get("content", choice.get("text"))
    text = _text(content)
    if text.strip():
        return text
    for call in _calls(message):
        if (arguments := _arguments(call)).strip():
            return arguments
    thoughts = next((_text(message[name]) for name in _THOUGHTS if message.get(name)), "")
    return thoughts if "{" in thoughts else text


def _calls(message: dict[str, Any]) -> list[dict[str, Any]]:
    return [*_dicts(message.get("tool_calls")), {"function": message.get("function_call")}]


def _wanted(message: dict[str, Any]) -> list[Wanted]:
    """The calls of tools in an answer, in their order."""
    return [Wanted(name, _arguments(call)) for call in _calls(message) if (name := _name(call))]


def _name(call: dict[str, Any]) -> str:
    function = call.get("function")
    return _word(function.get("name"), lower=False)[:_LONGEST_NAME] if isinstance(function, dict) else ""


def _arguments(call: dict[str, Any]) -> str:
    function = call.get("function")
    arguments = function.get("arguments") if isinstance(function, dict) else None
    return _text(arguments)


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


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
        failure = failed_status(status, Complaint.of(document), None, key)
    else:
        failure = Failure("the server sent no choice", "no choice", retry=True, charged=True)
    usage = _usage(document, key)
    told = usage.tokens_in is not None and usage.tokens_out is not None
    return replace(failure, usage=usage) if told else failure


def _text(content: Any) -> str:
    """Text as one string, in parts, or as the object that it should spell; half characters, which nothing can store,
    are replaced."""
    if isinstance(content, list):
        content = "".join(part if isinstance(part, str) else _part(part) for part in content)
    elif isinstance(content, dict):
        content = _part(content) or json.dumps(content, ensure_ascii=False)
    if not isinstance(content, str):
        return ""
    return content if content.isascii() else content.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _part(part: Any) -> str:
    """The text of a part: `{"type": "text", "text": ...}`, or with the text one level deeper."""
    if not isinstance(part, dict) or part.get("type") in ("thinking", "reasoning"):
        return ""
    text = part.get("text")
    text = text.get("value") if isinstance(text, dict) else text
    return text if isinstance(text, str) else ""


def _usage(document: dict[str, Any], key: str) -> Usage:
    """Return the usage that an answer tells, with the model that gave it."""
    told, named = document.get("usage"), _word(document.get("model"), lower=False).replace(",", " ")
    model = blot(named[:_LONGEST_NAME], key)
    if not isinstance(told, dict):
        return Usage(model=model)
    details = told.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else told.get("prompt_cache_hit_tokens")
    return Usage(_count(told.get("prompt_tokens")), _count(told.get("completion_tokens")), _count(cached), model=model)


def _count(value: Any) -> int | None:
    """A number of tokens that can be one, also as text or as 12.0; anything else was not told."""
    if (isinstance(value, str) and _DIGITS.fullmatch(value)) or (isinstance(value, float) and value.is_integer()):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= _MOST_TOKENS else None


_DIGITS = re.compile(r"[0-9]{1,8}")
