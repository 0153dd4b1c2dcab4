"""Record of an experiment: what is to be played, what is done, and the folder that keeps it.

    about.json         what is played: experiments, seeds, policy, settings
    results.parquet    every number of every trial that is done, tidy (MathVC's dialogues: dialogues.jsonl)

The same command on the same folder goes on where it stopped. A killed program loses the trials since the file was last
written, a few seconds' worth.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import msgspec
import pandas as pd

from eduverse_mesa import __version__
from eduverse_mesa.errors import EduverseError, SweepError
from eduverse_mesa.experiments.engines import Engine, Serial, Task
from eduverse_mesa.experiments.folders import (
    ABOUT,
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
from eduverse_mesa.policies.registry import asks_model

_OFTEN = 5.0
"""Seconds between two writings of the results, at least; and no more than a twentieth of the time goes into it."""


class Progress(NamedTuple):
    """How far it is."""

    done: int
    total: int
    failed: int = 0


Watch = Callable[[Progress], object]
Stop = Callable[[], bool]


class Keyed(Protocol):
    """A trial, whatever its kind: a lesson, a cohort, a dialogue."""

    @property
    def key(self) -> str:
        """Name of the trial among the others."""


TrialT = TypeVar("TrialT", bound=Keyed)
TrialT_co = TypeVar("TrialT_co", bound=Keyed, covariant=True)
ResultT = TypeVar("ResultT")


class Plan(Protocol[TrialT_co]):
    """Experiments to be played, with seeds, policy and settings."""

    @property
    def free(self) -> bool:
        """Asks no language model, and so can be played again at will."""

    def trials(self) -> Sequence[TrialT_co]:
        """All trials, each once."""


class PaperPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Experiments of a paper by their name, with seeds, policy and settings."""

    which: str
    seeds: int
    policy: str = ""
    """Empty: as the settings say."""
    settings: dict[str, Any] = {}

    @property
    def free(self) -> bool:
        """Asks no language model, and so can be played again at will."""
        return not asks_model(self.policy or str(self.settings.get("policy", "")) or "embedded")


PlanT = TypeVar("PlanT", bound=PaperPlan)


class About(msgspec.Struct, Generic[PlanT], frozen=True):
    """Description of a folder in which a paper's experiments are kept."""

    plan: PlanT
    eduverse: str = __version__
    format: int = FORMAT
    paper: str = ""

    @property
    def terms(self) -> tuple[str, object]:
        """Policy and settings: a folder has one of each."""
        return self.plan.policy, self.plan.settings


@dataclass(frozen=True, slots=True)
class Outcome(Generic[TrialT, ResultT]):
    """A trial with its result, or why it has none."""

    trial: TrialT
    result: ResultT | None
    error: str = ""


def answers(
    work: str, trials: Sequence[TrialT], engine: Engine, failed: Callable[[str, str], EduverseError]
) -> Generator[tuple[TrialT, bytes]]:
    """Have an engine work at trials, and yield each with its answer. One that fails is raised: half a table would be
    taken for a whole one."""
    by_key = {trial.key: trial for trial in trials}
    for finished in engine.run(work, (Task(trial.key, msgspec.json.encode(trial)) for trial in trials)):
        if finished.error:
            raise failed(finished.key, finished.error)
        yield by_key[finished.key], finished.answer


class ResultFile(Protocol[ResultT]):
    """The file of a folder in which results stay."""

    def read(self) -> dict[str, ResultT]:
        """All results, by the keys of their trials."""

    def add(self, key: str, result: ResultT, all_results: dict[str, ResultT]) -> None:
        """Keep one more of them."""

    def finish(self, all_results: dict[str, ResultT]) -> None:
        """Write what is not written yet."""


class TableFile:
    """`results.parquet`: a table for each trial, one below the other."""

    def __init__(self, folder: Path, *, keys: Callable[[pd.DataFrame], pd.Series[str]]) -> None:
        """`keys` tells the trial of each row."""
        self._folder, self._keys = folder, keys
        self._unwritten = False
        self._written = self._took = 0.0

    def read(self) -> dict[str, pd.DataFrame]:
        """All tables, by the keys of their trials."""
        held = read_results(self._folder)
        return {str(key): rows for key, rows in held.groupby(self._keys(held), sort=False)} if len(held) else {}

    def add(self, key: str, result: pd.DataFrame, all_results: dict[str, pd.DataFrame]) -> None:  # noqa: ARG002 - by the protocol
        """Keep one more; the file is written now and then."""
        self._unwritten = True
        if time.monotonic() - self._written > max(_OFTEN, 20 * self._took):
            self.finish(all_results)

    def finish(self, all_results: dict[str, pd.DataFrame]) -> None:
        """Write the file, whole or not at all."""
        if not self._unwritten:
            return
        began = time.monotonic()
        with writing_whole(self._folder / RESULTS) as part:
            below(all_results.values()).to_parquet(part, index=False)
        self._unwritten, self._written = False, time.monotonic()
        self._took = self._written - began


def below(tables: Any, columns: Sequence[str] = ()) -> pd.DataFrame:
    """Return tables as one, one below the other; with none, an empty one with these columns."""
    parts = list(tables)
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(columns))


@dataclass
class Record(Generic[TrialT, ResultT]):
    """The trials of a plan, the results of those that are done, and what went wrong with others."""

    paper: Paper[TrialT, ResultT]
    plan: Any
    trials: Sequence[TrialT]
    path: Path | None = None
    failures: list[Outcome[TrialT, ResultT]] = field(default_factory=list)
    _found: dict[str, ResultT] = field(default_factory=dict)
    """By the keys of trials; a folder may hold those of other plans, too."""
    _file: ResultFile[ResultT] | None = None

    def __post_init__(self) -> None:
        if self.path is not None:
            self._file = self.paper.file(self.path)
            self._found = self._file.read()

    @property
    def left(self) -> list[TrialT]:
        """Return the trials that are not done."""
        return [trial for trial in self.trials if trial.key not in self._found]

    @property
    def progress(self) -> Progress:
        """How far it is."""
        return Progress(len(self.trials) - len(self.left), len(self.trials), len(self.failures))

    @property
    def results(self) -> dict[str, ResultT]:
        """The results of this plan's trials, in its order whatever order they came in."""
        return {trial.key: self._found[trial.key] for trial in self.trials if trial.key in self._found}

    def add(self, outcome: Outcome[TrialT, ResultT]) -> None:
        """Keep a result; a trial that failed is played again another time."""
        if outcome.result is None:
            self.failures.append(outcome)
            return
        key = outcome.trial.key
        self._found[key] = outcome.result
        if self._file is not None:
            self._file.add(key, outcome.result, self._found)

    def write(self) -> None:
        """Write what is not written yet."""
        if self._file is not None:
            self._file.finish(self._found)

    def play(self, engine: Engine | None = None, watch: Watch | None = None, stop: Stop | None = None) -> None:
        """Play what is not done, until it is all done or somebody wants it to stop."""
        going = self.paper.play(self.left, engine or Serial())
        try:
            for outcome in going:
                self.add(outcome)
                if watch is not None:
                    watch(self.progress)
                if stop is not None and stop():
                    break
        finally:
            going.close()  # with it ends the work
            self.write()

    def check(self) -> None:
        """Play one trial again that is done: rules that have changed since are told before numbers are mixed."""
        done = [trial for trial in self.trials if trial.key in self._found and self.paper.cost(trial) is not None]
        if not done or not self.plan.free:
            return
        again = min(done, key=lambda trial: self.paper.cost(trial) or 0)
        [outcome] = self.paper.play([again], Serial())
        if outcome.result is None:
            raise EduverseError(outcome.error)
        if not self.paper.same(self._found[again.key], outcome.result):
            raise comes_out_differently(self.path)


@dataclass(frozen=True)
class Paper(Generic[TrialT, ResultT]):
    """How experiments of one paper are played and kept."""

    name: str
    about: type[Any]
    """The struct that describes a folder: what is played, version, format, paper."""
    describe: Callable[[Any], Any]
    """Return this struct for a plan."""
    play: Callable[[Sequence[TrialT], Engine], Generator[Outcome[TrialT, ResultT]]]
    """Play trials and give each as it is done. One that fails is given with its error, or raised."""
    file: Callable[[Path], ResultFile[ResultT]]
    same: Callable[[ResultT, ResultT], bool]
    cost: Callable[[TrialT], int | None] = lambda _: 0
    """How long a trial takes beside others: the shortest one is played again as a check. None: it is no check."""

    @contextmanager
    def open(self, plan: Plan[TrialT], folder: Path | None = None) -> Iterator[Record[TrialT, ResultT]]:
        """Open the record of a plan, to go on with it. No other program writes to the folder meanwhile."""
        trials = plan.trials()  # what cannot be played is told before anything is made
        if folder is None:
            yield Record(self, plan, trials)
            return
        make_folder(folder)
        with alone_in(folder):
            about = self.describe(plan)
            before = read_about(folder, self.about, self.name)
            if before is not None:
                expect_version(folder, before.eduverse)
                if before.terms != about.terms:
                    raise played_otherwise(folder, *before.terms)
            record = Record(self, plan, trials, folder)
            record.check()
            write_whole(folder / ABOUT, msgspec.json.format(msgspec.json.encode(about), indent=2))
            try:
                yield record
            finally:
                record.write()

    def look(self, folder: Path) -> Record[TrialT, ResultT]:
        """Open the record that a folder holds, without going on with it."""
        about = read_about(folder, self.about, self.name)
        if about is None:
            raise SweepError(
                "no experiment was begun here.", where=str(folder), mend="Begin one: eduverse experiment 1 --out ..."
            )
        return Record(self, about.plan, about.plan.trials(), folder)
