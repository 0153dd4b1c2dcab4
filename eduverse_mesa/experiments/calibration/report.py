"""The worth of a fit: every target before and after, what was learned of each parameter, and what is predicted.

All of it is played anew, with seeds that the fit has never seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import pandas as pd

from eduverse_mesa.errors import EduverseError, LessonError
from eduverse_mesa.experiments.calibration.fit import WORK, Fit, Member, Observed
from eduverse_mesa.experiments.calibration.targets import Target
from eduverse_mesa.experiments.engines import Engine, Serial, Task, Work
from eduverse_mesa.experiments.papers.eduverse.designs import EXPERIMENTS, all_trials
from eduverse_mesa.experiments.papers.eduverse.findings import Findings, find
from eduverse_mesa.experiments.trials import measure_trials
from eduverse_mesa.measures.tables import plain
from eduverse_mesa.scenarios.parameters import Parameter, known_parameters

Watch = Callable[[str, int], object]
"""Hears what is being played, and how many lessons of it are done."""

FRESH = 900_000_000
"""Seeds from here on are not used to fit."""
TOGETHER = 0.7
"""Two parameters that are correlated more than this in the posterior can hardly be told apart."""

_GROUPS = {
    "bec": "BEC shares, single lessons",
    "irf": "rates, single lessons",
    "session": "positive states by session",
    "student": "positive states by student",
    "talk": "talk of real classes",
    "class": "real classes, other",
}
_STEPS, _LENGTHS = "steps of a lesson", "lengths of turns in real classes"
_OF_LENGTH = ("talk.words_per", "talk.ratio_answer_length")


@dataclass(frozen=True)
class Calibration:
    """A fit, and what it is worth."""

    fit: Fit
    targets: pd.DataFrame
    """target, group, wanted, sd, before, after."""
    before: Findings | None = None
    """The papers' experiments with the parameters as they were; None where they were not asked for."""
    after: Findings | None = None
    profiles: pd.DataFrame | None = None
    """The result of `profile`; None where none was asked for."""

    @property
    def groups(self) -> pd.DataFrame:
        """Mean absolute errors of the targets by group, before and after; and in the standard deviations asked for."""
        table = self.targets
        errors = pd.DataFrame(
            {
                "group": table["group"],
                "before": (table["before"] - table["wanted"]).abs(),
                "after": (table["after"] - table["wanted"]).abs(),
            }
        )
        errors["before_sds"], errors["after_sds"] = (errors[name] / table["sd"] for name in ("before", "after"))
        found = errors.groupby("group", sort=False)
        return found.mean().assign(targets=found.size()).reset_index()

    @property
    def alike(self) -> list[tuple[str, str, float]]:
        """Pairs of parameters that the targets cannot tell apart, with their correlation, the closest first."""
        names, correlations = self.fit.names, np.atleast_2d(np.corrcoef(self.fit.posterior.T))
        pairs = [
            (names[one], names[other], float(correlations[one, other]))
            for one in range(len(names))
            for other in range(one)
            if abs(correlations[one, other]) > TOGETHER
        ]
        return sorted(pairs, key=lambda pair: -abs(pair[2]))

    def document(self) -> dict[str, Any]:
        """Return the report as one JSON document."""
        made: dict[str, Any] = plain(
            {
                "values": self.fit.values,
                "parameters": self.fit.spread().to_dict("records"),
                "learned_by_chance": {"mean": float(self.fit.idle.mean()), "floor": self.fit.floor},
                "targets": self.targets.to_dict("records"),
                "groups": self.groups.to_dict("records"),
                "profiles": [] if self.profiles is None else self.profiles.to_dict("records"),
                "alike": [{"one": one, "other": other, "correlation": value} for one, other, value in self.alike],
            }
        )
        return made


def judge_fit(
    fit: Fit,
    wanted: tuple[Target, ...],
    engine: Engine | None = None,
    *,
    lessons: int = 20,
    predict_seeds: int = 0,
    watch: Watch | None = None,
) -> Calibration:
    """Play every target anew, `lessons` of each, with the parameters as their sources have
    them and as they were fitted; with `predict_seeds` also the
    papers' experiments, whose other cells no fit has seen."""
    sources = {name: parameter.value for name, parameter in known_parameters().items()}
    with_fit, without = (_observed(values, lessons, engine, watch) for values in (fit.values, sources))
    table = pd.DataFrame(
        [
            {
                "target": target.name,
                "group": _group(target.name),
                "wanted": target.value,
                "sd": target.sd,
                "before": without.get(target.name, np.nan),
                "after": with_fit.get(target.name, np.nan),
            }
            for target in wanted
        ]
    )
    if not predict_seeds:
        return Calibration(fit, table)
    before, after = (_predicted(values, predict_seeds, engine, watch) for values in (sources, fit.values))
    return Calibration(fit, table, before, after)


def _group(target: str) -> str:
    if target.endswith(".steps"):
        return _STEPS
    return _LENGTHS if target.startswith(_OF_LENGTH) else _GROUPS[target.partition(".")[0]]


def _observed(parameters: Mapping[str, float], lessons: int, engine: Engine | None, watch: Watch | None) -> Observed:
    """The mean over so many lessons, one a task."""
    tasks = [
        Task(str(number), msgspec.json.encode(Member(dict(parameters), FRESH + number, 1))) for number in range(lessons)
    ]
    found: dict[int, Observed] = {}
    for finished in (engine or Serial()).run(WORK, tasks):
        if finished.error:
            raise LessonError(f"lesson {finished.key} of the targets failed: {finished.error}")
        found[int(finished.key)] = msgspec.json.decode(finished.answer, type=Observed)
        if watch is not None:
            watch("targets", len(found))
    means = pd.DataFrame([found[number] for number in range(lessons)]).mean()
    return {str(name): float(value) for name, value in means.items()}


def _predicted(parameters: Mapping[str, float], seeds: int, engine: Engine | None, watch: Watch | None) -> Findings:
    experiments = tuple(EXPERIMENTS.values())
    settings = {f"parameters.{name}": value for name, value in parameters.items()}
    hear = None if watch is None else (lambda done: watch("experiments", done))
    return find(experiments, measure_trials(all_trials(experiments, seeds, settings=settings), engine, hear))


ProfileWatch = Callable[[int], object]
"""Hears how many lessons are done."""

SEEDS = 950_000_000
"""Seeds from here on: neither used to fit nor to judge."""
_WIDE = 2.0
"""Standard deviations of what was expected before the fit, to both sides."""


def best_learned(fit: Fit, count: int) -> tuple[str, ...]:
    """The parameters of which the targets have told most."""
    spread = fit.spread().sort_values("learned", ascending=False, kind="stable")
    return tuple(str(name) for name in spread["parameter"].head(count))


def profile(
    fit: Fit,
    free: dict[str, Parameter],
    wanted: Sequence[Target],
    engine: Engine | None = None,
    *,
    parameters: Sequence[str] = (),
    points: int = 7,
    lessons: int = 4,
    watch: ProfileWatch | None = None,
    work: Work = WORK,
) -> pd.DataFrame:
    """Columns parameter, value, misfit and fitted: a row a point, over what was expected of the parameter before.

    The misfit is the mean over targets of the squared distance, in the standard deviations asked for; lessons have the
    same luck at every point, so that only the parameter makes a difference.
    """
    if points < 3 or lessons < 1:
        raise EduverseError(
            "that is too little for a profile.", where="points, lessons", mend="Give 3 points and 1 lesson at least."
        )
    fitted = fit.values
    names = tuple(parameters) or fit.names
    plan = {name: _points(fit, free[name], fit.names.index(name), points) for name in names}
    tasks = [
        Task(
            f"{name}/{place}/{lesson}",
            msgspec.json.encode(Member({**fitted, name: value}, SEEDS + lesson, 1)),
        )
        for name, values in plan.items()
        for place, value in enumerate(values)
        for lesson in range(lessons)
    ]
    played: dict[str, Observed] = {}
    for finished in (engine or Serial()).run(work, tasks):
        if finished.error:
            raise LessonError(f"point {finished.key} of a profile failed: {finished.error}")
        played[finished.key] = msgspec.json.decode(finished.answer, type=Observed)
        if watch is not None:
            watch(len(played))
    return pd.DataFrame(
        [
            {
                "parameter": name,
                "value": value,
                "misfit": _misfit([played[f"{name}/{place}/{lesson}"] for lesson in range(lessons)], wanted),
                "fitted": fitted[name],
            }
            for name, values in plan.items()
            for place, value in enumerate(values)
        ]
    )


def _points(fit: Fit, parameter: Parameter, column: int, points: int) -> list[float]:
    """Evenly over what was expected, and the fitted value itself."""
    before = fit.prior[:, column]
    middle, wide = float(before.mean()), _WIDE * float(before.std(ddof=1))
    least, most = (float(end) for end in np.clip((middle - wide, middle + wide), *parameter.range))
    return sorted({*map(float, np.linspace(least, most, points)), float(fit.posterior[:, column].mean())})


def _misfit(found: Sequence[Observed], wanted: Sequence[Target]) -> float:
    means = pd.DataFrame(found).mean()
    off = [(means[target.name] - target.value) / target.sd for target in wanted if target.name in means.index]
    return float(np.mean(np.square(off)))
