"""One worker process, as its parent holds it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from typing import IO

import msgspec

from eduverse_mesa.experiments.engines.frames import BEGUN, Order, Reply, read_frame, write_frame
from eduverse_mesa.policies.sharing import SHARERS, count_sharers

_WORKER = "eduverse_mesa.experiments.engines.worker"
_DYING = 5.0
"""Seconds between a process's last word and its end."""


class Died(Enum):
    """When a worker has died."""

    BEFORE = "before it began"
    OVER_IT = "over its work"


class Process:
    """A worker: it is asked, answers, or dies over it."""

    def __init__(self, sharers: int) -> None:
        self._process = subprocess.Popen(
            # -P: the folder one happens to stand in is not searched before what the parent searches.
            [sys.executable, "-P", "-m", _WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=_environment(sharers),
            start_new_session=True,  # Ctrl-C in a terminal goes to all of a session
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._orders: IO[bytes] = self._process.stdin
        self._replies: IO[bytes] = self._process.stdout
        self._late = ""

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    def ask(self, order: Order, timeout: float | None) -> Reply | Died:
        """What it answers, if it does not die before, or is ended for taking longer than `timeout` seconds."""
        try:
            write_frame(self._orders, msgspec.msgpack.encode(order))
            if read_frame(self._replies) != BEGUN:
                return Died.BEFORE
            with self._limit(timeout):
                frame = read_frame(self._replies)
        except (OSError, ValueError):  # ended by its side, or closed by ours
            return Died.BEFORE
        return Died.OVER_IT if frame is None else msgspec.msgpack.decode(frame, type=Reply)

    @contextmanager
    def _limit(self, timeout: float | None) -> Iterator[None]:
        if timeout is None:
            yield
            return
        clock = threading.Timer(timeout, self._end_late, (timeout,))
        clock.daemon = True
        clock.start()
        try:
            yield
        finally:
            clock.cancel()

    @property
    def alive(self) -> bool:
        """Whether it can be asked again."""
        return not self._late and self._process.poll() is None

    @property
    def late(self) -> bool:
        """Whether it was ended for taking too long."""
        return bool(self._late)

    def bury(self) -> str:
        """Clear away one that has stopped answering, and say how it ended."""
        with suppress(subprocess.TimeoutExpired):  # it lives, but its stream is closed
            self._process.wait(_DYING)
        return self.end()

    def end(self) -> str:
        """End it, at once, and say how it ended."""
        self._process.kill()
        code = self._process.wait()
        for stream in (self._orders, self._replies):
            with suppress(OSError):  # what was not sent any more
                stream.close()
        return self._late or _in_words(code)

    def kill(self) -> None:
        """End it without waiting: who is asking it sees it die."""
        self._process.kill()

    def _end_late(self, timeout: float) -> None:
        self._late = f"a time limit of {timeout:g} s"
        self._process.kill()


def _in_words(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


def _environment(sharers: int) -> dict[str, str]:
    """The parent's, with its places to import from, and how many share what it may ask of a model's server."""
    places = [place or os.getcwd() for place in sys.path]  # noqa: PTH109 - '' means just this
    return {**os.environ, "PYTHONPATH": os.pathsep.join(places), SHARERS: str(sharers * count_sharers())}
