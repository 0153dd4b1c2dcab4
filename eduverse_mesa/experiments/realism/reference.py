"""References for simulated lessons: the published figures of real classes, or transcripts of one's own."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from statistics import fmean, stdev

import pandas as pd

from eduverse_mesa.errors import TableError
from eduverse_mesa.experiments.realism.measures import Quantiles, ks_bounds, ks_distance, ks_to_quantiles, quantile
from eduverse_mesa.measures import REAL_CLASS_MEASURES, load_reference, measure_lessons, read_transcripts
from eduverse_mesa.measures.tables import NAN

SHARES = (0.10, 0.25, 0.50, 0.75, 0.90)
PUBLISHED = "231 mathematics lessons of 14 teachers (TalkMoves; Suresh et al. 2022)"


@dataclass(frozen=True)
class Known:
    """The known figures of one measure of real lessons."""

    lessons: int
    mean: float
    sd: float
    quantiles: Quantiles
    values: tuple[float, ...] = ()
    """The single lessons, where they are at hand."""

    def distance(self, simulated: Sequence[float]) -> float:
        """KS distance of simulated lessons: exact where the single real lessons are at hand."""
        if self.values:
            return ks_distance(simulated, self.values)
        return ks_to_quantiles(simulated, self.quantiles)

    def bounds(self, simulated: Sequence[float]) -> tuple[float, float]:
        """The least and the largest that it can be: the same number twice where it is exact."""
        if self.values:
            distance = ks_distance(simulated, self.values)
            return distance, distance
        return ks_bounds(simulated, self.quantiles)


@dataclass(frozen=True)
class Reference:
    """Real lessons, measure by measure."""

    title: str
    known: Mapping[str, Known]
    exact: bool
    """True if distances are between samples; else they are between a sample and published quantiles."""
    fitted_to: bool = False
    """True if these are the lessons whose means the default parameters were fitted to."""


def published() -> Reference:
    """The figures that come with the package."""
    table = load_reference(files("eduverse_mesa.scenarios") / "reference" / "real_classes.csv")
    rows = table.set_index("metric").to_dict("index")
    known = {
        name: Known(
            int(rows[name]["lessons"]),
            float(rows[name]["mean"]),
            float(rows[name]["sd"]),
            {share: float(rows[name][f"q{share * 100:.0f}"]) for share in SHARES},
        )
        for name in REAL_CLASS_MEASURES
    }
    return Reference(PUBLISHED, known, exact=False, fitted_to=True)


def from_transcripts(paths: Iterable[str | Path]) -> Reference:
    """Transcripts of a user's own; lessons too short for a rate are left out, as in the published figures."""
    measured = measure_lessons(read_transcripts(paths))
    full = measured.loc[~measured["short"]]
    if full.empty:
        raise TableError(
            "every lesson has fewer than 20 turns of the teacher or of students.",
            where="reference",
            mend="Give transcripts of whole lessons, a row a sentence.",
        )
    known = {name: summarise(values_of(full, name)) for name in REAL_CLASS_MEASURES}
    lessons = f"{len(full)} lesson{'s' if len(full) > 1 else ''} of your own"
    return Reference(lessons, known, exact=True)


def summarise(values: Sequence[float]) -> Known:
    """Mean, sd and quantiles of some lessons."""
    return Known(
        len(values),
        fmean(values) if values else NAN,
        stdev(values) if len(values) > 1 else NAN,
        {share: quantile(values, share) for share in SHARES},
        tuple(values),
    )


def values_of(table: pd.DataFrame, column: str) -> list[float]:
    """The values of a column that could be measured."""
    return [float(value) for value in table[column].tolist() if math.isfinite(value)]
