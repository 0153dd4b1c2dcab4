"""One at a time, in the order in which they came: whoever moves the lesson, and whoever looks at it."""

from __future__ import annotations

from collections import deque
from threading import Condition


class Turnstile:
    """A lock that is fair: a lesson at full speed does not shut out who looks on, nor they the lesson."""

    def __init__(self) -> None:
        self._bell = Condition()
        self._queue: deque[object] = deque()
        self._busy = False

    @property
    def awaited(self) -> bool:
        """Somebody wants to come in."""
        return bool(self._queue)

    def enter(self) -> None:
        """Wait for the turn."""
        me = object()
        with self._bell:
            self._queue.append(me)
            self._bell.wait_for(lambda: not self._busy and self._queue[0] is me)
            self._queue.popleft()
            self._busy = True

    def leave(self) -> None:
        """Let the next one in."""
        with self._bell:
            self._busy = False
            self._bell.notify_all()
