"""Threads that were told to end and still have something to write: whoever ends the process waits for them."""

from __future__ import annotations

import time
from threading import Lock, Thread
from weakref import WeakSet

_ENDING: WeakSet[Thread] = WeakSet()
_DOOR = Lock()


def note_ending(thread: Thread) -> None:
    """This one was told to end."""
    with _DOOR:
        _ENDING.add(thread)


def wait_for_ending(seconds: float) -> None:
    """Wait until all of them have ended, for so long at most; one that nobody has told to end keeps nobody waiting."""
    deadline = time.monotonic() + seconds
    with _DOOR:
        threads = list(_ENDING)
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
