"""A circuit breaker: a server that fails again and again is left alone for a while (Nygard, "Release It!", 2007)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from eduverse_mesa.policies.llm.calling.failures import Failure
from eduverse_mesa.policies.llm.calls import CallFailedError


@dataclass(slots=True, eq=False)
class Leave:
    """Leave to send one request."""

    since: float
    trial: asyncio.Future[None] | None = None
    """Others wait for what becomes of this request."""
    call: object = None
    """Whose request it is."""


class Breaker:
    """Counts failures in a row. One incident that hits many calls in flight at once counts once; and one call that a
    server cannot stand, however often it is tried, is no reason to give up on all the others."""

    def __init__(
        self, after: int = 5, calls: int = 4, rest: float = 10.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._after = after
        self._calls = min(calls, after)
        self._rest = rest
        self._clock = clock
        self._failures = 0
        self._failing: set[object] = set()
        self._last_counted = float("-inf")
        self._open_until = 0.0
        self._cause: Failure | None = None
        self._trial: asyncio.Future[None] | None = None

    @property
    def is_open(self) -> bool:
        """Whether calls are turned away."""
        return self._failures >= self._after and len(self._failing) >= self._calls

    async def enter(self, call: object = None) -> Leave:
        """Ask to send a request of this call. After a rest, one request tries for all the others; they wait for it."""
        while self.is_open:
            if self._trial is not None:
                await asyncio.wait([self._trial])
                continue
            if self._clock() < self._open_until:
                raise self._turned_away()
            self._trial = asyncio.get_running_loop().create_future()
            return Leave(self._clock(), self._trial, call)
        return Leave(self._clock(), None, call)

    def succeeded(self, leave: Leave) -> None:
        """It answered, if only to refuse."""
        self._failures = 0
        self._failing.clear()
        self._end_trial(leave)

    def failed(self, leave: Leave, cause: Failure) -> None:
        """It failed."""
        if leave.trial is not None or leave.since > self._last_counted:
            self._failures += 1
            self._last_counted = self._clock()
        self._failing.add(leave if leave.call is None else leave.call)
        self._cause = cause
        if self.is_open:
            self._open_until = self._clock() + self._rest
        self._end_trial(leave)

    def withdrawn(self, leave: Leave) -> None:
        """The request ended without saying anything about the server."""
        self._end_trial(leave)

    def _end_trial(self, leave: Leave) -> None:
        if leave.trial is not None:
            self._trial = None
            if not leave.trial.done():
                leave.trial.set_result(None)

    def _turned_away(self) -> CallFailedError:
        why = f": {self._cause.reason}" if self._cause is not None else ""
        mend = self._cause.mend if self._cause is not None else ""
        return CallFailedError(
            f"the server keeps failing and is left alone for a while{why}",
            "endpoint",
            attempts=0,
            mend=mend or "Check that the server runs.",
        )
