"""Facts learned about servers, kept beside the answers: each with its date, so that it is found out again in time."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from eduverse_mesa.policies.llm.calling.cache import AnswerCache

HOUR, DAY = 3600.0, 86400.0


class _Kept(msgspec.Struct, frozen=True):
    """A fact as it stands in the file."""

    value: str
    until: float
    """Seconds since 1970."""


class Facts:
    """Facts by name. Without a cache they live as long as this object."""

    def __init__(self, cache: AnswerCache | None = None, clock: Callable[[], float] = time.time) -> None:
        self._cache = cache
        self._clock = clock
        self._known: dict[str, _Kept] = {}

    def get(self, name: str) -> str | None:
        """The fact, where it is known and not too old."""
        kept = self._known.get(name)
        if kept is None and self._cache is not None:
            kept = _read(self._cache.fact(name))
            if kept is not None:
                self._known[name] = kept
        return kept.value if kept is not None and kept.until > self._clock() else None

    async def learn(self, name: str, value: str, lasts: float) -> None:
        """Keep a fact for so many seconds."""
        kept = _Kept(value, self._clock() + lasts)
        self._known[name] = kept
        if self._cache is not None:
            await self._cache.learn(name, msgspec.json.encode(kept).decode())


def _read(text: str | None) -> _Kept | None:
    try:
        return None if text is None else msgspec.json.decode(text, type=_Kept)
    except (msgspec.DecodeError, ValueError):
        return None  # an earlier version's, without a date
