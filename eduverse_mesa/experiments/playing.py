"""Trials on an engine: rows as they come, or one tidy table of all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import msgspec
import pandas as pd

from eduverse_mesa.errors import LessonError
from eduverse_mesa.experiments.engines import Engine, Serial, Task
from eduverse_mesa.experiments.measurers import Row, Rows
from eduverse_mesa.experiments.trials import Trial, play_trial, rows_table

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

    def tasks() -> Iterator[Task]:
        for trial in trials:
            key = trial.key
            out[key] = trial
            yield Task(key, msgspec.json.encode(trial))

    for finished in (engine or Serial()).run(WORK, tasks()):
        rows = _READ_ROWS.decode(finished.answer) if not finished.error else []
        yield Played(out.pop(finished.key), rows, finished.attempts, finished.error)


def measure_trials(trials: Iterable[Trial], engine: Engine | None = None, watch: Watch | None = None) -> pd.DataFrame:
    """All trials' numbers in one tidy table, in the order of the trials whatever order they came in.

    The first that fails ends it: half a table would be taken for a whole one.
    """
    wanted = list(trials)
    found: dict[str, pd.DataFrame] = {}
    for played in play_trials(wanted, engine):
        if played.error:
            raise LessonError(f"trial {played.trial.key} {played.trial.factors} failed: {played.error}")
        found[played.trial.key] = rows_table(played.trial, played.rows)
        if watch is not None:
            watch(len(found))
    if not found:
        return pd.DataFrame()
    return pd.concat([found[trial.key] for trial in wanted], ignore_index=True)
