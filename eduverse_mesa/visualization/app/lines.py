"""One line for each page: a page that comes back before its broken line was noticed takes that line's place.

Solara counts a page as gone when any of its connections ends. Where the end of the old one came after the new one had
begun, the page in use was taken for one that nobody looks at, and ended some minutes later with all that was on it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple

import anyio

from eduverse_mesa.visualization.app.traffic import Event, Receive

_PATIENCE = 20.0
"""Seconds that the old line has to end: what it was asked last may take a while."""
_ENDED: Event = {"type": "websocket.disconnect", "code": 1012}


class Page(NamedTuple):
    """A page as a connection names it."""

    browser: str
    kernel: str
    name: str


class _Line:
    """A connection, until another of the same page takes its place."""

    def __init__(self) -> None:
        self.taken = anyio.Event()
        self.over = anyio.Event()
        self._open = False

    def hearing(self, receive: Receive) -> Receive:
        """What comes over this line; its end, when it is taken."""

        async def hear() -> Event:
            if not self._open:
                self._open = True  # the handshake comes first, always
                return await receive()
            heard = _ENDED
            async with anyio.create_task_group() as group:

                async def watch() -> None:
                    await self.taken.wait()
                    group.cancel_scope.cancel()

                group.start_soon(watch)
                if not self.taken.is_set():
                    heard = await receive()
                group.cancel_scope.cancel()
            return heard

        return hear


class Lines:
    """The lines of all pages."""

    def __init__(self) -> None:
        self._held: dict[Page, _Line] = {}

    def end(self, page: Page) -> None:
        """End this page's line: another needs its place."""
        line = self._held.get(page)
        if line is not None:
            line.taken.set()

    async def hold(self, page: Page, receive: Receive, serve: Callable[[Receive], Awaitable[None]]) -> None:
        """Serve a page over this line, as soon as the one before it has ended."""
        line, before = _Line(), self._held.get(page)
        self._held[page] = line
        try:
            if before is not None:
                before.taken.set()
                with anyio.move_on_after(_PATIENCE):
                    await before.over.wait()
            await serve(line.hearing(receive))
        finally:
            line.over.set()
            if self._held.get(page) is line:
                del self._held[page]
