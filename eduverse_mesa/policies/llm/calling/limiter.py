"""How many calls are out at once: found by trying, as TCP finds its window (Jacobson, SIGCOMM 1988).

Slow start: as long as nobody complains, each answer of a full house opens one more slot, so that the limit doubles with
every round of calls. A rate limit halves it, once per episode however many calls were hit; from there on it grows by
one slot per round. A server that fails (5xx) says nothing about how much it can take, and changes nothing.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass


@dataclass(slots=True)
class Slot:
    """Leave to have one call out."""

    episode: int


class Limiter:
    """Slots in the order of asking; shared by all classrooms that use one server."""

    def __init__(
        self, start: int = 8, most: int = 256, least: int = 1, clock: Callable[[], float] = time.monotonic
    ) -> None:
        if not 1 <= least <= start <= most:
            raise ValueError("1 <= least <= start <= most must hold")
        self.most = most
        self._least = least
        self._limit = float(start)
        self._threshold = float(most)
        self._clock = clock
        self._out = 0
        self._episode = 0
        self._paused_until = 0.0
        self._alarm: asyncio.TimerHandle | None = None
        self._queue: deque[asyncio.Future[Slot]] = deque()

    @property
    def limit(self) -> int:
        """Calls that may be out at once now."""
        return min(int(self._limit), self.most)

    @property
    def out(self) -> int:
        """Calls that are out."""
        return self._out

    async def acquire(self, *, ahead: bool = False) -> Slot:
        """Wait for a slot; a call that has waited before goes `ahead`."""
        if not self._queue and self._out < self.limit and self._paused_until <= self._clock():
            self._out += 1
            return Slot(self._episode)
        waiting: asyncio.Future[Slot] = asyncio.get_running_loop().create_future()
        if ahead:
            self._queue.appendleft(waiting)
        else:
            self._queue.append(waiting)
        self._hand_out()
        try:
            return await waiting
        except asyncio.CancelledError:
            if waiting.done() and not waiting.cancelled():
                self.release()
            else:
                with suppress(ValueError):  # it may have been passed over already
                    self._queue.remove(waiting)
            raise

    def release(self) -> None:
        """Give a slot back after a call that says nothing about the limit."""
        self._out -= 1
        self._hand_out()

    def succeeded(self, slot: Slot) -> None:
        """Give a slot back after an answer."""
        if self._out >= self.limit and slot.episode == self._episode:
            step = 1.0 if self._limit < self._threshold else 1.0 / self._limit
            self._limit = min(float(self.most), self._limit + step)
        self.release()

    def limited(self, slot: Slot, wait: float | None) -> None:
        """Give a slot back after the server asked for less; it may ask us to wait before anything else is sent."""
        if slot.episode == self._episode:
            self._episode += 1
            self._limit = max(float(self._least), min(self._limit, self._out) / 2)
            self._threshold = self._limit
        if wait:
            self._paused_until = max(self._paused_until, self._clock() + wait)
        self.release()

    def _hand_out(self) -> None:
        pause = self._paused_until - self._clock()
        if pause > 0:
            if self._queue and self._alarm is None:
                self._alarm = asyncio.get_running_loop().call_later(pause, self._wake)
            return
        while self._queue and self._out < self.limit:
            waiting = self._queue.popleft()
            if not waiting.done():
                self._out += 1
                waiting.set_result(Slot(self._episode))

    def _wake(self) -> None:
        self._alarm = None
        self._hand_out()
