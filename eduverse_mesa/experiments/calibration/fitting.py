"""Ensemble smoother with multiple data assimilation (Emerick and Reynolds 2013), by pyesmda.

A few hundred sets of parameters are drawn from the prior, each is played, and all are moved together by how parameters
and outcomes vary with each other; this is repeated a few times. What is left of their spread is the posterior. It is
likelihood-free: the lessons need only be played.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pandas as pd

from eduverse_mesa.errors import EduverseError, LessonError
from eduverse_mesa.experiments.calibration.free import prior_sd
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

    @property
    def values(self) -> dict[str, float]:
        """The mean of the posterior: what is shipped."""
        return {name: float(value) for name, value in zip(self.names, self.posterior.mean(axis=0), strict=True)}

    def spread(self) -> pd.DataFrame:
        """Prior and posterior of each parameter, and how much of the prior's variance the targets have taken away."""
        before, after = self.prior, self.posterior
        return pd.DataFrame(
            {
                "parameter": self.names,
                "prior_mean": before.mean(axis=0),
                "prior_sd": before.std(axis=0, ddof=1),
                "mean": after.mean(axis=0),
                "sd": after.std(axis=0, ddof=1),
                "low": np.quantile(after, 0.025, axis=0),
                "high": np.quantile(after, 0.975, axis=0),
                "learned": 1.0 - after.var(axis=0) / before.var(axis=0),
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
    """Fit parameters to targets. With a folder, what was played is kept there, and the same call goes on from it.

    `work` is what is fitted: it makes what was observed (JSON) of a Member (JSON).
    """
    plan = plan or Plan()
    smoother, covariance = _library()
    rng = np.random.default_rng(plan.seed)
    bounds = np.array([parameter.range for parameter in free.values()])
    start = np.array([parameter.value for parameter in free.values()])
    sds = np.array([prior_sd(parameter) for parameter in free.values()])
    prior = np.clip(start + sds * rng.standard_normal((plan.members, len(free))), bounds[:, 0], bounds[:, 1])
    history: list[pd.DataFrame] = []
    player = _Player(tuple(free), tuple(wanted), plan, engine or Serial(), work, folder, watch)

    def forward(ensemble: NDArray[np.float64]) -> NDArray[np.float64]:
        table = player.play(len(history), ensemble.T)
        history.append(table)
        return np.ascontiguousarray(_filled(table, wanted).to_numpy().T)

    solver = smoother(
        obs=np.array([target.value for target in wanted]),
        m_init=np.ascontiguousarray(prior.T),
        cov_obs=covariance(np.array([target.sd**2 for target in wanted])),
        forward_model=forward,
        n_assimilations=plan.assimilations,
        m_bounds=bounds,
        random_state=np.random.default_rng(plan.seed + 1),
        is_parallel_analyse_step=False,
    )
    solver.solve()
    return Fit(plan, tuple(free), prior, np.asarray(solver.m_posterior).T, tuple(history))


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
        done = _read(file)
        members = {
            f"{number}-{place}": Member(
                dict(zip(self._names, map(float, row), strict=True)),
                self._plan.seed + _APART * (number * self._plan.members + place + 1),
                self._plan.lessons,
            )
            for place, row in enumerate(ensemble)
        }
        known = {key: done[key][1] for key, member in members.items() if key in done and done[key][0] == member}
        tasks = (Task(key, msgspec.json.encode(member)) for key, member in members.items() if key not in known)
        for finished in self._engine.run(self._work, tasks):
            if finished.error:
                raise LessonError(f"member {finished.key} of the ensemble failed: {finished.error}")
            known[finished.key] = msgspec.json.decode(finished.answer, type=Observed)
            if file is not None:
                _append(file, _Kept(finished.key, members[finished.key], known[finished.key]))
            if self._watch is not None:
                self._watch(number, len(known))
        found = [known[key] for key in members]
        return pd.DataFrame(found, columns=[target.name for target in self._wanted], dtype=float)


def _filled(table: pd.DataFrame, wanted: Sequence[Target]) -> pd.DataFrame:
    """For the smoother, which knows no gaps: what a member could not show (no question of a kind in its few lessons)
    tells nothing, so it is the others' mean; what no member could show moves none of them, and is as if it were met."""
    return table.fillna(table.mean()).fillna({target.name: target.value for target in wanted})


class _Kept(msgspec.Struct):
    key: str
    member: Member
    observed: Observed


def _read(file: Path | None) -> dict[str, tuple[Member, Observed]]:
    """What was kept; a line that was being written when the program was killed is not there."""
    if file is None or not file.exists():
        return {}
    kept: dict[str, tuple[Member, Observed]] = {}
    for line in file.read_bytes().split(b"\n")[:-1]:
        try:
            entry = msgspec.json.decode(line, type=_Kept)
        except msgspec.DecodeError:
            continue
        kept[entry.key] = (entry.member, entry.observed)
    return kept


def _append(file: Path, entry: _Kept) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    broken = file.exists() and not file.read_bytes().endswith(b"\n")
    with file.open("ab") as out:
        out.write((b"\n" if broken else b"") + msgspec.json.encode(entry) + b"\n")


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
