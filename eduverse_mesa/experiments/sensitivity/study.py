"""A sensitivity study of the classroom: every point of a design is played with the same seeds, and what is analysed is
the mean over them. The same luck at all points leaves less of it in their differences; what is left is told as
`chance`."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from eduverse_mesa.errors import EduverseError, LessonError
from eduverse_mesa.experiments.engines import Engine, Serial
from eduverse_mesa.experiments.playing import Watch, measure_trials
from eduverse_mesa.experiments.sensitivity.inputs import OPTIONS, Input, check_inputs
from eduverse_mesa.experiments.sensitivity.methods import FIRST, STEP, Method, Points
from eduverse_mesa.experiments.subjects.courses import Courses
from eduverse_mesa.experiments.sweeps.folder import Facts, begin_sweep, count_done
from eduverse_mesa.experiments.sweeps.planning import Plan, plan_point
from eduverse_mesa.experiments.sweeps.reading import read_sweep
from eduverse_mesa.experiments.sweeps.report import run_values
from eduverse_mesa.experiments.sweeps.running import play_sweep
from eduverse_mesa.experiments.trials import Trial, check_runs, play_trial, with_parameters
from eduverse_mesa.measures.tables import plain
from eduverse_mesa.scenarios import Scenario, load_scenario

MEASURES = ("bec.*", "irf.irf", "network.density", "equity.gini_*")
"""Globs of what is looked at where nothing is asked for."""
_POINT = "point"
_TALK = "talk."


@dataclass(frozen=True)
class Study:
    """What is varied in which scenario, how, and what is looked at."""

    inputs: tuple[Input, ...]
    method: Method
    scenario: str | Path | None = None
    measures: tuple[str, ...] = MEASURES
    seeds: int = 5
    seed: int = 1
    policy: str = ""
    settings: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_inputs(self.inputs)
        if self.seeds < 1:
            raise EduverseError("nothing would be played.", where="seeds", mend="Give a number from 1 on.")
        check_runs(self.runs, f"{self.method.unit}, seeds")

    @property
    def runs(self) -> int:
        """How many runs it takes, where no two points are the same."""
        count = len(self.inputs)
        return self.method.size * (count + (1 if self.method.name == "morris" else 2)) * self.seeds

    def trials(self, points: Points) -> Iterator[Trial]:
        """Each distinct point with each seed."""
        return (trial for _, trial in self.plan(points).trials())

    def plan(self, points: Points) -> Plan:
        """What is to be played, its scenarios kept small: there may be very many."""
        distinct = dict.fromkeys(self.point(row) for row in points)
        planned = [
            plan_point(Courses(), self._scenario(values), self.policy, {_POINT: name_of(values)}) for values in distinct
        ]
        facts = Facts(
            name="sensitivity",
            title=f"{self.method.name} over {len(self.inputs)} inputs",
            measure=self.measurers,
            keep=self.measures,
            columns={_POINT: "text"},
        )
        return Plan(facts, tuple(planned), tuple(range(self.seed, self.seed + self.seeds)))

    @property
    def measurers(self) -> tuple[str, ...]:
        talk = [glob.startswith(_TALK) for glob in self.measures]
        return (*(("lessons",) if not all(talk) else ()), *(("talk",) if any(talk) else ()))

    def point(self, row: Points) -> tuple[float, ...]:
        return tuple(one.at(float(value)) for one, value in zip(self.inputs, row, strict=True))

    def _scenario(self, values: Sequence[float]) -> Scenario:
        given = list(zip(self.inputs, values, strict=True))
        factors = {one.key: int(value) if one.whole else value for one, value in given if one.kind == "factor"}
        options: dict[str, Any] = {name: factors.pop(name) for name in OPTIONS if name in factors}
        loaded = load_scenario(self.scenario, settings={**self.settings, **factors}, **options)
        return with_parameters(loaded, {one.name: value for one, value in given if one.kind == "parameter"})


@dataclass(frozen=True)
class Sensitivity:
    """What was found."""

    study: Study
    indices: pd.DataFrame
    """A row a measure and input: the method's indices, and `rank` among the inputs of the measure."""
    spread: pd.DataFrame
    """A row a measure: mean, least and most over the points, and `chance`."""
    runs: int

    def document(self) -> dict[str, Any]:
        """As plain JSON."""
        study = self.study
        document: dict[str, Any] = plain(
            {
                "method": study.method.name,
                study.method.unit: study.method.size,
                "seeds": study.seeds,
                "runs": self.runs,
                "inputs": [
                    {"name": one.name, "kind": one.kind, "low": one.low, "high": one.high} for one in study.inputs
                ],
                "measures": self.spread.to_dict("records"),
                "indices": self.indices.to_dict("records"),
            }
        )
        return document


def count_runs(study: Study, folder: Path | None = None) -> tuple[int, int]:
    """How many runs are left to play, and how many there are: each distinct point with each seed."""
    points = study.method.points(study.inputs)
    total = len({study.point(row) for row in points}) * study.seeds
    done = 0 if folder is None else count_done(folder)
    return max(total - done, 0), total


def seconds_a_run(study: Study) -> float:
    """How long one run takes in this process: one is played and timed, after one that loads what all need."""
    trial = next(study.trials(study.method.points(study.inputs)[:1]))
    play_trial(trial)
    began = time.perf_counter()
    play_trial(trial)
    return time.perf_counter() - began


def find_sensitivity(
    study: Study, engine: Engine | None = None, folder: Path | None = None, watch: Watch | None = None
) -> Sensitivity:
    """Play the study, in a sweep's folder if one is given, and analyse it. The same study in the same folder goes on
    where it was left."""
    points = study.method.points(study.inputs)
    if folder is None:
        rows = measure_trials(study.trials(points), engine, watch)
    else:
        rows = _in_folder(study.plan(points), engine, folder, watch)
    return analyse(study, points, rows)


def analyse(study: Study, points: Points, rows: pd.DataFrame) -> Sensitivity:
    """What rows of played trials say of the inputs."""
    whole = rows[(rows["student"] == "") & (rows["step"] == 0)]
    names = [name for name in dict.fromkeys(whole["measure"]) if any(fnmatchcase(name, g) for g in study.measures)]
    if not names:
        raise EduverseError(
            f"no measure is called like {', '.join(study.measures)}.",
            where="measure",
            mend=f"There are, among others, {', '.join(sorted(set(whole['measure']))[:12])}.",
        )
    runs = run_values(whole[whole["measure"].isin(names)], [_POINT]).set_index(["measure", _POINT, "seed"])["value"]
    found, spread = [], []
    order = [name_of(study.point(row)) for row in points]
    for name in names:
        values = runs[name].unstack("seed")
        means = values.mean(axis=1, skipna=False)
        table = study.method.indices(study.inputs, points, means.reindex(order).tolist())
        table.insert(0, "measure", name)
        table["rank"] = table[FIRST[study.method.name]].rank(ascending=False, method="first")
        found.append(table)
        spread.append({"measure": name, **_spread(values, means)})
    return Sensitivity(study, pd.concat(found, ignore_index=True), pd.DataFrame(spread), len(set(rows["trial"])))


def name_of(values: Sequence[float]) -> str:
    """A point as a factor of its trials: exact, and the same on every machine."""
    return " ".join(repr(value) for value in values)


def _spread(values: pd.DataFrame, means: pd.Series[float]) -> dict[str, float]:
    """Over the points; and `chance`: the mu* that luck alone would show if it were not the same at all points."""
    within = float(values.var(axis=1, ddof=1).mean()) if values.shape[1] > 1 else math.nan
    # The mean size of a difference of two means over the seeds, by the step that Morris takes.
    chance = math.sqrt(2 * within / values.shape[1]) * math.sqrt(2 / math.pi) / STEP
    return {
        "mean": float(means.mean()),
        "least": float(means.min()),
        "most": float(means.max()),
        "sd": float(np.std(means, ddof=1)) if len(means) > 1 else math.nan,
        "chance": chance,
    }


def _in_folder(plan: Plan, engine: Engine | None, folder: Path, watch: Watch | None) -> pd.DataFrame:
    with begin_sweep(folder, plan.facts, plan.trials()) as sweep:
        done = len(sweep.done())
        for ended in play_sweep(sweep, engine or Serial()):
            if ended.error:
                raise LessonError(f"run {ended.key} failed: {ended.error}")
            done += 1
            if watch is not None:
                watch(done)
        return read_sweep(sweep)
