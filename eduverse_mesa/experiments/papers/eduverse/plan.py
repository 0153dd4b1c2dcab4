"""Plan of the EduVerse experiments: which, with what seeds, policy and settings; how they are played and kept."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Generator, Sequence

import pandas as pd

from eduverse_mesa.experiments.engines import Engine, Serial
from eduverse_mesa.experiments.folders import EDUVERSE
from eduverse_mesa.experiments.papers.eduverse.designs import (
    DEFAULT_SEEDS,
    SESSIONS,
    Experiment,
    all_trials,
    experiments,
)
from eduverse_mesa.experiments.papers.record import (
    About,
    Outcome,
    Paper,
    PaperPlan,
    Record,
    TableFile,
    below,
)
from eduverse_mesa.experiments.trials import Trial, play_trials, rows_table
from eduverse_mesa.policies.registry import policy_parts


class Plan(PaperPlan, frozen=True, kw_only=True):
    """Experiments to be played, with seeds, policy and settings."""

    which: str = "all"
    seeds: int = DEFAULT_SEEDS

    @property
    def experiments(self) -> tuple[Experiment, ...]:
        """The experiments it is about."""
        return experiments(self.which)

    def trials(self) -> list[Trial]:
        """All trials, each once."""
        if self.policy:
            policy_parts(self.policy)  # one that there is not is told before anything is played
        return all_trials(self.experiments, self.seeds, self.policy, self.settings)


def _play(trials: Sequence[Trial], engine: Engine) -> Generator[Outcome[Trial, pd.DataFrame]]:
    for played in play_trials(trials, engine):
        rows = None if played.error else rows_table(played.trial, played.rows)
        yield Outcome(played.trial, rows, played.error)


_COMPARED = ["lesson", "step", "student", "measure", "value"]


def _same(before: pd.DataFrame, now: pd.DataFrame) -> bool:
    kept, played = (rows[_COMPARED].reset_index(drop=True) for rows in (before, now))
    return kept.equals(played)


PAPER: Paper[Trial, pd.DataFrame] = Paper(
    EDUVERSE,
    About[Plan],
    lambda plan: About(plan, paper=EDUVERSE),
    _play,
    lambda folder: TableFile(folder, keys=lambda rows: rows["trial"]),
    _same,
    lambda trial: None if trial.task else 0,
)


Kept = Record[Trial, pd.DataFrame]


def table_of(record: Kept) -> pd.DataFrame:
    """The numbers of a plan's trials in one table."""
    return below(record.results.values())


def time_left(record: Kept, workers: int = 1) -> float:
    """About how many seconds the rest takes, by playing one trial of each kind (which is kept)."""
    if not record.left:
        return 0.0
    _measure(record, record.left[0])  # the first one loads what all need
    seconds: dict[str, float] = {}
    for trial in record.left:
        if _kind(trial) not in seconds:
            seconds[_kind(trial)] = _measure(record, trial)
    kinds = Counter(_kind(trial) for trial in record.left)
    return sum(seconds[kind] * number for kind, number in kinds.items()) / max(workers, 1)


def _measure(record: Kept, trial: Trial) -> float:
    began = time.perf_counter()
    for outcome in _play([trial], Serial()):
        record.add(outcome)
    return time.perf_counter() - began


def _kind(trial: Trial) -> str:
    return trial.task or ("course" if trial.factors["genre"] == SESSIONS else "lesson")
