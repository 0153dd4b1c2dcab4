"""A server that answers every question at once with anything of the right form, after a fixed time.

For measuring ourselves: with a model whose time is known, what is left is our own.
"""

from __future__ import annotations

import asyncio
import multiprocessing
from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from multiprocessing.connection import Connection
from typing import Any
from zlib import crc32

import msgspec

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.llm.calls import Call, Schema

_LETTERS_A_TOKEN = 4.2
"""Of European text, with the tokenizers of today's models; between 3.8 and 4.6 as far as we have seen."""
_TOKENS_A_SIGN = 0.9
"""Of Chinese, Japanese and Korean, and of signs outside of ASCII."""


def count_tokens(text: str) -> int:
    """An estimate, within a fifth or so."""
    foreign = sum(1 for character in text if ord(character) > 0x2E7F)
    return round((len(text) - foreign) / _LETTERS_A_TOKEN + foreign * _TOKENS_A_SIGN)


class Prefixes:
    """How much of each prompt had stood at the beginning of an earlier one: what a server can find in its cache."""

    def __init__(self) -> None:
        self._seen: list[str] = []
        self._all = self._shared = 0

    @property
    def repeated(self) -> float:
        """Share of all prompts so far that no server had to read again."""
        return self._shared / self._all if self._all else 0.0

    def watch(self, call: Call) -> None:
        """Add the prompt of a call."""
        self.add("\n".join(message.content for message in call.messages))

    def add(self, prompt: str) -> int:
        """Characters that this prompt shares with the beginning of an earlier one."""
        # Of sorted texts, those with the longest common beginning are neighbours.
        place = bisect_left(self._seen, prompt)
        near = self._seen[max(0, place - 1) : place + 1]
        shared = max((_shared(prompt, other) for other in near), default=0)
        insort(self._seen, prompt)
        self._all += len(prompt)
        self._shared += shared
        return shared


def _shared(one: str, other: str) -> int:
    """Return the number of characters that two texts begin with alike, by halving: comparing slices is fast, characters
    are not."""
    least, most = 0, min(len(one), len(other))
    while least < most:
        middle = (least + most + 1) // 2
        if one[least:middle] == other[least:middle]:
            least = middle
        else:
            most = middle - 1
    return least


_TEXT = "I think that it is about what we have read, and that there is a reason for it. "
_TEXTS = {"zh": "我觉得这和我们读的课文有关系，也有它的道理。"}


def filler(language: str) -> str:
    """A sentence to fill texts with, in the language of a lesson."""
    return _TEXTS.get(language, _TEXT)


def sketch(schema: Schema, luck: int = 0, fullness: float = 0.5, text: str = _TEXT) -> Any:
    """A value that fits: enumerations by luck, texts and lists filled to a share of what is allowed."""
    if "enum" in schema:
        return schema["enum"][luck % len(schema["enum"])]
    if "anyOf" in schema:
        return sketch(schema["anyOf"][luck % len(schema["anyOf"])], luck, fullness, text)
    kind = schema.get("type")
    if kind == "object":
        parts: Mapping[str, Schema] = schema["properties"]
        return {name: sketch(part, _mix(luck, name), fullness, text) for name, part in parts.items()}
    if kind == "array":
        least, most = schema.get("minItems", 0), schema.get("maxItems", 1)
        count = max(least, min(most, 1), round(fullness * most)) if most else 0
        return [sketch(schema["items"], _mix(luck, place), fullness, text) for place in range(count)]
    if kind in ("integer", "number"):
        least, most = schema.get("minimum", 0), schema.get("maximum", 10)
        return least + luck % (int(most - least) + 1)
    if kind == "null":
        return None
    if kind == "boolean":
        return bool(luck % 2)
    length = max(1, round(fullness * schema.get("maxLength", 100)))
    return (text * (length // len(text) + 1))[:length].strip() or text[0]


def _mix(luck: int, with_: object) -> int:
    return crc32(f"{luck}/{with_}".encode())


MODEL = "rehearsal"
_STARTED_WITHIN = 30.0


@contextmanager
def rehearsal_server(latency: float) -> Iterator[str]:
    """The base URL of such a server, in a process of its own so that its work is not ours."""
    if find_spec("aiohttp") is None:
        raise PolicyError("the rehearsal server needs aiohttp.", mend="Install it: pip install 'eduverse-mesa[llm]'")
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(latency, there), daemon=True)
    process.start()
    try:
        if not here.poll(_STARTED_WITHIN):
            raise RuntimeError("the rehearsal server does not start")
        yield f"http://127.0.0.1:{here.recv()}/v1"
    finally:
        process.terminate()
        process.join()


def _serve(latency: float, report: Connection) -> None:
    from aiohttp import web

    async def answer(request: web.Request) -> web.Response:
        body = msgspec.json.decode(await request.read())
        reply = msgspec.json.encode(_reply(body))
        await asyncio.sleep(latency)
        return web.Response(body=reply, content_type="application/json")

    async def serve() -> None:
        app = web.Application(client_max_size=1 << 26)
        app.router.add_post("/v1/chat/completions", answer)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)
        await site.start()
        report.send(runner.addresses[0][1])
        await asyncio.Event().wait()

    asyncio.run(serve())


def _reply(body: dict[str, Any]) -> dict[str, Any]:
    prompt = "\n".join(message["content"] for message in body["messages"])
    form = body.get("response_format", {}).get("json_schema", {}).get("schema")
    text = "Yes." if form is None else msgspec.json.encode(sketch(form, crc32(prompt.encode()))).decode()
    read, written = count_tokens(prompt), count_tokens(text)
    return {
        "id": "rehearsal",
        "object": "chat.completion",
        "model": MODEL,
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written},
    }
