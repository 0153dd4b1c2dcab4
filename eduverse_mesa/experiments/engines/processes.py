"""Processes of this machine. One that dies is replaced, and what it was doing is begun again.

Each worker is minded by a thread, which waits for it. Tasks are drawn in the thread that asks for results, and only as
many as keep the workers busy: memory does not grow with the number of tasks.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from itertools import islice
from queue import SimpleQueue
from types import TracebackType
from typing import IO, NamedTuple, Self

import msgspec

from eduverse_mesa.errors import EduverseError, EngineGoneError
from eduverse_mesa.experiments.engines.engine import Finished, Task, Work
from eduverse_mesa.experiments.engines.frames import BEGUN, Order, Reply, read_frame, write_frame
from eduverse_mesa.policies.shared_limit import SHARERS, count_sharers

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
        """Return the worker's reply, or when it died: before it began, or over its work, also by being ended after
        `timeout` seconds."""
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
        """True if the worker can be asked again."""
        return not self._late and self._process.poll() is None

    @property
    def late(self) -> bool:
        """True if the worker was ended for taking too long."""
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


_AHEAD = 2
"""Tasks drawn for each worker: the one it does, and the next."""


_STARTS, _KILLED = 20, 1000
"""Workers that may die one after the other before they have begun anything: by themselves, and killed from outside."""


class _Left(NamedTuple):
    """The engine was left while somebody waits for its results."""


class Processes:
    """Plays tasks in processes of this machine, as many as it has cores."""

    def __init__(self, workers: int | None = None, attempts: int = 5, timeout: float | None = None) -> None:
        """A task whose worker died is begun at most `attempts` times; one that took longer than `timeout` seconds once,
        since it would again."""
        self.workers = count_workers(workers)
        self.attempts = attempts
        self.timeout = timeout
        self._idle: list[Process] = []
        self._crews: set[_Crew] = set()
        self._depth = 0

    @property
    def pids(self) -> list[int]:
        """The processes there are at this moment."""
        busy = [process.pid for crew in list(self._crews) for process in list(crew.busy)]
        return [process.pid for process in list(self._idle)] + busy

    def run(self, work: Work, tasks: Iterable[Task]) -> Generator[Finished, None, None]:
        """Each task's end, as it comes."""
        crew = _Crew(work, self)
        self._crews.add(crew)
        try:
            yield from crew.results(tasks)
        finally:
            self._crews.discard(crew)
            crew.leave()
            if not self._depth:
                self._end_idle()

    def hire(self) -> Process:
        """A worker that is free, or a new one."""
        while self._idle:
            try:
                process = self._idle.pop()
            except IndexError:  # another thread was quicker
                break
            if process.alive:
                return process
            process.end()
        try:
            return Process(self.workers)
        except OSError as error:
            raise EngineGoneError(
                f"no worker can be started ({error.strerror or error}).",
                mend="Take fewer workers, or try again when the machine is less busy.",
            ) from error

    def dismiss(self, process: Process) -> None:
        """A worker that is not needed now."""
        self._idle.append(process)

    def _end_idle(self) -> None:
        while self._idle:
            self._idle.pop().end()

    def __enter__(self) -> Self:
        self._depth += 1
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._depth -= 1
        if self._depth:
            return
        for crew in list(self._crews):
            crew.leave()
        self._end_idle()


def count_workers(wanted: int | None) -> int:
    """Return the number of workers: as many as asked for, or as many as this process may use cores."""
    if wanted is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if wanted < 1:
        raise EduverseError(f"{wanted} workers do nothing.", where="workers", mend="Give a number from 1 on.")
    return wanted


class _Crew:
    """The workers of one run, and the threads that mind them."""

    def __init__(self, work: Work, engine: Processes) -> None:
        self._work = work
        self._engine = engine
        self._todo: SimpleQueue[Task | None] = SimpleQueue()
        self._done: SimpleQueue[Finished | BaseException | _Left] = SimpleQueue()
        self._minders: list[threading.Thread] = []
        self._out = 0
        self._broken = False
        self._left = threading.Event()
        self.busy: set[Process] = set()

    def results(self, tasks: Iterable[Task]) -> Iterator[Finished]:
        """Draw tasks as workers become free, and give what comes back."""
        drawn = iter(tasks)
        while True:
            for task in islice(drawn, _AHEAD * self._engine.workers - self._out):
                self._out += 1
                self._todo.put(task)
                self._mind()
            if not self._out:
                return
            finished = self._done.get()
            if isinstance(finished, BaseException):
                raise finished
            if isinstance(finished, _Left):
                raise RuntimeError("the engine was left before all of its results were taken")
            self._out -= 1
            yield finished

    def leave(self) -> None:
        """Break off what is going on, if anything is, and wait until it has ended."""
        if self._left.is_set():
            return
        self._broken = self._out > 0
        self._left.set()
        for _ in self._minders:
            self._todo.put(None)
        for process in list(self.busy) if self._broken else ():
            process.kill()
        for minder in self._minders:
            minder.join()
        self._done.put(_Left())

    def _mind(self) -> None:
        """One more thread, as long as there are fewer than workers."""
        if len(self._minders) < self._engine.workers:
            minder = threading.Thread(target=self._serve, name="eduverse worker", daemon=True)
            self._minders.append(minder)
            minder.start()

    def _serve(self) -> None:
        process: Process | None = None
        try:
            while not self._left.is_set() and (task := self._todo.get()) is not None:
                process, finished = self._finish(process, task)
                if finished is not None:
                    self._done.put(finished)
        except BaseException as error:  # of ours, or of a machine that makes no process any more: who waits hears of it
            self._done.put(error)
        finally:
            if process is not None:
                self.busy.discard(process)
                if self._broken:
                    process.end()
                else:
                    self._engine.dismiss(process)

    def _finish(self, process: Process | None, task: Task) -> tuple[Process | None, Finished | None]:
        """Have a task done, by as many workers as it takes; no end of it where the work was broken off."""
        deaths = starts = 0
        order = Order(self._work, task.payload)
        while True:
            if process is None or not process.alive:
                process = self._replace(process)
            if self._left.is_set():
                return process, None
            reply = process.ask(order, self._engine.timeout)
            if isinstance(reply, Reply):
                return process, Finished(task.key, deaths + 1, reply.answer, reply.error)
            if self._left.is_set():
                return process, None
            late = process.late
            how, process = self._bury(process), None
            if reply is Died.BEFORE:  # which is not the task's doing
                starts += 1
                if starts >= (_KILLED if how == "SIGKILL" else _STARTS):
                    raise EngineGoneError(
                        f"no worker can be started: {starts} have died one after the other, at last by {how}.",
                        mend="What they said stands above. Try engine 'serial', which says more.",
                    )
                continue
            deaths, starts = deaths + 1, 0
            if late:
                return None, Finished(task.key, deaths, b"", f"it took longer than {how}")
            if deaths == self._engine.attempts:
                times = f"{deaths} times" if deaths > 1 else "once"
                return None, Finished(task.key, deaths, b"", f"its worker died {times}, at last by {how}")

    def _replace(self, process: Process | None) -> Process:
        if process is not None:
            self._bury(process)
        process = self._engine.hire()
        self.busy.add(process)
        if self._left.is_set():  # who left may not have seen this one
            process.kill()
        return process

    def _bury(self, process: Process) -> str:
        self.busy.discard(process)
        return process.bury()
