"""How close calls to a model come to the least time that they could take, against a server of fixed latency.

eta = bound / wall time; the bound is the longer of the longest chain of calls and all latencies divided by the slots.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count, islice
from pathlib import Path
from time import perf_counter

import aiohttp

from benchmarks.stub import stub_server
from eduverse_mesa.policies.llm.calling import AnswerCache, Backoff, Caller, Endpoint, Ledger, Limiter
from eduverse_mesa.policies.llm.calling.dialect import request_body
from eduverse_mesa.policies.llm.calls import Call, Message
from eduverse_mesa.policies.llm.connection import first_limit

_SAID = '{"speech": "I think it is the root of the equation."}'
_PROMPT = "You are a student in a mathematics lesson. " * 80
"""About as long as a prompt of a lesson."""

_TIMES = 4


@asynccontextmanager
async def _caller(url: str, folder: Path, most: int, *, known: bool = True) -> AsyncIterator[Caller]:
    """A caller with all that a run gives it; `known`: it may ask as many at once as it likes from the beginning."""
    cache = AnswerCache(folder / "answers.sqlite")
    caller = Caller(
        Endpoint(url, "sk-bench"),
        cache=cache,
        limiter=Limiter(most if known else first_limit(url, cache, most), most),
        backoff=Backoff(attempts=1),
    )
    try:
        yield caller
    finally:
        await caller.aclose()
        cache.close()


def _call(number: int) -> Call:
    return Call("stub", (Message("system", _PROMPT), Message("user", f"Say something, {number}.")))


async def _round(caller: Caller, first: int, calls: int, ledger: Ledger) -> None:
    await asyncio.gather(*(caller.complete(_call(number), ledger) for number in range(first, first + calls)))


async def _raw(session: aiohttp.ClientSession, url: str, first: int, calls: int) -> None:
    """The same round with nothing but a connection: the bytes of the same calls, and answers that nobody reads."""

    async def one(number: int) -> None:
        headers = {"Content-Type": "application/json", "Authorization": "Bearer sk-bench"}
        body = request_body(_call(number), "text")
        async with session.post(f"{url}/chat/completions", data=body, headers=headers) as answer:
            await answer.read()

    await asyncio.gather(*(one(number) for number in range(first, first + calls)))


async def _side_by_side(agents: int, latency: float, rounds: int) -> tuple[list[float], list[float]]:
    """Seconds of so many rounds, ours and raw, several times in turn; the first time makes the connections."""
    ours, raw = [], []
    connector = aiohttp.TCPConnector(limit=0)
    with stub_server(latency, _SAID) as url, tempfile.TemporaryDirectory() as folder:
        async with _caller(url, Path(folder), agents) as caller, aiohttp.ClientSession(connector=connector) as session:
            ledger, numbers = Ledger(tokens=10**9), count()
            for _ in range(_TIMES):
                start = perf_counter()
                for number in islice(numbers, rounds):
                    await _round(caller, number * agents, agents, ledger)
                ours.append(perf_counter() - start)
                start = perf_counter()
                for number in islice(numbers, rounds):
                    await _raw(session, url, number * agents, agents)
                raw.append(perf_counter() - start)
    return ours, raw


async def _cold(agents: int, latency: float) -> tuple[float, float]:
    """Seconds of one call each where nothing is known of the server, and where another process has met it before."""
    times = []
    with stub_server(latency, _SAID) as url, tempfile.TemporaryDirectory() as folder:
        for turn in range(2):
            async with _caller(url, Path(folder), agents, known=False) as caller:
                start = perf_counter()
                await _round(caller, turn * agents, agents, Ledger(tokens=10**9))
                times.append(perf_counter() - start)
    return times[0], times[1]


def bench_llm() -> list[str]:
    """Rounds of a class, and a school at once, beside the same calls with nothing but a connection."""
    rounds = 40
    small, raw_small = (min(times) for times in asyncio.run(_side_by_side(7, 0.05, rounds)))
    ours, raw = asyncio.run(_side_by_side(256, 1.0, 1))
    cold, second = asyncio.run(_cold(256, 1.0))
    least = 0.05 * rounds
    each = (small / rounds - 0.05) / 7 * 1000
    warm, raw_warm = min(ours[1:]), min(raw[1:])
    return [
        "Calls to a model server of fixed latency: eta = least possible time / time   (all with cache and budget)",
        f"    7 agents x 50 ms, {rounds} rounds            eta {least / small:.3f}"
        f"   (raw aiohttp {least / raw_small:.3f})"
        f"   {each:.2f} ms a call",
        f"  256 agents x  1 s, connections open     eta {1 / warm:.3f}   (raw aiohttp {1 / raw_warm:.3f})"
        f"   {(warm - 1) / 256 * 1000:.2f} ms a call",
        f"  256 agents x  1 s, connections to make  eta {1 / ours[0]:.3f}   (raw aiohttp {1 / raw[0]:.3f})",
        f"  256 agents x  1 s, a second process     eta {1 / second:.3f}   (it remembers the limit; bar 0.85)",
        f"  256 agents x  1 s, a server never met   eta {1 / cold:.3f}   (slow start from 8)",
    ]


if __name__ == "__main__":
    for line in bench_llm():
        print(line)
