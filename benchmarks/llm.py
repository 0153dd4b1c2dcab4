"""How close calls to a model come to the least time that they could take, against a server of fixed latency.

eta = bound / wall time; the bound is the longer of the longest chain of calls and all latencies divided by the slots.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count, islice
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter

from eduverse_mesa.policies.llm.calling import AnswerCache, Backoff, Caller, Endpoint, Ledger, Limiter
from eduverse_mesa.policies.llm.calls import Call, Message

_ANSWER = (
    b'{"id":"x","object":"chat.completion","choices":[{"index":0,"finish_reason":"stop","message":'
    b'{"role":"assistant","content":"{\\"speech\\": \\"I think it is the root of the equation.\\"}"}}],'
    b'"usage":{"prompt_tokens":900,"completion_tokens":40,"total_tokens":940}}'
)
_REPLY = (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(_ANSWER)) + _ANSWER
_PROMPT = "You are a student in a mathematics lesson. " * 80
"""About as long as a prompt of a lesson."""

_TIMES = 4


class _Stub(asyncio.Protocol):
    """Answers each request after its latency, with as little work of its own as can be."""

    def __init__(self, latency: float) -> None:
        self._latency = latency
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
        at = head.lower().index(b"content-length:") + 15
        if len(body) >= int(head[at : head.find(b"\r\n", at) if b"\r\n" in head[at:] else None]):
            self._buffer = b""
            asyncio.get_running_loop().call_later(self._latency, self._answer)

    def _answer(self) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(_REPLY)


def _serve(latency: float, report: Connection) -> None:
    async def serve() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: _Stub(latency), "127.0.0.1", 0, backlog=1024)
        report.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(serve())


@asynccontextmanager
async def _caller(latency: float, slots: int, most: int) -> AsyncIterator[Caller]:
    """A caller with all that a run gives it, and its server in a process of its own."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(latency, there), daemon=True)
    process.start()
    port = await asyncio.to_thread(here.recv)
    with tempfile.TemporaryDirectory() as folder:
        cache = AnswerCache(Path(folder) / "answers.sqlite")
        caller = Caller(
            Endpoint(f"http://127.0.0.1:{port}/v1", "sk-bench"),
            cache=cache,
            limiter=Limiter(slots, most),
            backoff=Backoff(attempts=1),
        )
        try:
            yield caller
        finally:
            await caller.aclose()
            cache.close()
            process.terminate()
            process.join()


def _call(number: int) -> Call:
    return Call("stub", (Message("system", _PROMPT), Message("user", f"Say something, {number}.")))


async def _round(caller: Caller, first: int, calls: int, ledger: Ledger) -> None:
    await asyncio.gather(*(caller.complete(_call(number), ledger) for number in range(first, first + calls)))


async def _small(agents: int, latency: float, rounds: int) -> float:
    """Seconds of that many rounds, the best of some times, so that a slow moment of the machine does not count."""
    async with _caller(latency, 8, 256) as caller:
        ledger = Ledger(tokens=10**9)
        await _round(caller, 0, agents, ledger)
        times, numbers = [], count(1)
        for _ in range(_TIMES):
            start = perf_counter()
            for number in islice(numbers, rounds):
                await _round(caller, number * agents, agents, ledger)
            times.append(perf_counter() - start)
        return min(times)


async def _large(agents: int, latency: float) -> tuple[float, float, float]:
    """Seconds of one call each: without any connection and a full limit, with all of it, and from a cold start."""
    async with _caller(latency, agents, agents) as caller:
        ledger = Ledger(tokens=10**9)
        times = []
        for turn in range(_TIMES):
            start = perf_counter()
            await _round(caller, turn * agents, agents, ledger)
            times.append(perf_counter() - start)
    async with _caller(latency, 8, agents) as caller:
        start = perf_counter()
        await _round(caller, 0, agents, Ledger(tokens=10**9))
        return times[0], min(times[1:]), perf_counter() - start


def bench_llm() -> list[str]:
    """Rounds of a class, and a school at once."""
    rounds = 40
    small = asyncio.run(_small(7, 0.05, rounds))
    fresh, warm, cold = asyncio.run(_large(256, 1.0))
    each = (small / rounds - 0.05) / 7 * 1000
    return [
        "Calls to a model server of fixed latency: eta = least possible time / time   (all with cache and budget)",
        f"    7 agents x 50 ms, {rounds} rounds            eta {0.05 * rounds / small:.3f}   (bar 0.90, aim 0.95)"
        f"   {each:.2f} ms a call",
        f"  256 agents x  1 s, connections open     eta {1 / warm:.3f}   (bar 0.85, aim 0.92)"
        f"   {(warm - 1) / 256 * 1000:.2f} ms a call",
        f"  256 agents x  1 s, connections to make  eta {1 / fresh:.3f}",
        f"  256 agents x  1 s, limit still unknown  eta {1 / cold:.3f}   (slow start from 8)",
    ]


if __name__ == "__main__":
    for line in bench_llm():
        print(line)
