"""Identical work that is under way is done once, and everybody who wants it waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

from eduverse_mesa.policies.llm.calls import CallFailedError

Result = TypeVar("Result")


class _Flight(Generic[Result]):
    __slots__ = ("task", "waiting")

    def __init__(self, task: asyncio.Task[Result]) -> None:
        self.task = task
        self.waiting = 0


class Flights(Generic[Result]):
    """Work by its address. It goes on as long as one of those who wait for it is left."""

    def __init__(self) -> None:
        self._flights: dict[Hashable, _Flight[Result]] = {}

    def __contains__(self, key: Hashable) -> bool:
        return self._under_way(key) is not None

    async def join(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """The result of the work with this address, which is begun where it is not under way."""
        flight = self._under_way(key)
        if flight is None:
            flight = _Flight(asyncio.get_running_loop().create_task(work()))
            self._flights[key] = flight
            flight.task.add_done_callback(lambda task: self._landed(key, task))
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        except asyncio.CancelledError:
            if flight.task.cancelled() and not _is_cancelling():
                raise CallFailedError("the calls were ended while this one was under way", attempts=0) from None
            raise
        finally:
            flight.waiting -= 1
            if not flight.waiting and not flight.task.done():
                # The last one left: nobody may join it any more, and its end is waited for by nobody.
                self._flights.pop(key, None)
                flight.task.cancel()

    def _under_way(self, key: Hashable) -> _Flight[Result] | None:
        """What has ended and is not cleared away yet is nothing to wait for: it would be met again and again."""
        flight = self._flights.get(key)
        return None if flight is None or flight.task.done() else flight

    def _landed(self, key: Hashable, task: asyncio.Task[Result]) -> None:
        flight = self._flights.get(key)
        if flight is not None and flight.task is task:
            del self._flights[key]
        if not task.cancelled():
            task.exception()  # seen: those who waited may all have gone

    async def cancel_all(self) -> None:
        """End everything that is under way."""
        tasks = [flight.task for flight in self._flights.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _is_cancelling() -> bool:
    """Whether it is we who were cancelled, and not what we wait for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
