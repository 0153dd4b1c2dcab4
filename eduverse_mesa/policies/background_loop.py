"""A background event loop, in a thread of its own, where ordinary code waits for answers that take time.

Connections, limits and circuit breakers live as long as the loop they were made in. A loop for each step would throw
them away, and could not be started inside a notebook, which runs one already.

Threads that play side by side are counted (`Players`): when none of them has anything to do but wait, everything is
asked that can be asked at this moment.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager
from functools import cache
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")
_DOOR = threading.Lock()
_PATIENCE = 5.0
"""Seconds that work has to come to its end after an interrupt."""


class Players:
    """Threads that play side by side, with a count of those that are at work rather than waiting for answers.

    A thread counts from `join` on, before it is started, until it leaves: between two waits it is at work.
    """

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._busy = 0
        self._waiting: set[Errand[Any]] = set()
        self._ended = False

    def join(self) -> None:
        """Count one more thread."""
        with self._turn:
            self._busy += 1
            _PLAYING.add(self)

    def leave(self) -> None:
        """Count one thread less."""
        with self._turn:
            self._busy -= 1
            if not self._busy and not self._waiting:
                _PLAYING.discard(self)

    @contextmanager
    def playing(self) -> Iterator[None]:
        """Mark this thread as one that has joined, so that its waiting is known; it leaves at the end."""
        _MINE.players = self
        try:
            yield
        finally:
            _MINE.players = None
            self.leave()

    def end(self) -> None:
        """Break off all waiting and refuse any more: each thread that waits gets a CancelledError."""
        with self._turn:
            self._ended = True
            waiting = list(self._waiting)
        for errand in waiting:
            errand.stop()

    @property
    def ended(self) -> bool:
        """True if it was broken off."""
        return self._ended

    @property
    def busy(self) -> int:
        """Number of threads at work."""
        return self._busy

    def wait(self, errand: Errand[Any]) -> None:
        """Count a thread as waiting for an errand. Raises CancelledError if all was broken off."""
        with self._turn:
            if self._ended:
                raise CancelledError
            self._waiting.add(errand)
            self._busy -= 1

    def go_on(self, errand: Errand[Any]) -> None:
        """Count the thread of an errand as at work again: from the errand's end on, even before the thread awakes."""
        with self._turn:
            self._waiting.discard(errand)
            self._busy += 1


_PLAYING: set[Players] = set()
_MINE = threading.local()
"""`players`: the group that this thread plays in."""


def count_busy() -> int:
    """Return the number of threads at work, of all that play side by side in this process."""
    return sum(players.busy for players in list(_PLAYING))


class Errand(Generic[Result]):
    """Work in the loop that can be stopped from another thread, begun or not."""

    def __init__(
        self, work: Coroutine[Any, Any, Result], loop: asyncio.AbstractEventLoop, players: Players | None = None
    ) -> None:
        self.ended = threading.Event()
        self._work = work
        self._loop = loop
        self._players = players
        self._task: asyncio.Task[Any] | None = None
        self._stopped = False

    def begin(self) -> Future[Result]:
        """Send it off."""
        return asyncio.run_coroutine_threadsafe(self._run(), self._loop)

    def stop(self) -> None:
        """Break it off; `ended` says when it has put its things away."""
        self._loop.call_soon_threadsafe(self._stop)

    async def _run(self) -> Result:
        if self._stopped:
            self._work.close()
            raise asyncio.CancelledError
        self._task = asyncio.current_task()
        if self._players is None:
            try:
                return await self._work
            finally:
                self.ended.set()
        return await self._played(self._players)

    async def _played(self, players: Players) -> Result:
        try:
            players.wait(self)
        except CancelledError:
            self._work.close()
            self.ended.set()
            raise asyncio.CancelledError from None
        try:
            return await self._work
        finally:
            players.go_on(self)
            self.ended.set()

    def _stop(self) -> None:
        self._stopped = True
        if self._task is None:
            self.ended.set()
        else:
            self._task.cancel()


class BackgroundLoop:
    """An event loop in a daemon thread, for everybody in this process."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="eduverse-loop", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    def errand(self, work: Coroutine[Any, Any, Result]) -> Errand[Result]:
        """Work for the loop, not yet begun."""
        if threading.current_thread() is self._thread:
            work.close()
            raise RuntimeError("the loop's own thread cannot wait for itself; await the work instead")
        return Errand(work, self.loop, getattr(_MINE, "players", None))

    def wait_for(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run it in the loop and block until it is done. An interrupt ends the work, too, before it goes on."""
        errand = self.errand(work)
        try:
            return errand.begin().result()
        except BaseException:  # an interrupt can come at any time, even before there is a future to cancel
            errand.stop()
            errand.ended.wait(_PATIENCE)
            raise

    async def join(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Await work that has to run in this loop, from whatever loop this is."""
        if asyncio.get_running_loop() is self.loop:
            return await work
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self.loop))


def shared_loop() -> BackgroundLoop:
    """The loop of this process, started when somebody first has to wait."""
    with _DOOR:  # threads that come at the same time get the same loop
        return _open()


@cache
def _open() -> BackgroundLoop:
    if hasattr(os, "register_at_fork"):  # a forked child inherits the loop, but not its thread
        os.register_at_fork(after_in_child=_open.cache_clear)
    return BackgroundLoop()
