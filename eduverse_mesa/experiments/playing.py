"""Trials on an engine: rows as they come, or one tidy table of all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import msgspec
import pandas as pd

from eduverse_mesa.errors import EduverseError, LessonError
from eduverse_mesa.experiments.engines import Engine, Serial, Task, Threads
from eduverse_mesa.experiments.measurers import Row, Rows
from eduverse_mesa.experiments.trials import Trial, comes_in_batches, count_slots, play_trial, rows_table

WORK = f"{__name__}:work"
_READ_TRIAL = msgspec.json.Decoder(Trial)
_READ_ROWS = msgspec.msgpack.Decoder(list[Row])

Watch = Callable[[int], object]
"""Hears how many trials are done."""


class Played(NamedTuple):
    """A trial and what it yielded, or why it yielded nothing."""

    trial: Trial
    rows: Rows
    attempts: int
    error: str = ""


def work(payload: bytes) -> bytes:
    """A trial's rows: what an engine calls."""
    return msgspec.msgpack.encode(play_trial(_READ_TRIAL.decode(payload)))


def play_trials(trials: Iterable[Trial], engine: Engine | None = None) -> Iterator[Played]:
    """Play trials, and give each as it is done."""
    out: dict[str, Trial] = {}
    playing = engine or Serial()

    def tasks() -> Iterator[Task]:
        for trial in trials:
            check_engine(playing, trial)
            key = trial.key
            out[key] = trial
            yield Task(key, msgspec.json.encode(trial))

    for finished in playing.run(WORK, tasks()):
        rows = _READ_ROWS.decode(finished.answer) if not finished.error else []
        yield Played(out.pop(finished.key), rows, finished.attempts, finished.error)


def check_engine(engine: Engine, trial: Trial) -> None:
    """Refuse an engine that a trial cannot be played on."""
    check_slots(engine, count_slots(trial))
    if not isinstance(engine, Threads | Serial) and comes_in_batches(trial):
        raise EduverseError(
            "answers come in batches, and each worker would wait for one of its own.",
            where="engine",
            mend="Take engine 'threads', or the answers live (llm.delivery: live).",
        )


def check_slots(engine: Engine, slots: int | None) -> None:
    """Each worker needs a share of what a model's server may be asked at once, and less than one call is none. Threads
    of one process have one limit together."""
    if slots is not None and engine.workers > slots and not isinstance(engine, Threads):
        raise EduverseError(
            f"{engine.workers} workers cannot share a model's server that may be asked {slots} at once.",
            where="workers",
            mend=f"Take {slots} at most, or allow the server more calls (llm.concurrency).",
        )


def measure_trials(trials: Iterable[Trial], engine: Engine | None = None, watch: Watch | None = None) -> pd.DataFrame:
    """All trials' numbers in one tidy table, in the order of the trials whatever order they came in.

    The first that fails ends it: half a table would be taken for a whole one.
    """
    order: list[str] = []
    found: dict[str, pd.DataFrame] = {}

    def noted() -> Iterator[Trial]:
        """The trials go by, and only their keys are kept: there may be very many."""
        for trial in trials:
            order.append(trial.key)
            yield trial

    for played in play_trials(noted(), engine):
        if played.error:
            raise LessonError(f"trial {played.trial.key} {played.trial.factors} failed: {played.error}")
        found[played.trial.key] = rows_table(played.trial, played.rows)
        if watch is not None:
            watch(len(found))
    if not found:
        return pd.DataFrame()
    return pd.concat([found[key] for key in order], ignore_index=True)
