"""Limits on calls to a server: the number that may be out at once, waits before retries, and a breaker for failures.

The number is found by trying, as TCP finds its window (Jacobson, SIGCOMM 1988).

Slow start: as long as nobody complains, each answer to a call that was out in a full house opens one more slot, so that
the limit doubles with every round of calls. A rate limit halves it, once per episode however many calls were hit; from
there on it grows by one slot per round. A server that fails (5xx) says nothing about how much it can take, and changes
nothing.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from eduverse_mesa.policies.llm.calling.failures import Failure
from eduverse_mesa.policies.llm.calls import CallFailedError

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
    """Return the wait in seconds that a server asks for in `Retry-After`, as seconds or a date, up to a day. None if it
    asks for nothing sensible, such as a negative wait."""
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


@dataclass(slots=True)
class Slot:
    """Leave to have one call out."""

    episode: int
    turn: int
    """The how-manieth it is."""
    paused: float = 0.0
    """Seconds for which the server's pauses have held it up."""


_FORGOTTEN = 2 * LONGEST_PAUSE
"""Seconds after which a rate limit is a new one."""


class PausedError(Exception):
    """The server wants to be left alone for longer than a call can wait."""

    def __init__(self, asked: float, *, hopeless: bool) -> None:
        super().__init__(f"the server asks for a wait of {asked:g} s")
        self.asked = asked
        self.hopeless = hopeless
        """It has said nothing else for longer than a call may take."""


@dataclass(slots=True, eq=False)
class _Waiting:
    """A call in the queue."""

    slot: asyncio.Future[Slot]
    since: float
    """Seconds of pauses before it came."""
    patience: float
    """Seconds of pauses that it can wait through."""
    hope: float
    """Seconds for which the server may say nothing but that it is too much."""


class Limiter:
    """Slots in the order of asking; shared by all classrooms that use one server."""

    def __init__(
        self, start: int = 8, most: int = 256, least: int = 1, clock: Callable[[], float] = time.monotonic
    ) -> None:
        if not 1 <= least <= start <= most:
            raise ValueError("1 <= least <= start <= most must hold")
        self.most = most
        self.answers = 0
        """Answers so far."""
        self._least = least
        self._limit = float(start)
        self._threshold = float(most)
        self._clock = clock
        self._out = 0
        self._given = 0
        self._full = 0
        """Slots given until the limit was reached last."""
        self._episode = 0
        self._paused_until = 0.0
        self._pauses = 0.0
        """Seconds of all pauses, that which goes on to its end."""
        self._asked = 0.0
        """Seconds that the server asked for last."""
        self._refused_since: float | None = None
        """When the server began to say nothing but that it is too much."""
        self._refused_last = 0.0
        self._alarm: asyncio.TimerHandle | None = None
        self._queue: deque[_Waiting] = deque()

    @property
    def limit(self) -> int:
        """Calls that may be out at once now."""
        return min(int(self._limit), self.most)

    @property
    def out(self) -> int:
        """Calls that are out."""
        return self._out

    @property
    def refusing(self) -> float:
        """Seconds for which the server has answered nothing but that it is too much."""
        return 0.0 if self._refused_since is None else self._clock() - self._refused_since

    async def acquire(self, *, ahead: bool = False, patience: float = math.inf, hope: float = math.inf) -> Slot:
        """Wait for a slot; a call that has waited before goes `ahead`.

        `patience`: seconds of the server's pauses that the call can wait through; `hope`: seconds for which the server
        may answer nothing but that it is too much. PausedError where they take longer.
        """
        if not self._queue and self._out < self.limit and self._paused_until <= self._clock():
            return self._give()
        waiting = _Waiting(asyncio.get_running_loop().create_future(), self._paused(), patience, hope)
        if late := self._late(waiting):
            raise late
        if ahead:
            self._queue.appendleft(waiting)
        else:
            self._queue.append(waiting)
        self._hand_out()
        try:
            return await waiting.slot
        except asyncio.CancelledError:
            if waiting.slot.done() and not waiting.slot.cancelled():
                if waiting.slot.exception() is None:
                    self.release()
            else:
                with suppress(ValueError):  # it may have been passed over already
                    self._queue.remove(waiting)
            raise

    def release(self) -> None:
        """Give a slot back after a call that says nothing about the limit."""
        self._out -= 1
        self._hand_out()

    def succeeded(self, slot: Slot) -> None:
        """Give a slot back after an answer."""
        self.answers += 1
        self._refused_since = None
        if slot.turn <= self._full and slot.episode == self._episode:
            step = 1.0 if self._limit < self._threshold else 1.0 / self._limit
            self._limit = min(float(self.most), self._limit + step)
        self.release()

    def limited(self, slot: Slot, wait: float | None) -> None:
        """Give a slot back after the server asked for less; it may ask us to wait before anything else is sent, which
        is done for a minute at most. Whoever cannot wait so long is turned away at once."""
        if slot.episode == self._episode:
            self._episode += 1
            self._limit = max(float(self._least), min(self._limit, self._out) / 2)
            self._threshold = self._limit
        now = self._clock()
        if self._refused_since is None or now - self._refused_last > _FORGOTTEN:
            self._refused_since = now
        self._refused_last = now
        if wait:
            until = max(self._paused_until, now + min(wait, LONGEST_PAUSE))
            self._pauses += until - max(self._paused_until, now)
            self._paused_until, self._asked = until, wait
            self._turn_away()
        self.release()

    def _paused(self) -> float:
        """Seconds of pauses up to now."""
        return self._pauses - max(0.0, self._paused_until - self._clock())

    def _late(self, waiting: _Waiting) -> PausedError | None:
        """Why a call need not wait until the end of the pause; None where it can, or where there is none."""
        if self._paused_until <= self._clock():
            return None
        since = self._paused_until if self._refused_since is None else self._refused_since
        hopeless = self._paused_until - since > waiting.hope
        if hopeless or self._pauses - waiting.since > waiting.patience:
            return PausedError(self._asked, hopeless=hopeless)
        return None

    def _turn_away(self) -> None:
        """Tell those who cannot wait until the end of the pause."""
        for waiting in self._queue:
            if (late := self._late(waiting)) and not waiting.slot.done():
                waiting.slot.set_exception(late)
        self._queue = deque(waiting for waiting in self._queue if not waiting.slot.done())

    def _hand_out(self) -> None:
        pause = self._paused_until - self._clock()
        if pause > 0:
            if self._queue and self._alarm is None:
                self._alarm = asyncio.get_running_loop().call_later(pause, self._wake)
            return
        while self._queue and self._out < self.limit:
            waiting = self._queue.popleft()
            if not waiting.slot.done():
                waiting.slot.set_result(self._give(self._paused() - waiting.since))

    def _give(self, paused: float = 0.0) -> Slot:
        self._out += 1
        self._given += 1
        if self._out >= self.limit:
            self._full = self._given
        return Slot(self._episode, self._given, paused)

    def _wake(self) -> None:
        self._alarm = None
        self._hand_out()


@dataclass(slots=True, eq=False)
class Leave:
    """Leave to send one request."""

    since: float
    trial: asyncio.Future[None] | None = None
    """Others wait for what becomes of this request."""
    call: object = None
    """Call that the request belongs to."""


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
        """True if calls are turned away."""
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
