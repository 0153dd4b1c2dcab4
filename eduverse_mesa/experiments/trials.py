"""The unit of work of every experiment: one course, group or cohort, one seed, and what is measured of it.

A trial is plain data, and what it yields is plain rows: it can be played here, in another process or on another
machine, and gives the same rows everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec
import pandas as pd

from eduverse_mesa.errors import EduverseError, LessonError, PolicyError
from eduverse_mesa.experiments.engines import Engine, Serial, Task, Threads
from eduverse_mesa.experiments.measurers import ROW_COLUMNS, Row, Rows, measurer
from eduverse_mesa.experiments.subjects import scenario_of, scenario_text, subject_of
from eduverse_mesa.policies.registry import policy_parts
from eduverse_mesa.policies.shared_limit import Delivery, in_batches
from eduverse_mesa.runs.human_tasks import attempt
from eduverse_mesa.scenarios import Scenario
from eduverse_mesa.scenarios.parameters import load_parameters

MOST_RUNS = 1_000_000
"""Of one experiment: at a tenth of a second each, more than a day on one core."""

Level = str | int | float | bool
"""A value of a factor."""


class _Model(msgspec.Struct):
    concurrency: int
    delivery: Delivery | None = None


class _Settings(msgspec.Struct):
    policy: str
    llm: _Model


class _Asked(msgspec.Struct):
    """The part of a scenario that has to be known before it is sent to a worker: much quicker to read than all of
    it."""

    settings: _Settings


_READ_ASKED = msgspec.json.Decoder(_Asked)


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """One course or group to be played and measured."""

    scenario: str
    """The whole document, as JSON: it says itself what it is of (eduverse_mesa.experiments.subjects)."""
    seed: int
    policy: str = ""
    """The policy that answers; empty: as the scenario says."""
    measure: tuple[str, ...] = ("lessons",)
    """Names of measurers (eduverse_mesa.experiments.measurers)."""
    task: str = ""
    """A human agent's task to be tried instead of playing the whole course (eduverse_mesa.runs.human_tasks)."""
    factors: dict[str, Level] = {}
    """Factors that set this trial apart from others: columns of its result."""

    @property
    def key(self) -> str:
        """A name that is the same for the same trial, on every machine, and can name a file."""
        digest = blake2b(msgspec.json.encode(self, order="deterministic"), digest_size=8).hexdigest()
        return f"s{self.seed}-{digest}"


def check_runs(count: int, where: str) -> None:
    """Refuse an experiment of more runs than anybody has meant."""
    if count > MOST_RUNS:
        raise EduverseError(f"these are {count:,} runs.", where=where, mend=f"{MOST_RUNS:,} are the most: take fewer.")


def trial_of(scenario: Scenario, seed: int, **more: Any) -> Trial:
    """A trial of a scenario."""
    return Trial(scenario=scenario_text(scenario), seed=seed, **more)


def trials_over(
    scenarios: Iterable[tuple[Mapping[str, Level], Scenario]], seeds: Sequence[int], **more: Any
) -> Iterator[Trial]:
    """A trial for each scenario and seed; each scenario comes with the factors that set it apart."""
    written = [(dict(factors), scenario_text(scenario)) for factors, scenario in scenarios]
    for seed in seeds:
        for factors, text in written:
            yield Trial(scenario=text, seed=seed, factors=factors, **more)


def count_slots(trial: Trial) -> int | None:
    """Return the number of calls to a model's server that may be out at once in a trial; None if it asks none."""
    policy, model = _asked(trial)
    try:
        parts = policy_parts(policy)
    except PolicyError:  # which is told where it is to be played
        return None
    return model.concurrency if "llm" in parts.values() else None


def comes_in_batches(trial: Trial) -> bool:
    """Return True if answers of a trial come in batches."""
    return in_batches(*_asked(trial))


def _asked(trial: Trial) -> tuple[str, Any]:
    """Return the policy that answers in a trial, and the settings of its language model."""
    try:
        settings: Any = _READ_ASKED.decode(trial.scenario).settings
    except msgspec.ValidationError:  # written by hand, without what goes without saying
        subject = subject_of(trial.scenario)
        settings = subject.settings(subject.read(trial.scenario))
    return trial.policy or settings.policy, settings.llm


def with_parameters(scenario: Scenario, parameters: Mapping[str, float]) -> Scenario:
    """The scenario with some parameters of the embedded policy changed, within their ranges."""
    changed = {**scenario.settings.parameters, **parameters}
    load_parameters(changed)
    settings = scenario.settings.model_copy(update={"parameters": changed})
    return scenario.model_copy(update={"settings": settings})


def play_trial(trial: Trial) -> Rows:
    """Play a trial in memory, and measure it."""
    if trial.task:
        scenario, policy = scenario_of(trial.scenario), trial.policy or None
        tried = attempt(trial.task, scenario, trial.seed, policy)  # type: ignore[arg-type] # attempt() checks it
        return [Row(0, 0, tried.agent, "done", float(tried.done)), Row(0, 0, tried.agent, "steps", float(tried.steps))]
    return play_measured(trial)[0]


def play_measured(trial: Trial) -> tuple[Rows, int]:
    """Play a trial in memory; return the rows that it measures, and the number of answers that have failed."""
    subject = subject_of(trial.scenario)
    wanted = [measurer(name, subject.measurers) for name in trial.measure]  # what cannot be measured need not be played
    run = subject.play(subject.read(trial.scenario), trial.seed, trial.policy or None)
    return [row for measure in wanted for row in measure(run)], subject.failed(run)


def rows_table(trial: Trial, rows: Rows) -> pd.DataFrame:
    """Return the rows of a trial as a tidy table: its key, factors and seed beside each number."""
    table = pd.DataFrame(rows, columns=list(ROW_COLUMNS))
    for place, (name, value) in enumerate({"trial": trial.key, **trial.factors, "seed": trial.seed}.items()):
        table.insert(place, name, value)
    return table


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
