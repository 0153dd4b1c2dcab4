"""Playing the experiments, in a folder that keeps what is done: the same command on the same folder goes on.

    about.json         what is played: experiments, seeds, policy, settings
    results.parquet    every number of every trial that is done, tidy

A killed program loses the trials since the file was last written, a few seconds' worth.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pandas as pd

from eduverse_mesa import __version__
from eduverse_mesa.errors import EduverseError, SweepError
from eduverse_mesa.experiments.engines import Engine, Serial
from eduverse_mesa.experiments.folders import (
    ABOUT,
    EDUVERSE,
    FORMAT,
    RESULTS,
    alone_in,
    comes_out_differently,
    expect_version,
    make_folder,
    played_otherwise,
    read_about,
    read_results,
    write_whole,
    writing_whole,
)
from eduverse_mesa.experiments.papers.eduverse.designs import (
    DEFAULT_SEEDS,
    SESSIONS,
    Experiment,
    all_trials,
    experiments,
)
from eduverse_mesa.experiments.trials import Played, Trial, play_trials, rows_table
from eduverse_mesa.policies.registry import policy_parts

_MODELS = frozenset({"llm", "local"})
"""Policies that ask a language model: they take time, may cost money, and may not answer the same again."""
_OFTEN = 5.0
"""Seconds between two writings of the results, at least; and no more than a twentieth of the time goes into it."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """Experiments to be played, with seeds, policy and settings."""

    which: str = "all"
    seeds: int = DEFAULT_SEEDS
    policy: str = ""
    """Empty: as the settings say."""
    settings: dict[str, Any] = {}

    @property
    def experiments(self) -> tuple[Experiment, ...]:
        """The experiments it is about."""
        return experiments(self.which)

    @property
    def free(self) -> bool:
        """Asks no language model, and so can be played again at will."""
        policy = self.policy or str(self.settings.get("policy", "")) or "embedded"
        return _MODELS.isdisjoint(policy_parts(policy).values())

    def trials(self) -> list[Trial]:
        """All trials, each once."""
        if self.policy:
            policy_parts(self.policy)  # one that there is not is told before anything is played
        return all_trials(self.experiments, self.seeds, self.policy, self.settings)


class _About(msgspec.Struct, frozen=True):
    plan: Plan
    eduverse: str = __version__
    format: int = FORMAT
    paper: str = EDUVERSE


class Progress(NamedTuple):
    """How far it is."""

    done: int
    total: int
    failed: int


Watch = Callable[[Progress], object]
Stop = Callable[[], bool]


@dataclass
class Recorded:
    """The numbers of the trials that are done, and what went wrong with others."""

    plan: Plan
    trials: Sequence[Trial]
    path: Path | None = None
    failures: list[Played] = field(default_factory=list)
    _kept: pd.DataFrame = field(default_factory=pd.DataFrame)
    _new: list[pd.DataFrame] = field(default_factory=list)
    _done: set[str] = field(default_factory=set)
    _written: float = 0.0
    _took: float = 0.0

    def __post_init__(self) -> None:
        wanted = {trial.key for trial in self.trials}
        if self.path is not None:
            self._kept = read_results(self.path)
        if not self._kept.empty:
            self._done = wanted & set(self._kept["trial"].unique())

    @property
    def left(self) -> list[Trial]:
        """Return the trials that are not done."""
        return [trial for trial in self.trials if trial.key not in self._done]

    @property
    def progress(self) -> Progress:
        """How far it is."""
        return Progress(len(self._done), len(self.trials), len(self.failures))

    def table(self) -> pd.DataFrame:
        """The numbers of this plan's trials. A folder may hold those of others, too."""
        self._gather()
        wanted = {trial.key for trial in self.trials}
        return self._kept[self._kept["trial"].isin(wanted)] if len(self._kept) else self._kept

    def rows_of(self, trial: Trial) -> pd.DataFrame:
        """The numbers of one trial."""
        self._gather()
        return self._kept[self._kept["trial"] == trial.key].reset_index(drop=True)

    def add(self, played: Played) -> None:
        """Keep a trial's numbers; one that failed is played again another time."""
        if played.error:
            self.failures.append(played)
            return
        self._done.add(played.trial.key)
        self._new.append(rows_table(played.trial, played.rows))
        if self.path is not None and time.monotonic() - self._written > max(_OFTEN, 20 * self._took):
            self.write()

    def write(self) -> None:
        """Write the results, whole or not at all."""
        if self.path is None or not self._new:
            return
        began = time.monotonic()
        self._gather()
        with writing_whole(self.path / RESULTS) as part:
            self._kept.to_parquet(part, index=False)
        self._written = time.monotonic()
        self._took = self._written - began

    def _gather(self) -> None:
        if self._new:
            self._kept = pd.concat([*([self._kept] if len(self._kept) else []), *self._new], ignore_index=True)
            self._new = []


@contextmanager
def recording(plan: Plan, folder: Path | None = None) -> Iterator[Recorded]:
    """Open the record of a plan, to go on with it. No other program writes to the folder meanwhile."""
    trials = plan.trials()
    if folder is None:
        yield Recorded(plan, trials)
        return
    make_folder(folder)
    with alone_in(folder):
        before = read_about(folder, _About, EDUVERSE)
        if before is not None:
            _expect_same(folder, before, plan)
        recorded = Recorded(plan, trials, folder)
        _expect_same_numbers(recorded)
        write_whole(folder / ABOUT, msgspec.json.format(msgspec.json.encode(_About(plan)), indent=2))
        try:
            yield recorded
        finally:
            recorded.write()


def play(recorded: Recorded, engine: Engine, watch: Watch | None = None, stop: Stop | None = None) -> None:
    """Play what is not done, until it is all done or somebody wants it to stop."""
    going = play_trials(recorded.left, engine)
    try:
        for played in going:
            recorded.add(played)
            if watch is not None:
                watch(recorded.progress)
            if stop is not None and stop():
                break
    finally:
        going.close()  # type: ignore[attr-defined] # a generator: with it ends the work
        recorded.write()


def open_recorded(folder: Path) -> Recorded:
    """Open the record that a folder holds, to look at it."""
    about = read_about(folder, _About, EDUVERSE)
    if about is None:
        raise SweepError(
            "no experiment was begun here.", where=str(folder), mend="Begin one: eduverse experiment 1 --out ..."
        )
    return Recorded(about.plan, about.plan.trials(), folder)


def time_left(recorded: Recorded, workers: int = 1) -> float:
    """About how many seconds the rest takes, by playing one trial of each kind (which is kept)."""
    if not recorded.left:
        return 0.0
    _measure(recorded, recorded.left[:1])  # the first one loads what all need
    seconds: dict[str, float] = {}
    for trial in recorded.left:
        if _kind(trial) not in seconds:
            seconds[_kind(trial)] = _measure(recorded, [trial])
    kinds = Counter(_kind(trial) for trial in recorded.left)
    return sum(seconds[kind] * number for kind, number in kinds.items()) / max(workers, 1)


def _measure(recorded: Recorded, trials: Sequence[Trial]) -> float:
    began = time.perf_counter()
    for played in play_trials(trials, Serial()):
        recorded.add(played)
    return time.perf_counter() - began


def _kind(trial: Trial) -> str:
    return trial.task or ("course" if trial.factors["genre"] == SESSIONS else "lesson")


# --- the folder ---


def _expect_same(folder: Path, before: _About, plan: Plan) -> None:
    expect_version(folder, before.eduverse)
    if (before.plan.policy, before.plan.settings) != (plan.policy, plan.settings):
        raise played_otherwise(folder, before.plan.policy, before.plan.settings)


def _expect_same_numbers(recorded: Recorded) -> None:
    again = next((trial for trial in recorded.trials if trial.key in recorded._done and not trial.task), None)
    if again is None or not recorded.plan.free:
        return
    [played] = play_trials([again])
    if played.error:
        raise EduverseError(played.error)
    before, now = (
        rows[["lesson", "step", "student", "measure", "value"]].reset_index(drop=True)
        for rows in (recorded.rows_of(again), rows_table(again, played.rows))
    )
    if not before.equals(now):
        raise comes_out_differently(recorded.path)
