"""Comparisons: two runs of the same luck, step by step and measure by measure; groups of runs, over their seeds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, Literal

import pandas as pd

from eduverse_mesa.measures import class_shares
from eduverse_mesa.measures.intervals import (
    LEVEL,
    Interval,
    bounds_of,
    mean_interval,
    paired_interval,
    standardised,
    welch_interval,
)
from eduverse_mesa.policies.human.policy import SOURCE
from eduverse_mesa.runs.classroom import Run, RunSpec
from eduverse_mesa.runs.recording import Until
from eduverse_mesa.runs.tables import results, run_tables
from eduverse_mesa.scenarios import fingerprint

Pairing = Literal["seeds", "none"]

_STATES = ["attention", "confidence", "affect", "understanding"]
_NOT_MEASURES = frozenset({"run", "seed"})

VALUE_COLUMNS = ("arm", "measure", "seed", "value")
SUMMARY_COLUMNS = ("arm", "measure", "mean", "low", "high", "n")
DIFFERENCE_COLUMNS = ("measure", "before", "after", "difference", "low", "high", "n", "paired", "effect")


# --- two runs ---


def paired_difference(one: Run, other: Run) -> pd.DataFrame:
    """Every number of the runs' documents side by side: measure, before, after, difference."""
    before, after = numbers_of(one), numbers_of(other)
    names = list(dict.fromkeys([*before, *after]))
    table = pd.DataFrame(
        {
            "measure": names,
            "before": [before.get(name, math.nan) for name in names],
            "after": [after.get(name, math.nan) for name in names],
        }
    )
    table["difference"] = table["after"] - table["before"]
    return table


def first_difference(one: Run, other: Run) -> tuple[int, int, str, str] | None:
    """Lesson, step, agent and kind of the first answer that is not the same; None when all are."""
    for mine, theirs in zip(one.answers(), other.answers(), strict=False):
        if mine != theirs:
            return mine.lesson, mine.step, mine.agent, mine.kind
    lengths = [sum(1 for _ in run.answers()) for run in (one, other)]
    if lengths[0] == lengths[1]:
        return None
    longer = (one, other)[lengths[1] > lengths[0]]
    entry = next(entry for place, entry in enumerate(longer.answers()) if place == min(lengths))
    return entry.lesson, entry.step, entry.agent, entry.kind


# --- groups of runs ---


@dataclass(frozen=True, slots=True)
class Measured:
    """The record of a run that is compared: its seed, and every number that was measured."""

    run: str
    seed: int
    numbers: Mapping[str, float]
    complete: bool = True
    """It was played to its end: the numbers of one that was interrupted are of fewer steps."""

    @classmethod
    def of(cls, run: Run) -> Measured:
        """A run's numbers."""
        return cls(run.id, run.spec.seed, numbers_of(run), run.complete)


@dataclass(frozen=True, slots=True)
class Arm:
    """Runs that are alike but for their seeds: a layout, a policy, a change. Those that were interrupted are left out
    of all numbers, as sweeps and forks leave them out, unless somebody asks for them."""

    name: str
    runs: tuple[Measured, ...] = ()
    left_out: tuple[Measured, ...] = ()

    @property
    def seeds(self) -> tuple[int, ...]:
        """Its seeds, in order."""
        return tuple(sorted({run.seed for run in self.runs}))

    def with_run(self, run: Measured) -> Arm:
        """The arm with one run more."""
        if run.complete:
            return replace(self, runs=(*self.runs, run))
        return replace(self, left_out=(*self.left_out, run))

    def with_left_out(self) -> Arm:
        """The arm with all its runs, also those that were interrupted."""
        return Arm(self.name, (*self.runs, *self.left_out))

    def by_seed(self, measure: str) -> dict[int, float]:
        """A measure by seed. A seed is one draw of luck: several runs of one seed count as their mean."""
        found: dict[int, list[float]] = {}
        for run in self.runs:
            value = run.numbers.get(measure, math.nan)
            if math.isfinite(value):
                found.setdefault(run.seed, []).append(value)
        return {seed: fmean(found[seed]) for seed in sorted(found)}


def same_but_for_the_seed(spec: RunSpec, people: Sequence[str] = ()) -> tuple[Any, ...]:
    """Equal for runs of one arm: the same scenario, policy and changes, forked at the same step, and with people in the
    same seats: a run in which somebody sat is no draw of luck of one in which nobody did."""
    changes = tuple(change.model_dump_json() for change in spec.changes)
    return fingerprint(spec.scenario), spec.policy, changes, spec.forked_at, tuple(people)


def people_in(run: Run, after: Until = (0, 0)) -> tuple[str, ...]:
    """The agents for whom a person has answered, after some step."""
    return tuple(
        sorted(
            {
                entry.agent
                for entry in run.answers()
                if entry.answer.source == SOURCE and (entry.lesson, entry.step) > after
            }
        )
    )


def shared_seeds(one: Arm, other: Arm) -> tuple[int, ...]:
    """The seeds that both arms have: their runs had the same luck, and can be paired."""
    return tuple(sorted(set(one.seeds) & set(other.seeds)))


def pairing(one: Arm, other: Arm) -> Pairing:
    """How two arms are compared: seed by seed where they share two or more, or have no other; else as two samples."""
    shared = shared_seeds(one, other)
    only = shared and set(shared) in ({*one.seeds}, {*other.seeds})
    return "seeds" if len(shared) > 1 or only else "none"


def values(arms: Iterable[Arm]) -> pd.DataFrame:
    """Every number: arm, measure, seed, value."""
    rows = [
        (arm.name, measure, seed, value)
        for arm in arms
        for measure in measure_names([arm])
        for seed, value in arm.by_seed(measure).items()
    ]
    return pd.DataFrame(rows, columns=list(VALUE_COLUMNS))


def summaries(arms: Iterable[Arm], level: float = LEVEL) -> pd.DataFrame:
    """The mean of each measure and arm over seeds, with its t interval: arm, measure, mean, low, high, n."""
    rows = [
        (arm.name, measure, *mean_interval(list(arm.by_seed(measure).values()), level, bounds_of(measure)))
        for arm in arms
        for measure in measure_names([arm])
    ]
    return pd.DataFrame(rows, columns=list(SUMMARY_COLUMNS))


def differences(one: Arm, other: Arm, level: float = LEVEL) -> pd.DataFrame:
    """The other arm minus one, measure by measure, with an interval over seeds.

    `paired` says which: True is a t interval over the seeds that both have, and those alone count; False is Welch's, of
    two independent samples. `n` counts pairs, or the seeds of the smaller arm; a single one has no interval. `effect`
    is the difference in standard deviations over seeds.
    """
    paired = pairing(one, other) == "seeds"
    return pd.DataFrame(
        [_difference(measure, one, other, paired, level) for measure in measure_names([one, other])],
        columns=list(DIFFERENCE_COLUMNS),
    )


def _difference(measure: str, one: Arm, other: Arm, paired: bool, level: float) -> tuple[Any, ...]:
    before, after = one.by_seed(measure), other.by_seed(measure)
    if paired:
        both = [seed for seed in before if seed in after]
        before, after = ({seed: values[seed] for seed in both} for values in (before, after))
        found = paired_interval(list(zip(before.values(), after.values(), strict=True)), level, bounds_of(measure))
    else:
        found = welch_interval(list(before.values()), list(after.values()), level, bounds_of(measure))
    means: list[Interval] = [mean_interval(list(values.values())) for values in (before, after)]
    effect = standardised(list(before.values()), list(after.values()))
    return measure, means[0].mean, means[1].mean, found.mean, found.low, found.high, found.n, paired, effect


def measure_names(arms: Sequence[Arm]) -> list[str]:
    """The measures of some arms, in the order of a run's document."""
    return list(dict.fromkeys(name for arm in arms for run in arm.runs for name in run.numbers))


# --- the numbers of a run ---


def numbers_of(run: Run) -> dict[str, float]:
    """Every number of a run's document, and the shares and mean states of each student, by dotted names."""
    return dict(_all_numbers(run))


def _all_numbers(run: Run) -> Iterator[tuple[str, float]]:
    made = run_tables(run)
    yield from _numbers("", results(run, made))
    for student, rows in made.student_steps.groupby("student", sort=False):
        states = {state: float(rows[state].mean()) for state in _STATES}
        yield from _numbers(f"student.{student}", {**class_shares(rows), **states})


def _numbers(prefix: str, value: Any) -> Iterator[tuple[str, float]]:
    if isinstance(value, dict):
        for key, part in value.items():
            if prefix or key not in _NOT_MEASURES:
                yield from _numbers(f"{prefix}.{key}" if prefix else key, part)
    elif isinstance(value, list):
        for part in value:
            if isinstance(part, dict) and "student" in part:
                named = {key: number for key, number in part.items() if key != "student"}
                yield from _numbers(f"{prefix}.{part['student']}", named)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield prefix, float(value)
