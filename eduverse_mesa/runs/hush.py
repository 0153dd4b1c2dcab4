"""A lock under which seats change, and nobody is told of it before it is free again."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock, get_ident


class Hush:
    """Whoever is told may ask for anything, and wait for locks of its own: so it is never told under this one.

    It is not taken twice by one thread.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._lock = Lock()
        self._owner: int | None = None
        self._waiting: list[str] = []

    def __enter__(self) -> None:
        self._lock.acquire()
        self._owner = get_ident()

    def __exit__(self, *_: object) -> None:
        waiting, self._waiting = self._waiting, []
        self._owner = None
        self._lock.release()
        for agent in dict.fromkeys(waiting):
            self._tell(agent)

    def tell(self, agent: str) -> None:
        """Something is new at this agent's seat: told at once, or when the lock that this thread holds is free."""
        if self._owner == get_ident():
            self._waiting.append(agent)
        else:
            self._tell(agent)
