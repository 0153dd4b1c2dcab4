"""Morris' and Sobol's methods, by SALib: where to look, and what the numbers found there say of each input.

- Morris (1991; mu* after Campolongo et al. 2007) changes one input at a time along random paths. mu*: how much the
  result changes, on average, when the input goes through its whole range. sigma: how much that depends on the place,
  that is on the other inputs or on the input itself. Cheap: it tells what matters at all.
- Sobol (2001; total effects after Saltelli et al. 2010) splits the variance of the result. S1: the share that an input
  explains alone. ST: the share that would go if it were known, with all it does together with others. Dearer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.experiments.sensitivity.inputs import Input
from eduverse_mesa.measures.tables import NAN

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
"""What Morris changes an input by, as a share of its range. SALib divides by it; whole numbers are moved by more
or less, since its levels are rounded, and that by all alike: `_step_of`."""


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
        """What the size counts."""
        return "trajectories" if self.name == "morris" else "samples"

    @property
    def _beyond(self) -> float:
        """How far beyond their bounds whole numbers are drawn: half a step, so that rounding gives Sobol the least
        and the greatest as often as any other. Morris' method looks at the bounds themselves."""
        return 0.5 if self.name == "sobol" else 0.0

    def points(self, inputs: Sequence[Input]) -> Points:
        """Where to look: a row a point, a column an input."""
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
    """What Morris really changes an input by, as a share of its range: from the first level to the third, and from the
    second to the fourth, which is the same by symmetry (no third of a whole number lies half way between two)."""
    width = one.high - one.low
    return (one.at(one.low + STEP * width) - one.low) / width
