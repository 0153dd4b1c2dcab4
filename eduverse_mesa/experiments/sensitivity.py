"""Sensitivity of the classroom: what is varied, Morris' and Sobol's methods by SALib, and a study of both."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from eduverse_mesa.errors import EduverseError, LessonError
from eduverse_mesa.experiments.engines import Engine, Serial
from eduverse_mesa.experiments.subjects import Courses
from eduverse_mesa.experiments.sweeps.execution import play_sweep
from eduverse_mesa.experiments.sweeps.folder import Facts, begin_sweep, count_done, read_sweep
from eduverse_mesa.experiments.sweeps.plan import SweepPlan, plan_point
from eduverse_mesa.experiments.sweeps.report import run_values
from eduverse_mesa.experiments.trials import Trial, Watch, check_runs, measure_trials, play_trial, with_parameters
from eduverse_mesa.measures.tables import NAN, plain
from eduverse_mesa.scenarios import Scenario, load_scenario
from eduverse_mesa.scenarios.parameters import known_parameters, load_parameters
from eduverse_mesa.scenarios.problems import suggest

__all__ = [
    "MEASURES",
    "Input",
    "Method",
    "Sensitivity",
    "Study",
    "analyse",
    "choose_parameters",
    "count_runs",
    "find_sensitivity",
    "read_factor",
    "seconds_a_run",
]

SPREAD: Mapping[str, float] = {"value": 0.5, "range": 0.25}
"""How far to each side, as a share of the parameter's own value, or of its documented range."""
_OF_RANGE_AT_ZERO = 0.1
_SHORT = {"interest": "lessons.0.interest", "demand": "lessons.0.demand"}
OPTIONS = ("students", "steps", "sessions")
"""Factors that are options of a scenario and no values in it."""
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"


@dataclass(frozen=True)
class Input:
    """One number that is varied."""

    name: str
    low: float
    high: float
    kind: Literal["parameter", "factor"]
    whole: bool = False
    """True if only whole numbers make sense: 24 students, not 24.5."""

    @property
    def key(self) -> str:
        """The key that is changed in a scenario."""
        return _SHORT.get(self.name, self.name)

    def at(self, value: float) -> float:
        """A drawn value as it is used."""
        return min(max(float(math.floor(value + 0.5)), self.low), self.high) if self.whole else value


def choose_parameters(
    globs: Iterable[str],
    around: str = "value",
    spread: float | None = None,
    changed: Mapping[str, float] | None = None,
) -> tuple[Input, ...]:
    """The parameters whose names match, in their order; `changed` are the scenario's own values."""
    if around not in SPREAD:
        raise EduverseError(
            f"'{around[:40]}' is nothing to vary around.", where="around", mend=f"Take {' or '.join(SPREAD)}."
        )
    share = SPREAD[around] if spread is None else spread
    if not 0 < share <= 1:
        raise EduverseError(f"{share:g} is no share.", where="spread", mend="Give a number above 0, at most 1.")
    known, values = known_parameters(), load_parameters(changed)
    chosen: dict[str, Input] = {}
    for glob in globs:
        found = [name for name in known if fnmatchcase(name, glob)]
        if not found:
            raise EduverseError(
                f"no parameter is called like '{glob[:80]}'.",
                where="parameters",
                mend=f"{suggest(glob, known)}See docs/reference/parameters.md; write for example 'attention.*'.",
            )
        for name in found:
            low, high = known[name].range
            value, width = values[name], high - low
            half = share * (width if around == "range" else abs(value) or _OF_RANGE_AT_ZERO * width)
            chosen[name] = Input(name, max(low, value - half), min(high, value + half), "parameter")
    return tuple(chosen[name] for name in known if name in chosen)


def read_factor(text: str) -> Input:
    """`students=20:30` or `interest=0.2:0.8` as a factor of the scenario."""
    match = re.fullmatch(rf"\s*([^=\s]+)\s*=\s*({_NUMBER})\s*:\s*({_NUMBER})\s*", text)
    if match is None:
        raise EduverseError(
            f"'{text[:60]}' is no factor.", where="factors", mend="Write KEY=LOW:HIGH, such as students=20:30."
        )
    name, low, high = match[1], float(match[2]), float(match[3])
    if not low < high < math.inf:
        raise EduverseError(f"{low:g} is not below {high:g}.", where=f"factors={text[:60]}", mend="Swap the two.")
    whole = all(re.fullmatch(r"[+-]?\d+", bound) for bound in match.group(2, 3))
    if name in OPTIONS and not whole:
        raise EduverseError(
            f"{name} are whole numbers.", where=f"factors={text[:60]}", mend=f"Write for example {name}=20:30."
        )
    return Input(name, low, high, "factor", whole)


def check_inputs(inputs: Sequence[Input]) -> None:
    """Stop where there is nothing to vary, or where one thing would be varied twice."""
    if not inputs:
        raise EduverseError(
            "nothing is varied.",
            where="sensitivity",
            mend="Name parameters such as 'attention.*', or factors such as students=20:30.",
        )
    keys = [one.key for one in inputs]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        raise EduverseError(f"{twice} is varied twice.", where="factors", mend="Give it once.")


MethodName = Literal["morris", "sobol"]
Points = npt.NDArray[np.float64]
COLUMNS: dict[MethodName, tuple[str, ...]] = {
    "morris": ("mu", "mu_star", "mu_star_conf", "sigma"),
    "sobol": ("S1", "S1_conf", "ST", "ST_conf"),
}
FIRST: dict[MethodName, str] = {"morris": "mu_star", "sobol": "ST"}
"""By what inputs are ranked."""
_LEVELS = 4
_RESAMPLES = 200
STEP = _LEVELS / (2 * (_LEVELS - 1))
"""The step by which Morris changes an input, as a share of its range. SALib divides by it; whole numbers are moved by
more or less, since its levels are rounded, and that by all alike: `_step_of`."""


@dataclass(frozen=True)
class Method:
    """A method with its size: trajectories of Morris, base samples of Sobol."""

    name: MethodName
    size: int
    seed: int = 1

    def __post_init__(self) -> None:
        if self.name not in COLUMNS:
            raise EduverseError(
                f"there is no method '{self.name}'.", where="method", mend=f"Take {' or '.join(COLUMNS)}."
            )
        if self.size < 2:
            raise EduverseError(f"{self.size} is too few.", where=self.unit, mend="Take 4 or more.")
        if self.name == "sobol" and self.size & (self.size - 1):
            near = 1 << (self.size.bit_length() - 1)
            raise EduverseError(
                f"{self.size} is no power of two, which Sobol's points need to be even.",
                where="samples",
                mend=f"Take {near} or {2 * near}.",
            )

    @property
    def unit(self) -> str:
        """The unit that the size counts."""
        return "trajectories" if self.name == "morris" else "samples"

    @property
    def _beyond(self) -> float:
        """How far beyond their bounds whole numbers are drawn: half a step, so that rounding gives Sobol the least
        and the greatest as often as any other. Morris' method looks at the bounds themselves."""
        return 0.5 if self.name == "sobol" else 0.0

    def points(self, inputs: Sequence[Input]) -> Points:
        """Return the points to be played: a row a point, a column an input."""
        problem, salib = _problem(inputs, self._beyond), _salib()
        if self.name == "morris":
            found = salib.morris_sample(problem, self.size, num_levels=_LEVELS, seed=self.seed)
        else:
            found = salib.sobol_sample(problem, self.size, calc_second_order=False, seed=self.seed)
        return np.asarray(found, dtype=np.float64)

    def indices(self, inputs: Sequence[Input], points: Points, found: Sequence[float]) -> pd.DataFrame:
        """A row an input: what the results at the points say of it. NaN where some of them could not be told."""
        values = np.asarray(found, dtype=np.float64)
        columns = COLUMNS[self.name]
        if not np.isfinite(values).all():
            told: dict[str, Any] = dict.fromkeys(columns, NAN)
        elif np.ptp(values) == 0:  # nothing moved it: no effect, and no variance that could be split
            told = dict.fromkeys(columns, 0.0 if self.name == "morris" else NAN)
        else:
            told = self._analyse(inputs, points, values)
        rows = {"input": [one.name for one in inputs]}
        return pd.DataFrame({**rows, **{column: np.asarray(told[column], dtype=float) for column in columns}})

    def _analyse(self, inputs: Sequence[Input], points: Points, values: Points) -> dict[str, Any]:
        problem, salib = _problem(inputs, self._beyond), _salib()
        more = {"num_resamples": _RESAMPLES, "seed": self.seed}
        if self.name == "morris":
            told = salib.morris_analyse(problem, points, values, num_levels=_LEVELS, **more)
            per_step = np.array([STEP / _step_of(one) for one in inputs])
            return {column: np.asarray(told[column], dtype=float) * per_step for column in COLUMNS["morris"]}
        return dict(salib.sobol_analyse(problem, values, calc_second_order=False, **more))


@dataclass(frozen=True)
class _Salib:
    """The four functions of SALib that are used."""

    morris_sample: Any
    sobol_sample: Any
    morris_analyse: Any
    sobol_analyse: Any


def _salib() -> _Salib:
    try:
        from SALib.analyze import morris as morris_analysis
        from SALib.analyze import sobol as sobol_analysis
        from SALib.sample import morris, sobol
    except ImportError as error:
        raise EduverseError(
            "SALib is not installed.", where="sensitivity", mend="pip install 'eduverse-mesa[experiments]'"
        ) from error
    return _Salib(morris.sample, sobol.sample, morris_analysis.analyze, sobol_analysis.analyze)


def _problem(inputs: Sequence[Input], beyond: float) -> dict[str, Any]:
    return {
        "num_vars": len(inputs),
        "names": [one.name for one in inputs],
        "bounds": [[one.low - beyond * one.whole, one.high + beyond * one.whole] for one in inputs],
    }


def _step_of(one: Input) -> float:
    """Return the step by which Morris really changes an input, as a share of its range: from the first level to the
    third, and from the second to the fourth, which is the same by symmetry (no third of a whole number lies half way
    between two)."""
    width = one.high - one.low
    return (one.at(one.low + STEP * width) - one.low) / width


MEASURES = ("bec.*", "irf.irf", "network.density", "equity.gini_*")
"""Globs of what is looked at where nothing is asked for."""
_POINT = "point"
_TALK = "talk."


@dataclass(frozen=True)
class Study:
    """A study of sensitivity: the scenario, the inputs that are varied, the method, and the measures."""

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
        """Number of runs that the study takes if no two points are the same."""
        count = len(self.inputs)
        return self.method.size * (count + (1 if self.method.name == "morris" else 2)) * self.seeds

    def trials(self, points: Points) -> Iterator[Trial]:
        """Each distinct point with each seed."""
        return (trial for _, trial in self.plan(points).trials())

    def plan(self, points: Points) -> SweepPlan:
        """Return the plan of the runs, its scenarios kept small: there may be very many."""
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
        return SweepPlan(facts, tuple(planned), tuple(range(self.seed, self.seed + self.seeds)))

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
    """The results of a study."""

    study: Study
    indices: pd.DataFrame
    """A row a measure and input: the method's indices, and `rank` among the inputs of the measure."""
    spread: pd.DataFrame
    """A row a measure: mean, least and most over the points, and `chance`."""
    runs: int

    def document(self) -> dict[str, Any]:
        """Return the results as plain JSON."""
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
    """Return the number of runs left to play, and the number of all: each distinct point with each seed."""
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
    """Return the sensitivity of the measures to the inputs, from the rows of played trials."""
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


def _in_folder(plan: SweepPlan, engine: Engine | None, folder: Path, watch: Watch | None) -> pd.DataFrame:
    with begin_sweep(folder, plan.facts, plan.trials()) as sweep:
        done = len(sweep.done())
        for ended in play_sweep(sweep, engine or Serial()):
            if ended.error:
                raise LessonError(f"run {ended.key} failed: {ended.error}")
            done += 1
            if watch is not None:
                watch(done)
        return read_sweep(sweep)
