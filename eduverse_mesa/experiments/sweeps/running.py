"""Playing what a sweep's folder does not hold yet."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.experiments.engines import Engine, Processes, Task
from eduverse_mesa.experiments.playing import Watch
from eduverse_mesa.experiments.sweeps.folder import Attempt, SweepFolder, begin_sweep
from eduverse_mesa.experiments.sweeps.results import WORK, Order, Result


class Ended(NamedTuple):
    """How a trial ended in this sitting."""

    key: str
    attempts: int
    error: str
    failed: int
    """Answers of the run that have failed."""


def play_sweep(folder: SweepFolder, engine: Engine) -> Generator[Ended, None, None]:
    """Play what is not done, and give each trial's end when it is kept. To stop is to close this.

    What failed in an earlier sitting is tried again.
    """
    _check_slots(folder, engine)
    for finished in engine.run(WORK, _tasks(folder)):
        failed = 0
        if finished.error:
            folder.note(finished.key, finished.attempts, finished.error)
        else:
            result = msgspec.msgpack.decode(finished.answer, type=Result)
            folder.put(finished.key, result.table)
            failed = result.failed
            if finished.attempts > 1:
                folder.note(finished.key, finished.attempts, "")
        yield Ended(finished.key, finished.attempts, finished.error, failed)


def _check_slots(folder: SweepFolder, engine: Engine) -> None:
    """Each worker needs a share of what a model's server may be asked at once, and less than one call is none."""
    slots = folder.facts.slots
    if slots is not None and engine.workers > slots:
        raise EduverseError(
            f"{engine.workers} workers cannot share a model's server that may be asked {slots} at once.",
            where="workers",
            mend=f"Take {slots} workers, or allow the server more calls (llm.concurrency) in a new sweep.",
        )


def _tasks(folder: SweepFolder) -> Iterator[Task]:
    done, facts = folder.done(), folder.facts
    for line in folder.lines():
        if line.key not in done:
            order = Order(line.key, folder.trial(line), facts.keep, facts.columns)
            yield Task(line.key, msgspec.msgpack.encode(order))


def run_sweep(file: str | Path, out: str | Path, engine: Engine | None = None, watch: Watch | None = None) -> Status:
    """Play a sweep file into a folder, or what is left of it; without an engine on all cores of this machine.

    `watch` hears how many of its runs are done.
    """
    from eduverse_mesa.experiments.sweeps.planning import plan_sweep

    plan = plan_sweep(file)
    with engine or Processes() as playing, begin_sweep(Path(out), plan.facts, plan.trials()) as folder:
        done = len(folder.done())
        for ended in play_sweep(folder, playing):
            done += not ended.error
            if watch is not None:
                watch(done)
        return status_of(folder)._replace(taken=False)


class Status(NamedTuple):
    """How far a sweep is."""

    name: str
    trials: int
    done: int
    failing: tuple[Attempt, ...]
    """The last attempt at each trial that is not done and has failed."""
    with_failed_answers: tuple[str, ...]
    """Runs that are done, in which an answer has failed."""
    begun_again: int
    """How often a trial was begun again since its worker had died."""
    taken: bool

    @property
    def left(self) -> int:
        """Trials that are not done."""
        return self.trials - self.done


def status_of(folder: SweepFolder) -> Status:
    """How far a sweep is, also while it is being played."""
    from eduverse_mesa.experiments.sweeps.reading import failed_answers

    done, attempts = folder.done(), folder.attempts()
    last = {attempt.key: attempt for attempt in attempts if attempt.error and attempt.key not in done}
    failed = tuple(key for key, number in failed_answers(folder) if number)
    return Status(
        folder.facts.name,
        folder.facts.trials,
        sum(line.key in done for line in folder.lines()),
        tuple(last.values()),
        failed,
        sum(attempt.attempts - 1 for attempt in attempts),
        folder.taken,
    )
