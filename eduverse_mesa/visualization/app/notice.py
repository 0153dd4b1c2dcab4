"""Telling pages that something changed, without ever making whoever tells wait for them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol

import solara
from solara.server.kernel_context import get_current_context

Stop = Callable[[], None]


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
        self._listeners: dict[object, Callable[..., None]] = {}
        self._door = threading.Lock()

    def listen(self, heard: Callable[..., None]) -> Stop:
        """Call `heard` at each change, until what is returned is called."""
        ticket = object()
        with self._door:
            self._listeners[ticket] = heard

        def stop() -> None:
            with self._door:
                self._listeners.pop(ticket, None)

        return stop

    def tell(self, *_: Any) -> None:
        """Something has changed."""
        with self._door:
            self.told += 1
            listeners = list(self._listeners.values())
        for heard in listeners:
            heard()


def use_live(source: Source | None, rest: float = 0.0) -> int:
    """Draw this component again whenever the source says so; returns how often it has.

    The drawing is done by a thread of this component: changes that come faster than it can draw are drawn as one, and
    nobody who tells is held up. After each drawing it rests for so many seconds.
    """
    seen, set_seen = solara.use_state(0)
    drawn = getattr(source, "told", None)

    def subscribe() -> Callable[[], None] | None:
        if source is None:
            return None
        context = get_current_context()
        changed, over = threading.Event(), threading.Event()

        def draw() -> None:
            while not over.is_set():
                changed.wait()
                changed.clear()
                if over.is_set():
                    return
                with context:
                    set_seen(lambda count: count + 1)
                over.wait(rest)

        stop = source.listen(lambda *_: changed.set())
        if getattr(source, "told", None) != drawn:  # between the first drawing and this moment
            changed.set()
        threading.Thread(target=draw, name="eduverse-page", daemon=True).start()

        def end() -> None:
            stop()
            over.set()
            changed.set()

        return end

    solara.use_effect(subscribe, [source])
    return int(seen)
