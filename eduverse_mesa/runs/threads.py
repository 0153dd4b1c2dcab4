"""Threads of runs that somebody watches: locks, waits that can be watched and stopped, and ends."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import Condition, Lock, Thread, get_ident
from typing import NamedTuple
from weakref import WeakSet

from eduverse_mesa.decisions import Answer, Decision
from eduverse_mesa.errors import EduverseError, LessonError
from eduverse_mesa.policies import AnyPolicy
from eduverse_mesa.policies.background_loop import shared_loop
from eduverse_mesa.policies.driver import answer_async, noticing
from eduverse_mesa.runs.recording import Until

_LOG = logging.getLogger(__name__)


class BrokenOffError(Exception):
    """The lesson was stopped: the step it was in is not taken."""


def explain(error: BaseException, run: str, head: Until) -> EduverseError:
    """Return the error that a person is told; an error that nobody has foreseen is written to the log as a whole."""
    if isinstance(error, EduverseError):
        return error
    lesson, step = head
    _LOG.error("run %s broke off after lesson %d, step %d", run, lesson, step, exc_info=error)
    broken = LessonError(
        f"the lesson broke off after step {step} of lesson {lesson} ({type(error).__name__}: {error}).",
        mend="This is a mistake of the program; its log says more. The steps before it are complete: go on from them.",
    )
    broken.__cause__ = error
    return broken


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


_PATIENCE = 5.0
"""Seconds that a policy has to put its things away when the waiting is broken off."""
_AT_ONCE = 0.02
"""Seconds within which an answer comes at once: nobody is said to think, and nobody has to be told."""


class Thinking(NamedTuple):
    """Somebody who was asked and has not answered yet."""

    agent: str
    kind: str
    since: float
    """By time.monotonic()."""


class Watched:
    """A policy that has to wait, as one that ordinary code asks. The room is left to others meanwhile, and `changed` is
    called in the thread that asks."""

    def __init__(self, policy: AnyPolicy, bell: Condition, room: Turnstile, changed: Callable[[], None]) -> None:
        self.name = policy.name
        self._policy = policy
        self._bell = bell
        self._room = room
        self._changed = changed
        self._out: dict[int, Thinking] = {}
        self._long = self._news = False
        self._stopped = False

    @property
    def out(self) -> tuple[Thinking, ...]:
        """Those who are being waited for."""
        with self._bell:
            return tuple(self._out.values()) if self._long else ()

    def stop(self) -> None:
        """Break the waiting off, now and for good; can be called from any thread."""
        with self._bell:
            self._stopped = True
            self._bell.notify_all()

    def answer(self, decisions: Sequence[Decision]) -> Sequence[Answer]:
        """The answers, when they are there."""
        now = time.monotonic()
        with self._bell:
            self._out = {id(one): Thinking(one.agent, one.kind, now) for one in decisions}
        errand = shared_loop().errand(noticing(lambda: answer_async(self._policy, decisions), self._notice))
        try:
            future = errand.begin()
            future.add_done_callback(lambda _: self._ring())
            with self._bell:
                self._bell.wait_for(lambda: future.done() or self._stopped, _AT_ONCE)
            if not future.done():
                self._wait_long(future)
            return future.result()
        except BaseException:
            errand.stop()
            errand.ended.wait(_PATIENCE)
            raise
        finally:
            with self._bell:
                self._out = {}

    def _wait_long(self, future: Future[Sequence[Answer]]) -> None:
        self._room.leave()  # while it waits, nothing moves
        self._long = self._news = True
        try:
            while not future.done():
                with self._bell:
                    self._bell.wait_for(lambda: future.done() or self._stopped or self._news)
                    news, self._news = self._news, False
                if self._stopped:
                    raise BrokenOffError
                if news:
                    self._changed()
        finally:
            self._long = False
            self._room.enter()
            self._changed()

    def _ring(self) -> None:
        with self._bell:
            self._bell.notify_all()

    def _notice(self, decision: Decision) -> None:
        with self._bell:
            if self._out.pop(id(decision), None) is not None:
                self._news = True
                self._bell.notify_all()


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


class Hush:
    """A lock under which nobody is told anything: a listener may ask for anything, and wait for locks of its own, so it
    is told when the lock is free again.
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
