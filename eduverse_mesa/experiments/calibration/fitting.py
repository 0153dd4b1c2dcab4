"""Ensemble smoother with multiple data assimilation (Emerick and Reynolds 2013), by pyesmda.

A few hundred sets of parameters are drawn from the prior, each is played, and all are moved together by how parameters
and outcomes vary with each other; this is repeated a few times. What is left of their spread is the posterior. It is
likelihood-free: the lessons need only be played.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pandas as pd

from eduverse_mesa.errors import EduverseError, LessonError
from eduverse_mesa.experiments.calibration.free import prior_sd
from eduverse_mesa.experiments.calibration.keeping import Ensemble, Kept, about, alone_with
from eduverse_mesa.experiments.calibration.observing import WORK, Member, Observed
from eduverse_mesa.experiments.calibration.targets import Target
from eduverse_mesa.experiments.engines import Engine, Serial, Task, Work
from eduverse_mesa.scenarios.parameters import Parameter

if TYPE_CHECKING:
    from numpy.typing import NDArray

Watch = Callable[[int, int], object]
"""Hears which assimilation is being played, and how many members of it are done."""

_APART = 1000
"""Seeds between members: each is played with other luck, so that none is fitted to."""
IDLE = 200
"""Parameters that are drawn and moved with the others and never played: what they seem to have learned is chance."""
ABOVE_CHANCE = 0.95
"""Of the idle ones lie so many below the floor: of parameters that do nothing, 1 in 20 is above it all the same."""
_CLOSE = 1e-9
"""How near numbers of a member that is played again are, if nothing has changed but the machine."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How to fit."""

    members: int = 200
    assimilations: int = 4
    lessons: int = 2
    seed: int = 1

    def __post_init__(self) -> None:
        if self.members < 8 or self.assimilations < 1 or self.lessons < 1:
            raise EduverseError(
                "that is too little to fit anything.",
                where="members, assimilations, lessons",
                mend="Give 8 members, 1 assimilation and 1 lesson at least.",
            )


@dataclass(frozen=True, slots=True)
class Fit:
    """What came of it."""

    plan: Plan
    names: tuple[str, ...]
    prior: NDArray[np.float64]
    """A row a member, a column a parameter."""
    posterior: NDArray[np.float64]
    history: tuple[pd.DataFrame, ...]
    """What the members of each assimilation, and at last those of the posterior, have yielded: a row a member, a column
    a target, NaN for what a member could not show."""
    idle: NDArray[np.float64]
    """What each of the idle parameters seems to have learned."""

    @property
    def floor(self) -> float:
        """What a parameter that does nothing can seem to have learned in this fit. An ensemble is finite: chance
        correlations between what was drawn and what was played take variance away, too."""
        return float(np.quantile(self.idle, ABOVE_CHANCE))

    @property
    def values(self) -> dict[str, float]:
        """The mean of the posterior: what is shipped."""
        return {name: float(value) for name, value in zip(self.names, self.posterior.mean(axis=0), strict=True)}

    def spread(self) -> pd.DataFrame:
        """Prior and posterior of each parameter, how much of the prior's variance the fit has taken away, and whether
        that is more than chance takes: told."""
        before, after = self.prior, self.posterior
        learned = _learned(before, after)
        return pd.DataFrame(
            {
                "parameter": self.names,
                "prior_mean": before.mean(axis=0),
                "prior_sd": before.std(axis=0, ddof=1),
                "mean": after.mean(axis=0),
                "sd": after.std(axis=0, ddof=1),
                "low": np.quantile(after, 0.025, axis=0),
                "high": np.quantile(after, 0.975, axis=0),
                "learned": learned,
                "told": learned > self.floor,
            }
        )


def fit(
    free: dict[str, Parameter],
    wanted: Sequence[Target],
    plan: Plan | None = None,
    *,
    engine: Engine | None = None,
    folder: Path | None = None,
    watch: Watch | None = None,
    work: Work = WORK,
) -> Fit:
    """Fit parameters to targets. With a folder, what was played is kept there, and the same call goes on from it;
    another one is refused there.

    `work` is what is fitted: it makes what was observed (JSON) of a Member (JSON).
    """
    plan = plan or Plan()
    smoother, covariance = _library()
    rng = np.random.default_rng(plan.seed)
    bounds = np.array([parameter.range for parameter in free.values()])
    start = np.array([parameter.value for parameter in free.values()])
    sds = np.array([prior_sd(parameter) for parameter in free.values()])
    prior = np.clip(start + sds * rng.standard_normal((plan.members, len(free))), bounds[:, 0], bounds[:, 1])
    # Drawn by themselves: what is fitted is the same with them and without.
    idle = np.random.default_rng((plan.seed, IDLE)).standard_normal((plan.members, IDLE))
    history: list[pd.DataFrame] = []
    player = _Player(tuple(free), tuple(wanted), plan, engine or Serial(), work, folder, watch)

    def forward(ensemble: NDArray[np.float64]) -> NDArray[np.float64]:
        table = player.play(len(history), ensemble.T[:, : len(free)])
        history.append(table)
        return np.ascontiguousarray(_filled(table, wanted).to_numpy().T)

    solver = smoother(
        obs=np.array([target.value for target in wanted]),
        m_init=np.ascontiguousarray(np.hstack((prior, idle)).T),
        cov_obs=covariance(np.array([target.sd**2 for target in wanted])),
        forward_model=forward,
        n_assimilations=plan.assimilations,
        m_bounds=np.vstack((bounds, np.tile((-np.inf, np.inf), (IDLE, 1)))),
        random_state=np.random.default_rng(plan.seed + 1),
        is_parallel_analyse_step=False,
    )
    with alone_with(folder, about(plan, free, wanted, work)):
        solver.solve()
    moved = np.asarray(solver.m_posterior).T
    posterior = moved[:, : len(free)]
    return Fit(plan, tuple(free), prior, posterior, tuple(history), _learned(idle, moved[:, len(free) :]))


def _learned(before: NDArray[np.float64], after: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of the variance of each column that is gone."""
    return np.asarray(1.0 - after.var(axis=0) / before.var(axis=0))


class _Player:
    """Plays ensembles, and keeps what they yielded."""

    def __init__(
        self,
        names: tuple[str, ...],
        wanted: tuple[Target, ...],
        plan: Plan,
        engine: Engine,
        work: Work,
        folder: Path | None,
        watch: Watch | None,
    ) -> None:
        self._names = names
        self._wanted = wanted
        self._plan = plan
        self._engine = engine
        self._work = work
        self._folder = folder
        self._watch = watch

    def play(self, number: int, ensemble: NDArray[np.float64]) -> pd.DataFrame:
        """What each member yields: a row a member."""
        file = None if self._folder is None else self._folder / f"ensemble-{number}.jsonl"
        kept = Ensemble(file)
        members = {
            f"{number}-{place}": Member(
                dict(zip(self._names, map(float, row), strict=True)),
                self._plan.seed + _APART * (number * self._plan.members + place + 1),
                self._plan.lessons,
            )
            for place, row in enumerate(ensemble)
        }
        found = {key: kept.find(key, member) for key, member in members.items()}
        known = {key: observed for key, observed in found.items() if observed is not None}
        if known and number == 0:
            self._expect_same_rules(members, known)
        tasks = (Task(key, msgspec.json.encode(member)) for key, member in members.items() if key not in known)
        for finished in self._engine.run(self._work, tasks):
            if finished.error:
                raise LessonError(f"member {finished.key} of the ensemble failed: {finished.error}")
            known[finished.key] = msgspec.json.decode(finished.answer, type=Observed)
            kept.keep(Kept(finished.key, members[finished.key], known[finished.key]))
            if self._watch is not None:
                self._watch(number, len(known))
        rows = [known[key] for key in members]
        return pd.DataFrame(rows, columns=[target.name for target in self._wanted], dtype=float)

    def _expect_same_rules(self, members: dict[str, Member], known: dict[str, Observed]) -> None:
        """Play one of those that were played once more: a version under work has other rules from day to day."""
        key = next(iter(known))
        for again in self._engine.run(self._work, [Task(key, msgspec.json.encode(members[key]))]):
            if again.error:
                raise LessonError(f"member {key} of the ensemble failed: {again.error}")
            observed = msgspec.json.decode(again.answer, type=Observed)
            same = observed.keys() == known[key].keys() and all(
                math.isclose(value, known[key][name], rel_tol=_CLOSE, abs_tol=_CLOSE)
                for name, value in observed.items()
            )
            if not same:
                raise EduverseError(
                    "what was played there was played by other rules.",
                    where=str(self._folder),
                    mend="Take another folder, and fit anew.",
                )


def _filled(table: pd.DataFrame, wanted: Sequence[Target]) -> pd.DataFrame:
    """For the smoother, which knows no gaps: what a member could not show (no question of a kind in its few lessons)
    tells nothing, so it is the others' mean; what no member could show moves none of them, and is as if it were met."""
    return table.fillna(table.mean()).fillna({target.name: target.value for target in wanted})


def _library() -> tuple[type, type]:
    try:
        from covmats import CovViaDiagonal
        from pyesmda import ESMDA
    except ImportError as error:
        raise EduverseError(
            "the library that fits is not installed.",
            where="calibration",
            mend='Install it with: pip install "eduverse-mesa[experiments]"',
        ) from error
    return ESMDA, CovViaDiagonal
