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

from benchmarks.stub import stub_server
from eduverse_mesa.policies.llm.calling import AnswerCache, Backoff, Caller, Endpoint, Ledger, Limiter
from eduverse_mesa.policies.llm.calls import Call, Message

_SAID = '{"speech": "I think it is the root of the equation."}'
_PROMPT = "You are a student in a mathematics lesson. " * 80
"""About as long as a prompt of a lesson."""

_TIMES = 4


@asynccontextmanager
async def _caller(latency: float, slots: int, most: int) -> AsyncIterator[Caller]:
    """A caller with all that a run gives it, and its server in a process of its own."""
    with stub_server(latency, _SAID) as url, tempfile.TemporaryDirectory() as folder:
        cache = AnswerCache(Path(folder) / "answers.sqlite")
        caller = Caller(
            Endpoint(url, "sk-bench"),
            cache=cache,
            limiter=Limiter(slots, most),
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
