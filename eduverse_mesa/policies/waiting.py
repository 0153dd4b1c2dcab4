"""Where ordinary code waits for answers that take time: one event loop in a thread of its own.

Connections, limits and circuit breakers live as long as the loop they were made in. A loop for each step would throw
them away, and could not be started inside a notebook, which runs one already.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from functools import cache
from typing import Any, TypeVar

Result = TypeVar("Result")
_PATIENCE = 5.0
"""Seconds that work has to come to its end after an interrupt."""


class House:
    """An event loop in a daemon thread, for everybody in this process."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="eduverse-house", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    def wait_for(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run it in the house and block until it is done. An interrupt ends the work, too, before it goes on."""
        if threading.current_thread() is self._thread:
            work.close()
            raise RuntimeError("the house's own thread cannot wait for itself; await the work instead")
        ended = threading.Event()

        async def to_the_end() -> Result:
            try:
                return await work
            finally:
                ended.set()

        future = asyncio.run_coroutine_threadsafe(to_the_end(), self.loop)
        try:
            return future.result()
        except BaseException:
            if future.cancel():
                ended.wait(_PATIENCE)
            raise

    async def join(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Await work that has to run in the house, from whatever loop this is."""
        if asyncio.get_running_loop() is self.loop:
            return await work
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self.loop))


@cache
def house() -> House:
    """The house of this process, opened when somebody first has to wait."""
    if hasattr(os, "register_at_fork"):  # a forked child inherits the house, but not the thread that lives in it
        os.register_at_fork(after_in_child=house.cache_clear)
    return House()
