"""Live numbers of what goes to a server and comes back."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field

from eduverse_mesa.decisions import Bill

_LATENCIES = 10_000


@dataclass
class Meter:
    """Counts from the first call on."""

    requests: int = 0
    """What was sent, retries and probes included."""
    answers: int = 0
    retries: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    """Attempts that brought no answer, by what happened."""
    given_up: int = 0
    """Calls that ended without an answer."""
    cache_hits: int = 0
    merged: int = 0
    """Calls that waited for an identical one."""
    bill: Bill = field(default_factory=Bill)
    """What all of them took, whoever pays."""
    in_flight: int = 0
    """Requests that are out."""
    limit: int = 0
    """How many may be."""
    busy_seconds: float = 0.0
    """Time in which at least one request was out."""
    server_seconds: float = 0.0
    """Latencies of all requests, added: divided by slots, the least time that they could take."""
    latencies: deque[float] = field(default_factory=lambda: deque(maxlen=_LATENCIES))
    """The newest, in seconds."""
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)
    _busy_since: float = field(default=0.0, repr=False)

    def sent(self, *, again: bool) -> float:
        """A request goes out; gives its time."""
        now = self.clock()
        if not self.in_flight:
            self._busy_since = now
        self.in_flight += 1
        self.requests += 1
        self.retries += again
        return now

    def ended(self, since: float) -> float:
        """A request came back, one way or another; gives its latency."""
        now = self.clock()
        self.in_flight -= 1
        if not self.in_flight:
            self.busy_seconds += now - self._busy_since
        self.server_seconds += now - since
        self.latencies.append(now - since)
        return now - since
