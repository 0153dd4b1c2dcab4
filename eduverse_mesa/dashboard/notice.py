"""Telling pages that something changed, without ever making whoever tells wait for them."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Protocol

import solara
from solara.server.kernel_context import VirtualKernelContext, get_current_context, without_context

from eduverse_mesa.runs.events import Listeners

Stop = Callable[[], None]
_LOG = logging.getLogger(__name__)
_GLANCE = 60.0
"""Seconds after which a thread that nobody asks looks whether its page is still there."""


class Source(Protocol):
    """Something that says when it has changed."""

    def listen(self, heard: Callable[..., None]) -> Stop:
        """Call `heard` at each change, until what is returned is called."""
        ...


class Notice:
    """A source for whoever has something to say."""

    def __init__(self) -> None:
        self.told = 0
        """How often something has changed."""
        self._listeners: Listeners[int] = Listeners()
        self._door = threading.Lock()

    def listen(self, heard: Callable[..., None]) -> Stop:
        """Call `heard` at each change, until what is returned is called."""
        return self._listeners.add(lambda _: heard())

    def tell(self, *_: Any) -> None:
        """Something has changed."""
        with self._door:
            self.told += 1
            now = self.told
        self._listeners.tell(now)


@dataclass
class _Wish:
    """A component that wants to be drawn again when something has changed."""

    draw: Callable[[], None]
    rest: float
    asked: bool = False
    ready: float = 0.0
    """When it may be drawn next."""


class Painter:
    """The one thread that draws a page again, for all components of it that are live.

    Changes that come faster than it can draw are drawn as one, and nobody who tells is held up. It ends with the last
    component that is live, and draws nothing for a page that is closed.
    """

    def __init__(self, page: VirtualKernelContext) -> None:
        self.page = page
        self._wishes: dict[object, _Wish] = {}
        self._bell = threading.Condition()
        self._painting = False

    def join(self, draw: Callable[[], None], rest: float) -> tuple[Callable[[], None], Stop]:
        """Return a function that asks for a drawing, and one that ends the asking."""
        ticket, wish = object(), _Wish(draw, rest)

        def ask() -> None:
            with self._bell:
                wish.asked = True
                self._bell.notify()

        def end() -> None:
            with self._bell:
                self._wishes.pop(ticket, None)
                self._bell.notify()

        with self._bell:
            self._wishes[ticket] = wish
            if not self._painting:
                self._painting = True
                # A thread that Solara takes for the page's own is struck off its list when it ends. This one ends while
                # the page is closed, and Solara, which goes through that list then, would stumble over what is gone.
                with without_context():
                    threading.Thread(target=self._paint, name="eduverse-page", daemon=True).start()
        return ask, end

    def _paint(self) -> None:
        while (due := self._due()) is not None:
            # What is quick first, and at once: parts of a page that show the same moment change together.
            for rests in (False, True):
                self._draw([(ticket, wish) for ticket, wish in due if (wish.rest > 0) is rests])

    def _draw(self, wishes: list[tuple[object, _Wish]]) -> None:
        """One pass for all of them. What the browser says meanwhile is heard after it, as messages are heard one after
        the other: else a click would reach a button of a moment ago, which does not know what was typed just before."""
        if not wishes:
            return
        with self.page.lock:
            if self.page.closed_event.is_set():
                return
            drawing = self.page.app_object
            try:
                with self.page, drawing if drawing is not None else nullcontext():
                    for ticket, wish in wishes:
                        if ticket in self._wishes:
                            self._mark(wish)
            except Exception:
                _LOG.exception("a page could not be drawn")
        for _, wish in wishes:
            wish.ready = time.monotonic() + wish.rest

    def _mark(self, wish: _Wish) -> None:
        try:
            wish.draw()
        except Exception:
            _LOG.exception("a part of a page could not be drawn")

    def _due(self) -> list[tuple[object, _Wish]] | None:
        """Wait for what is to be drawn now; None where nothing ever will be."""
        with self._bell:
            while self._wishes and not self.page.closed_event.is_set():
                now = time.monotonic()
                asked = [(ticket, wish) for ticket, wish in self._wishes.items() if wish.asked]
                due = [(ticket, wish) for ticket, wish in asked if wish.ready <= now]
                if due:
                    for _, wish in due:
                        wish.asked = False
                    return due
                self._bell.wait(min((wish.ready - now for _, wish in asked), default=_GLANCE))
            self._painting = False
            return None


_PAINTERS: dict[str, Painter] = {}
_DOOR = threading.Lock()


def painter_of(page: VirtualKernelContext) -> Painter:
    """The thread that draws this page; forgotten when the page is closed."""
    with _DOOR:
        painter = _PAINTERS.get(page.id)
        if painter is not None and painter.page is page:
            return painter
        painter = _PAINTERS[page.id] = Painter(page)

    def forget() -> None:
        with _DOOR:
            if _PAINTERS.get(page.id) is painter:
                del _PAINTERS[page.id]

    page.on_close(forget)
    return painter


def use_live(source: Source | None, rest: float = 0.0) -> int:
    """Draw this component again whenever the source says so; returns how often it has.

    The drawing is done by the page's painter. After each drawing this component rests for so many seconds.
    """
    seen, set_seen = solara.use_state(0)
    drawn = getattr(source, "told", None)

    def subscribe() -> Stop | None:
        if source is None:
            return None
        ask, forget = painter_of(get_current_context()).join(lambda: set_seen(lambda count: count + 1), rest)
        stop = source.listen(lambda *_: ask())
        if getattr(source, "told", None) != drawn:  # between the first drawing and this moment
            ask()

        def end() -> None:
            stop()
            forget()

        return end

    solara.use_effect(subscribe, [source])
    return int(seen)
