"""How long to wait before trying again.

Full jitter: a wait drawn evenly from nothing to a bound that doubles (Brooker, "Exponential backoff and jitter", AWS
Architecture Blog, 2015), so that calls that failed together do not come back together.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

LONGEST_PAUSE = 60.0
"""Seconds for which a server is left alone at most, however long a wait it asks for."""


@dataclass(frozen=True)
class Backoff:
    """Waits between attempts, in seconds."""

    base: float = 0.5
    longest: float = 20.0
    attempts: int = 5
    """Attempts of one call in all."""
    limited_attempts: int = 12
    """Attempts where the server only asks for less: it is there, and it pays to wait."""
    draw: Callable[[], float] = field(default_factory=lambda: random.Random().random)

    def wait(self, failures: int, asked: float | None = None) -> float:
        """The wait after so many failures; `asked` is what the server asked for, never undercut up to LONGEST_PAUSE."""
        bound = min(self.longest, self.base * 2.0 ** min(failures - 1, 30))
        if asked is None:
            return self.draw() * bound
        return min(asked, LONGEST_PAUSE) + self.draw() * min(bound, self.base)


def retry_after(value: str | None, milliseconds: str | None = None, *, cap: float = 86_400.0) -> float | None:
    """What a server asks for in `Retry-After`: seconds or a date, up to a day. None where it asks for nothing sensible,
    such as a negative wait."""
    seconds = _seconds(milliseconds)
    seconds = _until(value) if seconds is None else seconds / 1000
    if seconds is None or not seconds >= 0:
        return None
    return min(seconds, cap)


def _seconds(value: str | None) -> float | None:
    try:
        return float(value) if value else None
    except ValueError:
        return None


def _until(value: str | None) -> float | None:
    seconds = _seconds(value)
    if seconds is not None or not value:
        return seconds
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return (date - datetime.now(UTC)).total_seconds()
