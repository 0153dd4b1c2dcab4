"""A model server over real sockets that does what it is told, well or badly."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

Body = dict[str, Any]
Behaviour = Callable[["Exchange"], Awaitable[None]]
"""What the server does with one request."""


@dataclass
class Exchange:
    """One request, and the wire back."""

    headers: dict[str, str]
    body: Body
    writer: asyncio.StreamWriter
    number: int
    """Requests of this server are counted from 1."""
    path: str = ""
    """The path that was asked for, with its query."""

    @property
    def question(self) -> str:
        """The last message."""
        return str(self.body["messages"][-1]["content"])

    async def send(self, content: bytes, status: int = 200, headers: dict[str, str] | None = None) -> None:
        """A whole answer."""
        self.writer.write(head(len(content), status, headers) + content)
        await self.writer.drain()

    def hang_up(self) -> None:
        """Reset the connection."""
        self.writer.transport.abort()


def head(length: int, status: int = 200, headers: dict[str, str] | None = None) -> bytes:
    """Status line and headers."""
    lines = [f"HTTP/1.1 {status} Status", f"Content-Length: {length}"]
    lines += [f"{name}: {value}" for name, value in ({"Content-Type": "application/json"} | (headers or {})).items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def completion(
    text: str | None, finish: str = "stop", usage: tuple[int, int, int] | None = (10, 5, 0), **message: Any
) -> bytes:
    """The body of an answer; `usage` is tokens in, out, and cached of those in."""
    body: Body = {
        "id": "x",
        "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text} | message}],
    }
    if usage is not None:
        body["usage"] = {
            "prompt_tokens": usage[0],
            "completion_tokens": usage[1],
            "total_tokens": usage[0] + usage[1],
            "prompt_tokens_details": {"cached_tokens": usage[2]},
        }
    return json.dumps(body).encode()


def says(text: str | None = "{}", **options: Any) -> Behaviour:
    """Answer."""

    async def behave(exchange: Exchange) -> None:
        await exchange.send(completion(text, **options))

    return behave


def echoes(delay: float = 0.0) -> Behaviour:
    """Answer with the question."""

    async def behave(exchange: Exchange) -> None:
        await asyncio.sleep(delay)
        await exchange.send(completion(exchange.question))

    return behave


def sends(content: bytes, status: int = 200, **headers: str) -> Behaviour:
    """Send just this."""

    async def behave(exchange: Exchange) -> None:
        await exchange.send(content, status, {name.replace("_", "-"): value for name, value in headers.items()})

    return behave


def fails(status: int, message: str = "no", code: str | None = None, **headers: str) -> Behaviour:
    """An error in the usual form."""
    return sends(json.dumps({"error": {"message": message, "code": code}}).encode(), status, **headers)


def hangs_up(after: bytes = b"") -> Behaviour:
    """Reset the connection, perhaps after some bytes."""

    async def behave(exchange: Exchange) -> None:
        exchange.writer.write(after)
        await exchange.writer.drain()
        exchange.hang_up()

    return behave


def ends(after: bytes) -> Behaviour:
    """Close the connection in good order in the middle of an answer."""

    async def behave(exchange: Exchange) -> None:
        exchange.writer.write(after)
        await exchange.writer.drain()
        exchange.writer.close()

    return behave


def silent() -> Behaviour:
    """Never answer."""

    async def behave(exchange: Exchange) -> None:
        await asyncio.Event().wait()

    return behave


def drips(every: float) -> Behaviour:
    """One byte at a time, for ever."""

    async def behave(exchange: Exchange) -> None:
        exchange.writer.write(head(10**9))
        while True:
            exchange.writer.write(b" ")
            await exchange.writer.drain()
            await asyncio.sleep(every)

    return behave


@dataclass
class FakeServer:
    """Answers requests in the order of a script, and those after it in the usual way."""

    script: list[Behaviour] = field(default_factory=list)
    usual: Behaviour = field(default_factory=says)
    requests: list[Body] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    out: int = 0
    most_out: int = 0
    port: int = 0
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self.port}/v1"

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while await self._answer(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client left, or the test is over
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        first, *raw = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")[:-2]
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in raw)}
        body = json.loads(await reader.readexactly(int(headers.get("content-length", 0))) or b"{}")
        self.requests.append(body)
        self.headers.append(headers)
        behave = self.script.pop(0) if self.script else self.usual
        self.out += 1
        self.most_out = max(self.most_out, self.out)
        try:
            await behave(Exchange(headers, body, writer, len(self.requests), first.split(" ")[1]))
        finally:
            self.out -= 1
        return not writer.is_closing()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[FakeServer]:
        """The server, listening."""
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, backlog=1024)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for task in list(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
