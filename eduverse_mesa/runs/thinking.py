"""Waiting that can be watched and broken off: who is asked, who has answered, and an end to it from another thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import Condition
from typing import NamedTuple

from eduverse_mesa.decisions import Answer, Decision
from eduverse_mesa.policies import AnyPolicy
from eduverse_mesa.policies.driver import answer_async
from eduverse_mesa.policies.noticing import noticing
from eduverse_mesa.policies.waiting import house
from eduverse_mesa.runs.breaking_off import BrokenOffError
from eduverse_mesa.runs.turnstile import Turnstile

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
        """Who is being waited for."""
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
        errand = house().errand(noticing(lambda: answer_async(self._policy, decisions), self._notice))
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
