"""A Ray cluster: the machines of a laboratory or a data centre, or this one by itself.

Ray's own retries are off: attempts are counted here as they are for processes. A machine of the cluster needs nothing
but this package; what it makes travels back as bytes, and no folder has to be shared.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Iterable, Iterator
from itertools import islice
from types import TracebackType
from typing import Any, NamedTuple, Self

import msgspec

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.experiments.engines.engine import Finished, Task, Work, do, load_work
from eduverse_mesa.experiments.engines.frames import Reply
from eduverse_mesa.experiments.engines.processes import count_workers
from eduverse_mesa.policies.sharing import SHARERS

_AHEAD = 2
"""Tasks handed in for each core: the one it does, and the next."""
_LOOK_AGAIN = 5.0
"""Seconds after which the cluster may have grown or shrunk."""
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
        self._ray: Any = None
        self._own = False
        self._depth = 0

    @property
    def workers(self) -> int:
        """How many tasks are played at once."""
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
                    out[hand_in(work, task.payload, self.workers)] = _Out(task, 1)
                if not out:
                    return
                for reference in self._ray.wait(list(out), num_returns=1)[0]:
                    task, attempt = out.pop(reference)
                    finished = self._finish(reference, task, attempt)
                    if finished is None:
                        out[hand_in(work, task.payload, self.workers)] = _Out(task, attempt + 1)
                    else:
                        yield finished
        finally:
            for reference in out:
                self._ray.cancel(reference, force=True)

    def _finish(self, reference: Any, task: Task, attempt: int) -> Finished | None:
        """How a task ended; None if it is to be begun again."""
        errors = self._ray.exceptions
        try:
            reply = msgspec.msgpack.decode(self._ray.get(reference), type=Reply)
        except errors.RayTaskError as error:  # the work's own errors come back as replies
            said = str(error.cause if isinstance(error.cause, Exception) else error).strip().splitlines()[-1]
            message = f"the cluster cannot do it ({said}): is the same eduverse-mesa installed on all of its machines?"
            return Finished(task.key, attempt, b"", message)
        except errors.RayError as error:  # its worker, or the whole machine
            if attempt < self.attempts:
                return None
            times = f"{attempt} times" if attempt > 1 else "once"
            return Finished(task.key, attempt, b"", f"its worker died {times}, at last by {type(error).__name__}")
        return Finished(task.key, attempt, reply.answer, reply.error)

    def _window(self) -> int:
        """How many tasks may be handed in: as many as asked for, or so many that no core has to wait."""
        now = time.monotonic()
        if self._wanted is None and now - self._looked > _LOOK_AGAIN:
            self._cores = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
            self._looked = now
        return self._wanted or _AHEAD * self._cores

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
        self._looked = 0.0
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
    """What a machine of the cluster does: the work, knowing with how many it shares a model's server."""
    os.environ[SHARERS] = str(sharers)
    done = do(load_work(work), Task("", payload), 1)
    return msgspec.msgpack.encode(Reply(done.answer, done.error))
