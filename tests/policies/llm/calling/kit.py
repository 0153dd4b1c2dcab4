"""What the tests of calls share: a caller whose pauses take no time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from eduverse_mesa.policies.llm.calling import Backoff, Caller, Deadlines, Endpoint, Limiter
from eduverse_mesa.policies.llm.calls import Call, CallFailedError, Completion, Message, Sampling
from tests.policies.llm.fake_server import FakeServer

Result = TypeVar("Result")

KEY = "sk-planted-5f3a9c71d2"


@dataclass
class Pauses:
    """Sleeps that take no time; their clock goes on as if they had."""

    seconds: list[float] = field(default_factory=list)

    def clock(self) -> float:
        """The time by these sleeps."""
        return time.monotonic() + sum(self.seconds)

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await asyncio.sleep(0)


def ask(text: str = "hello", **options: Any) -> Call:
    """A call."""
    return Call("model", (Message("user", text),), Sampling(max_tokens=options.pop("max_tokens", 50)), **options)


@asynccontextmanager
async def calling(server: FakeServer, **options: Any) -> AsyncIterator[tuple[Caller, Pauses]]:
    """A caller of a running server."""
    pauses = options.pop("pauses", Pauses())
    deadlines = options.pop("deadlines", Deadlines())
    options.setdefault("backoff", Backoff(draw=lambda: 0.5))
    options.setdefault("limiter", Limiter(options.pop("start", 8), clock=pauses.clock))
    async with server.running():
        caller = Caller(Endpoint(server.url, KEY, deadlines), sleep=pauses, **options)
        try:
            yield caller, pauses
        finally:
            await caller.aclose()


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """Run it, and do not wait for ever."""
    return asyncio.run(asyncio.wait_for(work, 120))


async def outcome(work: Coroutine[Any, Any, Completion]) -> Completion | CallFailedError:
    """A completion, or the failure."""
    try:
        return await work
    except CallFailedError as error:
        return error
