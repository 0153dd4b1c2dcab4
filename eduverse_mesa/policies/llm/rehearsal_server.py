"""A server that answers every question at once with anything of the right form, after a fixed time.

For measuring ourselves: with a model whose time is known, what is left is our own.
"""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from multiprocessing.connection import Connection
from typing import Any
from zlib import crc32

import msgspec

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.llm.counting import count_tokens
from eduverse_mesa.policies.llm.sketch import sketch

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
