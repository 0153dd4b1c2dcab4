"""A model server for whole runs: it answers by the form it is asked for, from a thread of its own."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from zlib import crc32

from eduverse_mesa.policies.llm.rehearsal import sketch
from tests.policies.llm.fake_server import Behaviour, Exchange, FakeServer, completion

KEY = "sk-planted-7c1f0d9e44b2"
Choose = Callable[[Exchange], Behaviour | None]


def in_form(body: dict[str, Any]) -> str:
    """An answer in the form that a request asks for, the same for the same request."""
    form = body["response_format"]["json_schema"]["schema"]
    return json.dumps(sketch(form, crc32(json.dumps(body["messages"]).encode()), 0.3))


def answers(choose: Choose | None = None, delay: float = 0.0) -> Behaviour:
    """Answer in the form that is asked for, unless `choose` has something else in mind."""

    async def behave(exchange: Exchange) -> None:
        other = choose(exchange) if choose is not None else None
        if other is not None:
            await other(exchange)
            return
        await asyncio.sleep(delay)
        await exchange.send(completion(in_form(exchange.body), usage=(1000, 50, 600)))

    return behave


def asks(body: dict[str, Any]) -> bool:
    """A question of a lesson, not the probe of what the server can do."""
    return len(body["messages"]) >= 2 and "school lesson" in body["messages"][0]["content"]


@contextmanager
def serving(server: FakeServer) -> Iterator[FakeServer]:
    """The server, listening, for code that is not asynchronous."""
    loop = asyncio.new_event_loop()
    ready, over = threading.Event(), asyncio.Event()

    async def serve() -> None:
        async with server.running():
            ready.set()
            await over.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
    thread.start()
    assert ready.wait(90)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(90)
        loop.close()
