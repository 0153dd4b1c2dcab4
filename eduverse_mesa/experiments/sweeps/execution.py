"""Playing what a sweep's folder does not hold yet."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path
from shlex import quote
from typing import NamedTuple

import msgspec

from eduverse_mesa.errors import EngineGoneError, SweepError
from eduverse_mesa.experiments.engines import Engine, Finished, Processes, Task
from eduverse_mesa.experiments.sweeps.folder import WORK, Attempt, Order, Result, SweepFolder, begin_sweep
from eduverse_mesa.experiments.trials import Watch, check_engine, check_slots

_LEAST_FIRST = 4


class AllFailedError(SweepError):
    """A sweep was given up since nothing of it succeeds; its runs can be tried again."""

    exit_code = 1


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
    check_slots(engine, folder.facts.slots)
    for finished in _run(folder, engine):
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


def _run(folder: SweepFolder, engine: Engine) -> Generator[Finished, None, None]:
    """Yield the ends of the folder's tasks on the engine; when the engine dies, those that are not done are left
    undone."""
    try:
        yield from engine.run(WORK, _tasks(folder, engine))
    except EngineGoneError as gone:
        raise EngineGoneError(
            f"{gone.message} {len(folder.done()):,} of {folder.facts.trials:,} runs are kept.",
            where=str(folder.path),
            mend=f"{gone.mend} Go on: eduverse sweep resume {quote(str(folder.path))}",
        ) from gone


def unless_all_fail(
    ends: Generator[Ended, None, None], folder: SweepFolder, first: int
) -> Generator[Ended, None, None]:
    """The ends, until the first so many have all failed: what is wrong with them is most likely wrong with all."""
    failed = 0
    more = folder.facts.trials - len(folder.done()) > first
    with closing(ends):
        for ended in ends:
            failed = failed + 1 if ended.error and failed >= 0 else -1
            yield ended
            if failed == first and more:
                last = " ".join(ended.error.split()).rstrip(".")
                raise AllFailedError(
                    f"stopped, since the first {first} runs have all failed; the last: {last}.",
                    where=str(folder.path),
                    mend=f"Mend it, and go on: eduverse sweep resume {quote(str(folder.path))} (with "
                    "--keep-going: whatever fails).",
                )


def count_first(engine: Engine) -> int:
    """Return the number of runs that have to fail before the others are given up: each worker may have had bad luck
    once."""
    return max(2 * engine.workers, _LEAST_FIRST)


def _tasks(folder: SweepFolder, engine: Engine) -> Iterator[Task]:
    done, facts = folder.done(), folder.facts
    for line in folder.lines():
        if line.key not in done:
            trial = folder.trial(line)
            check_engine(engine, trial)
            order = Order(line.key, trial, facts.keep, facts.columns)
            yield Task(line.key, msgspec.msgpack.encode(order))


def run_sweep(file: str | Path, out: str | Path, engine: Engine | None = None, watch: Watch | None = None) -> Status:
    """Play a sweep file into a folder, or what is left of it; without an engine on all cores of this machine.

    `watch` hears how many of its runs are done. Where the first runs all fail, an AllFailedError ends it.
    """
    from eduverse_mesa.experiments.sweeps.plan import plan_sweep

    plan = plan_sweep(file)
    with engine or Processes() as playing, begin_sweep(Path(out), plan.facts, plan.trials()) as folder:
        done = len(folder.done())
        for ended in unless_all_fail(play_sweep(folder, playing), folder, count_first(playing)):
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
    damaged: tuple[str, ...]
    """Runs whose results cannot be read: they are not done, and are played again."""
    begun_again: int
    """How often a trial was begun again since its worker had died."""
    taken: bool

    @property
    def left(self) -> int:
        """Trials that are not done."""
        return self.trials - self.done


def status_of(folder: SweepFolder) -> Status:
    """How far a sweep is, also while it is being played."""
    from eduverse_mesa.experiments.sweeps.folder import failed_answers

    answers, attempts = dict(failed_answers(folder)), folder.attempts()
    damaged = tuple(key for key, number in answers.items() if number is None)
    done = answers.keys() - set(damaged)
    last = {attempt.key: attempt for attempt in attempts if attempt.error and attempt.key not in done}
    failed = tuple(key for key, number in answers.items() if number)
    return Status(
        name=folder.facts.name,
        trials=folder.facts.trials,
        done=sum(line.key in done for line in folder.lines()),
        failing=tuple(last.values()),
        with_failed_answers=failed,
        damaged=damaged,
        begun_again=sum(attempt.attempts - 1 for attempt in attempts),
        taken=folder.taken,
    )
