"""What a fit is worth: every target before and after, what was learned of each parameter, and what is predicted.

All of it is played anew, with seeds that the fit has never seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import pandas as pd

from eduverse_mesa.errors import LessonError
from eduverse_mesa.experiments.calibration.fitting import Fit
from eduverse_mesa.experiments.calibration.observing import WORK, Member, Observed
from eduverse_mesa.experiments.calibration.targets import Target
from eduverse_mesa.experiments.engines import Engine, Serial, Task
from eduverse_mesa.experiments.papers.designs import EXPERIMENTS, all_trials
from eduverse_mesa.experiments.papers.findings import Findings, find
from eduverse_mesa.experiments.playing import measure_trials
from eduverse_mesa.measures.tables import plain
from eduverse_mesa.scenarios.parameters import known_parameters

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
    """Of calibration.profiles.profile; None where none was asked for."""

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
        """As one JSON document."""
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
