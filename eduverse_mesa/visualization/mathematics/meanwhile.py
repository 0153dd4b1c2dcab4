"""What the server knows only while it runs: passwords that are not printed yet, and what was just done."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from threading import Lock
from typing import NamedTuple

from eduverse_mesa.store.naming import alike

SITTING = 2 * 3600.0
"""Seconds after the last of them for which slips are kept: who has gone home has left the page open."""
_MOST = 1000


class Slip(NamedTuple):
    """Who logs in, and with what."""

    name: str
    password: str


class Slips:
    """Passwords that a teacher has made and not printed yet: of a study they cannot be read, since only hashes of them
    are kept there. They never leave memory, but on her pages."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: dict[str, tuple[float, dict[str, Slip]]] = {}

    def put(self, teacher: str, made: Iterable[tuple[str, str]], now: float) -> None:
        """These beside the earlier ones of her sitting; one whose password is new takes the place of its old one."""
        with self._lock:
            new = {alike(name): Slip(name, password) for name, password in made}
            if new:
                self._kept[teacher] = (
                    now,
                    new | {key: one for key, one in self._of(teacher, now).items() if key not in new},
                )

    def of(self, teacher: str, now: float) -> list[Slip]:
        """Hers, the latest first."""
        with self._lock:
            return list(self._of(teacher, now).values())

    def _of(self, teacher: str, now: float) -> dict[str, Slip]:
        for one in [one for one, (at, _) in self._kept.items() if now - at > SITTING]:
            del self._kept[one]
        return self._kept.get(teacher, (now, {}))[1]

    def clear(self, teacher: str) -> None:
        """She has them."""
        with self._lock:
            self._kept.pop(teacher, None)

    def take_out(self, name: str) -> None:
        """Whoever this was is erased."""
        with self._lock:
            for _, slips in self._kept.values():
                slips.pop(alike(name), None)


class Notes:
    """What was just done, for the next page that the same login asks for: a page that was sent on says so."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._notes: OrderedDict[str, str] = OrderedDict()

    def leave(self, login: str, note: str) -> None:
        """For the next page."""
        with self._lock:
            self._notes[login] = note
            while len(self._notes) > _MOST:
                self._notes.popitem(last=False)

    def take(self, login: str) -> str:
        """What there is to say; it is said once."""
        with self._lock:
            return self._notes.pop(login, "")
