"""A model server of fixed latency in a process of its own, with as little work of its own as can be."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from urllib.request import urlopen

from eduverse_mesa.policies.llm.rehearsal import count_tokens

_PROBE = '{"answer": "quartz", "why": "so", "marks": []}'
"""The expected answer to the question that tests a server's abilities."""


def _reply(content: str) -> bytes:
    body = {
        "id": "x",
        "object": "chat.completion",
        "model": "stub",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}],
        "usage": {"prompt_tokens": 900, "completion_tokens": 40, "total_tokens": 940},
    }
    return _framed(json.dumps(body).encode())


def _framed(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body


@dataclass(frozen=True)
class Count:
    """Numbers of calls, tokens and connections that the server has seen."""

    calls: int
    tokens: int
    """In prompts, as they would be counted."""
    connections: int


class _Server:
    """The state that all connections share."""

    def __init__(self, latency: float, content: str) -> None:
        self.latency = latency
        self.answer = _reply(content)
        self.probe = _reply(_PROBE)
        self.bodies: list[bytes] = []
        self.connections: set[object] = set()

    def counts(self) -> bytes:
        """The numbers, worked out when somebody asks: nothing is counted while others wait."""
        texts = (message["content"] for body in self.bodies for message in json.loads(body)["messages"])
        numbers = [len(self.bodies), sum(count_tokens(str(text)) for text in texts), len(self.connections)]
        return _framed(json.dumps(numbers).encode())


class _Stub(asyncio.Protocol):
    """Answers each request after its latency."""

    def __init__(self, server: _Server) -> None:
        self._server = server
        self._buffer = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, found, body = self._buffer.partition(b"\r\n\r\n")
        if not found:
            return
        if head.startswith(b"GET"):
            self._buffer = b""
            self._answer(self._server.counts())
            return
        at = head.lower().index(b"content-length:") + 15
        if len(body) >= int(head[at : head.find(b"\r\n", at) if b"\r\n" in head[at:] else None]):
            self._buffer = b""
            self._server.bodies.append(body)
            self._server.connections.add(self)
            reply = self._server.probe if b'"quartz"' in body else self._server.answer
            asyncio.get_running_loop().call_later(self._server.latency, self._answer, reply)

    def _answer(self, reply: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(reply)


def _serve(latency: float, content: str, report: Connection) -> None:
    async def serve() -> None:
        loop, shared = asyncio.get_running_loop(), _Server(latency, content)
        server = await loop.create_server(lambda: _Stub(shared), "127.0.0.1", 0, backlog=1024)
        report.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(serve())


@contextmanager
def stub_server(latency: float, content: str) -> Iterator[str]:
    """The base URL of a server that says this after so many seconds, whatever it is asked."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(latency, content, there), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{here.recv()}/v1"
    finally:
        process.terminate()
        process.join()


def count_at(url: str) -> Count:
    """Return the counts of the server at this base URL so far."""
    with urlopen(f"{url}/counts") as answer:
        return Count(*json.loads(answer.read()))
