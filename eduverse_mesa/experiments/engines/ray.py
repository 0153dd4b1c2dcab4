"""A Ray cluster: the machines of a laboratory or a data centre, or this one by itself.

Ray's own retries are off: attempts are counted here as they are for processes. A machine of the cluster needs nothing
but this package; what it makes travels back as bytes, and no folder has to be shared.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from types import TracebackType
from typing import Any, NamedTuple, NoReturn, Self

import msgspec

from eduverse_mesa.errors import EduverseError, EngineGoneError
from eduverse_mesa.experiments.engines.engine import Finished, Task, Work, do, load_work
from eduverse_mesa.experiments.engines.frames import Reply
from eduverse_mesa.experiments.engines.processes import count_workers
from eduverse_mesa.policies.shared_limit import SHARERS

_AHEAD = 2
"""Tasks handed in for each core: the one it does, and the next."""
_LOOK_AGAIN = 5.0
"""Seconds after which the cluster may have grown or shrunk, or be gone."""
_SILENT = 20.0
"""Seconds without a head after which a cluster is gone. A head may come back; after a minute without one, Ray ends the
program that uses it."""
_KNOCK = 3.0
"""Seconds for a head to take a connection."""
ENVIRONMENT = {"RAY_USAGE_STATS_ENABLED": "0"}
"""Nothing is told to anybody."""
_QUIET: dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": False}


class _Out(NamedTuple):
    """A task that was handed in."""

    task: Task
    attempt: int


class Ray:
    """Plays tasks on a Ray cluster: one that runs, by its address (`auto`: the one of this machine), or one made here.

    `workers` is how many tasks may be played at once; left out, as many as the cluster has cores.
    """

    def __init__(self, address: str | None = None, workers: int | None = None, attempts: int = 5) -> None:
        self.address = address
        self.attempts = attempts
        self._wanted = None if workers is None else count_workers(workers)
        self._cores = self._wanted or 1
        self._looked = 0.0
        self._heard = 0.0
        self._head: tuple[str, int] | None = None
        self._ray: Any = None
        self._own = False
        self._depth = 0

    @property
    def workers(self) -> int:
        """Number of tasks that are played at once."""
        return self._wanted or self._cores

    def run(self, work: Work, tasks: Iterable[Task]) -> Generator[Finished, None, None]:
        """Each task's end, as it comes."""
        with self:
            yield from self._run(work, iter(tasks))

    def _run(self, work: Work, drawn: Iterator[Task]) -> Generator[Finished, None, None]:
        out: dict[Any, _Out] = {}
        hand_in = self._ray.remote(max_retries=0, num_cpus=1)(labour).remote
        try:
            while True:
                for task in islice(drawn, max(0, self._window() - len(out))):
                    with self._told():
                        out[hand_in(work, task.payload, self.workers)] = _Out(task, 1)
                if not out:
                    return
                with self._told():
                    ready = self._ray.wait(list(out), num_returns=1, timeout=_LOOK_AGAIN)[0]
                for reference in ready:
                    task, attempt = out.pop(reference)
                    with self._told():
                        finished = self._finish(reference, task, attempt)
                        if finished is None:
                            out[hand_in(work, task.payload, self.workers)] = _Out(task, attempt + 1)
                    if finished is not None:
                        yield finished
        finally:
            for reference in out:
                with suppress(Exception):  # of a cluster that is gone
                    self._ray.cancel(reference, force=True)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Tell the death of Ray itself from that of a worker: no task is to blame for it."""
        errors = self._ray.exceptions
        try:
            yield
        except (errors.LocalRayletDiedError, errors.RaySystemError, errors.RpcError, ConnectionError) as error:
            self._gone(next(iter(str(error).strip().splitlines()), type(error).__name__), error)

    def _gone(self, why: str, cause: Exception | None = None) -> NoReturn:
        again = "Begin it again" if self.address is None else "Start the cluster again"
        raise EngineGoneError(
            f"Ray is gone ({why.rstrip('.')}).", mend=f"{again}, or take engine 'processes'."
        ) from cause

    def _finish(self, reference: Any, task: Task, attempt: int) -> Finished | None:
        """How a task ended; None if it is to be begun again."""
        errors = self._ray.exceptions
        try:
            reply = msgspec.msgpack.decode(self._ray.get(reference), type=Reply)
        except errors.RayTaskError as error:  # the work's own errors come back as replies
            said = str(error.cause if isinstance(error.cause, Exception) else error).strip().splitlines()[-1]
            message = f"the cluster cannot do it ({said}): is the same eduverse-mesa installed on all of its machines?"
            return Finished(task.key, attempt, b"", message)
        except (errors.LocalRayletDiedError, errors.RaySystemError):
            raise
        except errors.RayError as error:  # its worker, or the whole machine
            if attempt < self.attempts:
                return None
            times = f"{attempt} times" if attempt > 1 else "once"
            return Finished(task.key, attempt, b"", f"its worker died {times}, at last by {type(error).__name__}")
        return Finished(task.key, attempt, reply.answer, reply.error)

    def _window(self) -> int:
        """Return the number of tasks that may be handed in: as many as asked for, or so many that no core has to
        wait."""
        now = time.monotonic()
        if now - self._looked > _LOOK_AGAIN:
            self._looked = now
            if not self._answers():
                if now - self._heard > _SILENT:
                    self._gone("its head does not answer")
            else:
                self._heard = now
                if self._wanted is None:  # without a head this would wait until Ray ends the program
                    with self._told():
                        self._cores = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        return self._wanted or _AHEAD * self._cores

    def _answers(self) -> bool:
        """Return True if the cluster's head answers. A cluster that is joined through Ray's client is taken to answer:
        a client says itself that it has lost its server."""
        if self._head is None:
            return True
        try:
            socket.create_connection(self._head, timeout=_KNOCK).close()
        except OSError:
            return False
        return True

    def __enter__(self) -> Self:
        self._depth += 1
        if self._depth == 1:
            try:
                self._connect()
            except BaseException:
                self._depth = 0
                raise
        return self

    def _connect(self) -> None:
        os.environ.update(ENVIRONMENT)
        try:
            import ray
        except ImportError:
            raise EduverseError(
                "Ray is not installed.", where="engine=ray", mend='Install it: pip install "eduverse-mesa[ray]"'
            ) from None
        self._ray = ray
        self._own = not ray.is_initialized()
        if not self._own and self.address not in (None, "auto", ray.get_runtime_context().gcs_address):
            raise EduverseError(
                f"this process is on another Ray cluster, {ray.get_runtime_context().gcs_address}.",
                where=f"address={self.address}",
                mend="Leave that one first (ray.shutdown()), or leave the address out.",
            )
        if self._own and self.address is None:
            self._begin("local", num_cpus=count_workers(self._wanted), include_dashboard=False)
        elif self._own:
            self._begin(self.address)
        self._looked, self._heard = 0.0, time.monotonic()
        self._head = None
        if not (self.address or "").startswith("ray://"):
            host, _, port = ray.get_runtime_context().gcs_address.rpartition(":")
            self._head = host.strip("[]"), int(port)
        self._window()

    def _begin(self, address: str | None, **more: Any) -> None:
        """Make or join a cluster. What can go wrong comes as errors of many kinds, bare Exception among them."""
        try:
            self._ray.init(address, **more, **_QUIET)
        except Exception as error:
            said = (str(error).strip() or type(error).__name__).splitlines()[0]
            if self.address is None:
                raise EduverseError(
                    f"no Ray cluster can be made here ({said}).",
                    where="engine=ray",
                    mend="Try again when the machine is less busy, or take engine 'processes'.",
                ) from error
            raise EduverseError(
                f"no Ray cluster can be joined there ({said}).",
                where=f"address={self.address}",
                mend="Start one with `ray start --head`, or leave the address out to use this machine alone.",
            ) from error

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._depth -= 1
        if self._depth == 0 and self._own:
            self._ray.shutdown()


def labour(work: Work, payload: bytes, sharers: int) -> bytes:
    """Do the work on a machine of the cluster, which knows with how many it shares a model's server."""
    os.environ[SHARERS] = str(sharers)
    done = do(load_work(work), Task("", payload), 1)
    return msgspec.msgpack.encode(Reply(done.answer, done.error))
