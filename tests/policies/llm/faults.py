"""Faults and families of model servers by name: what each does to the answer that it would have given, and what a whole
lesson comes to with it."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from tests.policies.llm.fake_server import (
    Behaviour,
    Exchange,
    completion,
    drips,
    ends,
    fails,
    hangs_up,
    head,
    says,
    sends,
    silent,
)
from tests.policies.llm.families import FAMILIES, SYSTEM, openai_error, unknown_names

NOBODY = "http://127.0.0.1:9/v1"
READ, WRITTEN = 1000, 50
USAGE = (READ, WRITTEN, 0)
"""What every answer of the server takes, and what it says about that unless it lies."""

Reply: TypeAlias = Callable[[Exchange, str], Awaitable[None]]
"""What the server does with a request, and with the right answer to it."""
Hits: TypeAlias = Literal["once", "some", "stubborn", "all"]
"""A third of the questions when they are asked first; a third of them always; the same, and what is asked again after
them; every request."""
End: TypeAlias = Literal["ok", "repaired", "fallback", "stop", "useless"]
"""All answers are used as they come; some are asked for again; for some the embedded policy stands in; the run stops
and can be resumed; it stops since hardly any answer is of use."""


@dataclass(frozen=True)
class Fault:
    """One way in which a server errs or differs, and how a lesson ends with it."""

    group: str
    reply: Reply
    hits: Hits = "all"
    end: End = "ok"
    says: str = ""
    """Words of the message, or of the reasons why answers were not used."""
    paid: bool = True
    """The server has worked for the answer that the fault takes the place of, and puts it on the bill."""
    settings: Mapping[str, object] = field(default_factory=dict)
    steps: int = 2
    address: str = "{url}"
    """The base URL that the lesson is given, with the server's in it."""


# --- what a server may do with an answer


def does(behave: Behaviour) -> Reply:
    """Something that has nothing to do with the answer."""

    async def reply(exchange: Exchange, _: str) -> None:
        await behave(exchange)

    return reply


def says_instead(change: Callable[[str], str | None], **options: Any) -> Reply:
    """Another text than the answer."""

    async def reply(exchange: Exchange, text: str) -> None:
        await exchange.send(completion(change(text), **{"usage": USAGE, **options}))

    return reply


def puts(message: Callable[[str], dict[str, Any]]) -> Reply:
    """The answer in other fields of the message than the usual one."""

    async def reply(exchange: Exchange, text: str) -> None:
        await exchange.send(completion(None, usage=USAGE, **message(text)))

    return reply


def changes(alter: Callable[[dict[str, Any]], Any]) -> Reply:
    """The body of the answer, altered."""

    async def reply(exchange: Exchange, text: str) -> None:
        body = json.loads(completion(text, usage=USAGE))
        alter(body)
        await exchange.send(json.dumps(body).encode())

    return reply


def wraps(pack: Callable[[bytes], bytes], **headers: str) -> Reply:
    """The bytes of the answer, packed."""

    async def reply(exchange: Exchange, text: str) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        await exchange.send(pack(completion(text, usage=USAGE)), 200, named)

    return reply


def each_value(change: Callable[[Any], Any]) -> Callable[[str], str]:
    """Every value of an answer's object, changed."""
    return lambda text: json.dumps({name: change(value) for name, value in json.loads(text).items()})


def each_choice(change: Callable[[str], str]) -> Reply:
    """The values that are chosen from a list, changed."""

    async def reply(exchange: Exchange, text: str) -> None:
        form = exchange.body.get("response_format", {}).get("json_schema", {}).get("schema", {})
        chosen = {name for name, part in form.get("properties", {}).items() if "enum" in part}
        value = {
            name: change(one) if name in chosen and isinstance(one, str) else one
            for name, one in json.loads(text).items()
        }
        await exchange.send(completion(json.dumps(value), usage=USAGE))

    return reply


def streams(text: str) -> bytes:
    """The answer as events."""
    parts = [text[start : start + 40] for start in range(0, len(text), 40)]
    events: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": {"content": part}}]} for part in parts]
    end = {"prompt_tokens": READ, "completion_tokens": WRITTEN}
    events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": end})
    return ("".join(f"data: {json.dumps(one)}\n\n" for one in events) + "data: [DONE]\n\n").encode()


async def _streamed(exchange: Exchange, text: str) -> None:
    await exchange.send(streams(text), headers={"Content-Type": "text/event-stream"})


async def _thinks_first(exchange: Exchange, text: str) -> None:
    """A model whose thoughts take 300 tokens of the room that it is given."""
    bound = int(exchange.body.get("max_tokens") or exchange.body.get("max_completion_tokens") or 0)
    if bound <= 300:
        await exchange.send(completion("", "length", USAGE))
    else:
        await exchange.send(completion(text, usage=USAGE, reasoning_content="Let me see. " * 60))


def from_the_tenth(behave: Behaviour) -> Reply:
    """A server that does well at first."""

    async def reply(exchange: Exchange, text: str) -> None:
        if exchange.number < 10:
            await exchange.send(completion(text, usage=USAGE))
        else:
            await behave(exchange)

    return reply


async def _slowly(exchange: Exchange, text: str) -> None:
    await asyncio.sleep(0.1)
    await exchange.send(completion(text, usage=USAGE))


def refuses(family: Mapping[Any, tuple[int, Any]]) -> Reply:
    """A server of that make."""

    async def reply(exchange: Exchange, text: str) -> None:
        for parts, (status, error) in family.items():
            wanted = (parts,) if isinstance(parts, str) else parts
            if all(part in exchange.body for part in wanted):
                await exchange.send(json.dumps(error).encode(), status)
                return
        await exchange.send(completion(text, usage=USAGE))

    return reply


def without_role(status: int, error: Any) -> Reply:
    """A server that knows no instructions."""

    async def reply(exchange: Exchange, text: str) -> None:
        if any(message["role"] == "system" for message in exchange.body["messages"]):
            await exchange.send(json.dumps(error).encode(), status)
        else:
            await exchange.send(completion(text, usage=USAGE))

    return reply


def takes_form(kind: str | None) -> Reply:
    """A server that refuses every other form of an answer."""

    async def reply(exchange: Exchange, text: str) -> None:
        form = exchange.body.get("response_format", {}).get("type")
        if form is not None and form != kind:
            await fails(400, "response_format: this type is not supported")(exchange)
        else:
            await exchange.send(completion(text, usage=USAGE))

    return reply


def refuses_one_form(name: str) -> Reply:
    """A server that cannot compile one schema."""

    async def reply(exchange: Exchange, text: str) -> None:
        form = exchange.body.get("response_format", {}).get("json_schema", {})
        if name in json.dumps(form.get("schema", {})):
            await fails(400, "Invalid schema for response_format")(exchange)
        else:
            await exchange.send(completion(text, usage=USAGE))

    return reply


async def _wants_version(exchange: Exchange, text: str) -> None:
    """Azure's address of a deployment, whose query has to come with every request."""
    if exchange.path.endswith("/chat/completions?api-version=2024-10-21"):
        await exchange.send(completion(text, usage=USAGE))
    else:
        await fails(404, "Resource not found")(exchange)


async def _other_name_each_time(exchange: Exchange, text: str) -> None:
    body = json.loads(completion(text, usage=USAGE))
    await exchange.send(json.dumps(body | {"model": f"planted-{exchange.number}"}).encode())


def _single_quotes(text: str) -> str:
    return str(json.loads(text))


def _trailing_comma(text: str) -> str:
    return re.sub(r"\}\s*\Z", ",}", text)


def _twice(text: str) -> str:
    first, value = next(iter(json.loads(text).items()))
    return "{" + f"{json.dumps(first)}: {json.dumps(value)}, " + text[1:]


_DATE, _PAST = "Thu, 21 Oct 2055 07:28:00 GMT", "Wed, 21 Oct 2015 07:28:00 GMT"
_HALF = head(500) + b'{"choices": ['
_EXHAUSTED = {"error": {"code": 429, "message": "Resource has been exhausted.", "status": "RESOURCE_EXHAUSTED"}}
_LARGE = "Request too large for m on tokens per min (TPM): Limit 30000, Requested 40000. The tokens must be reduced."
_SHORT = {"llm.deadlines.read": 1, "llm.deadlines.attempt": 2}
_PATIENT = {"llm.deadlines.total": 4}
_SPANISH = "Creo que el poema habla de la primavera y también de la amistad entre los niños del pueblo, señora."

PASSING: dict[str, tuple[Behaviour, bool]] = {
    "429": (fails(429), False),
    "429, Retry-After 1": (fails(429, retry_after="1"), False),
    "429, Retry-After in the past": (fails(429, retry_after=_PAST), False),
    "429, Retry-After in words": (fails(429, retry_after="abc"), False),
    "429, Retry-After -5": (fails(429, retry_after="-5"), False),
    "429, Retry-After nan": (fails(429, retry_after="nan"), False),
    "408": (fails(408), False),
    "500": (fails(500), False),
    "502, a web page": (sends(b"<html>bad gateway</html>", 502), False),
    "503, Retry-After 1": (fails(503, retry_after="1"), False),
    "504": (fails(504), False),
    "529": (fails(529), False),
    "200 with an error of 502": (sends(b'{"error": {"code": 502, "message": "supplier down"}}'), False),
    "200 with an error of 429": (sends(b'{"error": {"code": 429, "message": "slow down"}}'), False),
    "reset before the headers": (hangs_up(), True),
    "closed before the headers": (ends(b""), True),
    "reset in the headers": (hangs_up(b"HTTP/1.1 200 O"), True),
    "reset in the body": (hangs_up(_HALF), True),
    "closed in the body": (ends(_HALF), True),
    "no HTTP": (ends(b"SSH-2.0-OpenSSH_9.6\r\n\r\n"), True),
    "header of 100 kB": (sends(b"{}", 200, X_Long="y" * 100_000), True),
    "gzip that is none": (sends(b"no gzip", 200, Content_Encoding="gzip"), True),
    "unknown encoding": (sends(b"{}", 200, Content_Encoding="rot13"), True),
    "JSON cut off": (sends(completion("hello")[:-20]), True),
    "empty body": (sends(b""), True),
    "no choices": (sends(b'{"choices": []}'), True),
    "choices null": (sends(b'{"choices": null}'), True),
    "web page at 200": (sends(b"<!doctype html><html></html>", 200, content_type="text/html"), False),
}

STOPPING: dict[str, tuple[Behaviour, str]] = {
    "401": (fails(401), "does not accept the key"),
    "402": (fails(402), "quota"),
    "403": (fails(403), "may not use"),
    "404": (fails(404, "no such model"), "no such model"),
    "quota used up": (fails(429, "You exceeded your current quota", "insufficient_quota"), "quota"),
    "200 with a quota used up": (sends(b'{"error": {"code": 402, "message": "pay"}}'), "quota"),
    "web page always": (sends(b"<html>Sign in</html>", 200, Content_Type="text/html"), "web page"),
    "429 for good": (fails(429, "slow down"), "slow down"),
    "429 for good, Gemini": (sends(json.dumps(_EXHAUSTED).encode(), 429), "has been exhausted"),
    "429 for good, Gemini, a list": (sends(json.dumps([_EXHAUSTED]).encode(), 429), "has been exhausted"),
    "429 for good, Retry-After 3600": (fails(429, "slow down", retry_after="3600"), "a wait of 3600 s"),
    "429 for good, Retry-After 1e9": (fails(429, "slow down", retry_after="1e9"), "slow down"),
    "429 for good, Retry-After in 2055": (fails(429, "slow down", retry_after=_DATE), "slow down"),
    "429, request too large": (fails(429, _LARGE, "rate_limit_exceeded"), "Limit 30000, Requested 40000"),
    "503 for good": (fails(503), "HTTP 503"),
    "400 for good": (fails(400, "bad thing"), "bad thing"),
    "422 of FastAPI for good": (
        sends(b'{"detail": [{"type": "missing", "loc": ["body", "user"], "msg": "Field required"}]}', 422),
        "user: Field required",
    ),
    **{
        f"{status}": (sends(b"", status, location="http://127.0.0.1:9/v1/chat/completions"), f"HTTP {status}")
        for status in (301, 302, 307, 308)
    },
    "308 to https": (sends(b"", 308, location="https://127.0.0.1/v1/chat/completions"), "with https"),
    "405": (fails(405, "Method Not Allowed"), "base URL"),
}

REFUSED_PROMPTS: dict[str, tuple[Behaviour, str]] = {
    "400 for some": (fails(400, "bad thing"), "bad thing"),
    "422 of FastAPI for some": (
        sends(b'{"detail": [{"type": "missing", "loc": ["body", "user"], "msg": "Field required"}]}', 422),
        "user: Field required",
    ),
    "content policy": (fails(400, "flagged by the content policy", "content_policy_violation"), "content policy"),
    "prompt too long": (fails(400, "maximum context length is 4096 tokens", "context_length_exceeded"), "longer than"),
    "413": (fails(413), "longer than"),
    "429, request too large for some": (fails(429, _LARGE, "rate_limit_exceeded"), "too large for the account"),
    "body of 9 MB": (sends(b" " * (9 * 2**20)), "larger than 8 MB"),
    "gzip bomb": (sends(gzip.compress(b" " * (16 * 2**20)), 200, Content_Encoding="gzip"), "larger than 8 MB"),
}

READ_ALL_THE_SAME: dict[str, Reply] = {
    "thoughts before it": says_instead(lambda text: f"<think>Hm, {{maybe}}.</think>\n{text}"),
    "thoughts, half open": says_instead(lambda text: f"Hm, so.</think>\n{text}"),
    "code fences": says_instead(lambda text: f"Here it is:\n```json\n{text}\n```\nDone."),
    "two objects": says_instead(lambda text: f'{{"draft": true}}\n{text}'),
    "a comma too many": says_instead(_trailing_comma),
    "single quotes": says_instead(_single_quotes),
    "a list of one": says_instead(lambda text: f"[{text}]"),
    "further fields": says_instead(lambda text: '{"confidence": 1, ' + text[1:]),
    "a field twice": says_instead(_twice),
    "choices in capitals": each_choice(str.upper),
    "thoughts beside it": puts(lambda text: {"content": text, "reasoning_content": "Hm. {}"}),
    "only in reasoning_content": puts(lambda text: {"reasoning_content": text}),
    "in tool_calls": puts(lambda text: {"tool_calls": [{"function": {"name": "a", "arguments": text}}]}),
    "in function_call": puts(lambda text: {"function_call": {"name": "a", "arguments": text}}),
    "content in parts": puts(lambda text: {"content": [{"type": "text", "text": text[:9]}, {"text": text[9:]}]}),
    "content an object": puts(lambda text: {"content": json.loads(text)}),
    "a stream": _streamed,
    "byte-order mark": wraps(lambda body: b"\xef\xbb\xbf" + body),
    "gzip": wraps(gzip.compress, Content_Encoding="gzip"),
    "a cookie": wraps(lambda body: body, Set_Cookie="session=planted"),
    "NaN in the envelope": wraps(lambda body: b'{"score": NaN, ' + body[1:]),
    "finish_reason a list": changes(lambda body: body["choices"][0].update(finish_reason=["stop"])),
    "finish_reason an object": changes(lambda body: body["choices"][0].update(finish_reason={"type": "stop"})),
    "finish_reason missing": changes(lambda body: body["choices"][0].pop("finish_reason")),
    "another model each time": _other_name_each_time,
    "a slow server": _slowly,
    "usage missing": changes(lambda body: body.pop("usage")),
    "usage negative": changes(lambda body: body["usage"].update(prompt_tokens=-1)),
    "usage in words": changes(lambda body: body["usage"].update(prompt_tokens="1000", completion_tokens="50")),
    "usage with points": changes(lambda body: body["usage"].update(prompt_tokens=1000.0, completion_tokens=50.0)),
    "usage in fractions": changes(lambda body: body["usage"].update(prompt_tokens=1000.5, completion_tokens=50.5)),
    "usage of 10^12": changes(lambda body: body["usage"].update(prompt_tokens=10**12)),
}

ASKED_AGAIN: dict[str, tuple[Reply, str]] = {
    "null": (says_instead(lambda _: None), "empty"),
    "blanks": (says_instead(lambda _: " \n\t "), "empty"),
    "prose": (says_instead(lambda _: "I raise my hand and wait."), "no complete JSON"),
    "refusal": (does(says(None, refusal="I cannot help with that.", usage=USAGE)), "refused"),
    "content filter": (does(says("", finish="content_filter", usage=USAGE)), "refused"),
    "cut off": (says_instead(lambda text: text[: len(text) // 2], finish="length"), "cut off"),
    "cut off while thinking": (does(says("", finish="length", usage=USAGE)), "max_tokens"),
    "no such choice": (each_choice(lambda _: "fly"), ""),
    "fields null": (says_instead(each_value(lambda _: None)), ""),
    "Spanish": (says_instead(each_value(lambda one: _SPANISH if isinstance(one, str) else one)), ""),
    "Chinese": (says_instead(each_value(lambda one: "我不知道应该说什么。" if isinstance(one, str) else one)), ""),
    "NaN": (says_instead(lambda _: '{"score": NaN}'), "NaN"),
    "1 MB": (says_instead(lambda _: "y" * 1_000_000), "too long"),
    "deep nesting": (says_instead(lambda _: "[" * 30_000), "nested too deeply"),
    "half characters": (says_instead(lambda _: '{"thought": "\\ud800", "behaviour": "\\udfff"}'), ""),
    "echo of the form": (says_instead(lambda _: '{"thought": "..."}'), ""),
}


def _families() -> dict[str, Fault]:
    found = {name: Fault("family", refuses(family)) for name, family in FAMILIES.items()}
    found |= {name: Fault("family", without_role(status, error)) for name, (status, error) in SYSTEM.items()}
    o_series = {
        **FAMILIES["gpt-5"],
        "seed": (400, openai_error("Unsupported parameter: 'seed' is not supported.", "seed", "unsupported_parameter")),
    }
    everything = {name: (400, unknown_names(name)) for name in ("temperature", "top_p", "frequency_penalty", "seed")}
    return found | {
        "o-series, all of it": Fault("family", refuses(o_series)),
        "no sampling at all": Fault("family", refuses(everything)),
        "Azure, address of a deployment": Fault("family", _wants_version, address="{url}?api-version=2024-10-21"),
        "a model that thinks first": Fault("family", _thinks_first),
        "json_object only": Fault("form", takes_form("json_object")),
        "no response_format": Fault("form", takes_form(None)),
        "one schema refused": Fault("form", refuses_one_form("feedback")),
    }


def _all() -> dict[str, Fault]:
    found = {name: Fault("passes", does(one), "once", paid=paid) for name, (one, paid) in PASSING.items()}
    for name, waiting in (("silence", silent()), ("drip", drips(0.05))):
        found[name] = Fault("passes", does(waiting), "once", settings=_SHORT)
    for name, (behave, words) in STOPPING.items():
        found[name] = Fault("stops", does(behave), end="stop", says=words, paid=False, settings=_PATIENT)
    for name, (behave, words) in REFUSED_PROMPTS.items():
        paid = name in ("body of 9 MB", "gzip bomb")
        found[name] = Fault("refused", does(behave), "some", "fallback", words, paid=paid)
    found |= {name: Fault("read all the same", reply) for name, reply in READ_ALL_THE_SAME.items()}
    for name, (reply, words) in ASKED_AGAIN.items():
        found[name] = Fault("asked again", reply, "some", "repaired", words)
    for name in ("null", "prose", "refusal", "cut off while thinking", "fields null"):
        reply, words = ASKED_AGAIN[name]
        found[f"{name}, always"] = Fault("useless", reply, "all", "useless", words)
    reply, words = ASKED_AGAIN["prose"]
    share, all_of_it = {"llm.useless": 0.2}, {"llm.useless": 1}
    found["prose for a third"] = Fault("useless", reply, "stubborn", "useless", words, settings=share, steps=5)
    found["prose for a third, which may be"] = Fault(
        "useless", reply, "stubborn", "fallback", words, settings=all_of_it, steps=5
    )
    for name, behave in (("429", fails(429, "slow down")), ("503", fails(503)), ("401", fails(401))):
        found[f"{name} in mid lesson"] = Fault("stops", from_the_tenth(behave), end="stop", settings=_PATIENT)
    found["nobody there"] = Fault("stops", does(fails(500)), end="stop", says="cannot be reached", address=NOBODY)
    found["https to a server of http"] = Fault(
        "stops",
        does(fails(500)),
        end="stop",
        says="connecting took too long",
        paid=False,
        address="{secure}",
        settings={"llm.deadlines.connect": 1, **_PATIENT},
    )
    return found | _families()


FAULTS: dict[str, Fault] = _all()
