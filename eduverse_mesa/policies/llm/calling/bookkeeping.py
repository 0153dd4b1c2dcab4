"""A bill written down as it changes, so that a program that is killed leaves it behind."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import Lock

from eduverse_mesa.decisions import Bill


class Bookkeeper:
    """Writes a ledger's bill wherever it is kept. Changes that come together are written together."""

    def __init__(self, bill: Callable[[], Bill], write: Callable[[str], None]) -> None:
        self._bill = bill
        self._write = write
        self._turn = Lock()  # what is written later was read later
        self._written = Bill().write()
        self._now: asyncio.Task[None] | None = None
        self._next: asyncio.Task[None] | None = None

    def write(self) -> None:
        """Write it now, where it has changed."""
        with self._turn:
            text = self._bill().write()
            if text != self._written:
                self._write(text)
                self._written = text

    async def written(self) -> None:
        """Return when what stands in the bill by now is written; raises what kept it from being written."""
        await asyncio.shield(self._coming())

    def write_soon(self) -> None:
        """Have it written without waiting for that; who waits next hears of any trouble."""
        self._coming()

    def _coming(self) -> asyncio.Task[None]:
        """The next writing: the one that is under way may not know of the newest changes."""
        if self._next is None:
            self._next = asyncio.get_running_loop().create_task(self._after(self._now))
            self._next.add_done_callback(_see)
        return self._next

    async def _after(self, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait([before])
        self._now, self._next = self._next, None
        await asyncio.to_thread(self.write)


def _see(task: asyncio.Task[None]) -> None:
    if not task.cancelled():
        task.exception()
