"""The report of a sweep: the mean of each measure at each level of each factor, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from shlex import quote
from typing import Any

import pandas as pd

from eduverse_mesa.errors import SweepError
from eduverse_mesa.experiments.sweeps.execution import Status, status_of
from eduverse_mesa.experiments.sweeps.folder import SweepFolder, read_sweep
from eduverse_mesa.measures.intervals import bounds_of, mean_interval

ALL = "all runs"
COLUMNS = ("factor", "level", "measure", "mean", "low", "high", "n")
_MOST_LEVELS = 12
"""Beyond that a factor's numbers are put together in groups of equal size."""
_GROUPS = 5


@dataclass(frozen=True)
class SweepReport:
    """A sweep's means, by factor and level (columns: COLUMNS), and how far it is."""

    name: str
    title: str
    status: Status
    means: pd.DataFrame
    whole: int
    """Seeds of which all points are done. Only their runs are counted, unless there is none."""

    def document(self) -> dict[str, Any]:
        """The report as plain data; what cannot be known is null."""
        rows = [
            {name: None if value != value else value for name, value in row.items()}
            for row in self.means.to_dict("records")
        ]
        return {"sweep": self.name, "runs": self.status.done, "of": self.status.trials, "means": rows}


def report_sweep(path: str | Path, patterns: Sequence[str] = ("*",)) -> SweepReport:
    """Means with 95 % intervals (Student's t over seeds) of the class's measures that a pattern fits.

    A run counts once: a course of several lessons with the mean of them. The level of a factor stands for all runs
    that have it, whatever their other factors. Of a sweep that is not done, the seeds that have played all points are
    counted: a seed with half of them would compare points by its luck.
    """
    folder = SweepFolder(Path(path))
    tidy, whole = read_sweep(folder), whole_seeds(folder)
    values = run_values(tidy[tidy["seed"].isin(whole)] if whole else tidy, list(folder.facts.columns))
    known = list(dict.fromkeys(values["measure"]))
    if not known and folder.done():
        raise SweepError(
            "its runs are done, and none of its measures is one number for a run.",
            where=str(folder.path),
            mend="Read them with `read_sweep`, or play a sweep whose file measures more, such as `lessons`.",
        )
    if not known:
        raise SweepError(
            "no run is done yet.",
            where=str(folder.path),
            mend=f"Go on: eduverse sweep resume {quote(str(folder.path))}",
        )
    wanted = [name for name in known if any(fnmatchcase(name, pattern) for pattern in patterns)]
    if not wanted:
        raise SweepError(
            f"no measure is called {' or '.join(patterns)}.",
            where=str(folder.path),
            mend=f"There are {', '.join(known)}.",
        )
    means = summarise(values[values["measure"].isin(wanted)], list(folder.facts.columns))
    return SweepReport(folder.facts.name, folder.facts.title, status_of(folder), means, len(whole))


def whole_seeds(folder: SweepFolder) -> set[int]:
    """The seeds whose runs are all done."""
    done = folder.done()
    seeds: dict[int, bool] = {}
    for line in folder.lines():
        seeds[line.seed] = seeds.get(line.seed, True) and line.key in done
    return {seed for seed, all_done in seeds.items() if all_done}


def run_values(tidy: pd.DataFrame, factors: Sequence[str]) -> pd.DataFrame:
    """One number for each run and measure of the class: of the course, or else the mean over its lessons."""
    whole = tidy[(tidy["student"] == "") & (tidy["step"] == 0)]
    keys = ["trial", *factors, "seed", "measure"]
    of_course = whole["lesson"] == 0
    told = of_course.groupby([whole["trial"], whole["measure"]], observed=True).transform("any")
    chosen = whole[of_course | ~told]
    return chosen.groupby(keys, sort=False, dropna=False, observed=True)["value"].mean().reset_index()


def summarise(values: pd.DataFrame, factors: Sequence[str]) -> pd.DataFrame:
    """The mean and interval of each measure over all runs, then at each level of each factor; `n` counts seeds."""
    rows = _means(values, ALL, "")
    for factor in factors:
        levels = group_levels(values[factor])
        for level in dict.fromkeys(levels.sort_values(kind="stable")):
            rows += _means(values[levels == level], factor, level if isinstance(level, str) else str(level))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def group_levels(column: pd.Series[Any]) -> pd.Series[Any]:
    """The levels themselves; of many numbers, groups of equal size, named by their bounds."""
    if column.nunique() <= _MOST_LEVELS or not pd.api.types.is_numeric_dtype(column):
        return column
    groups = pd.qcut(column, _GROUPS, duplicates="drop")
    bounds = column.groupby(groups, observed=True).agg(["min", "max"])
    names = {group: f"{row['min']:.4g} to {row['max']:.4g}" for group, row in bounds.iterrows()}
    ordered = pd.CategoricalDtype([names[group] for group in bounds.index], ordered=True)
    return groups.map(names).astype(str).astype(ordered)


def _means(values: pd.DataFrame, factor: str, level: str) -> list[tuple[str, str, str, float, float, float, int]]:
    """Points first, then seeds: all points have the same seeds, so two points of one seed are not two draws of luck."""
    found = []
    for measure, part in values.groupby("measure", sort=False, observed=True):
        of_seeds = part.groupby("seed")["value"].mean()
        found.append((factor, level, str(measure), *mean_interval(list(of_seeds), bounds=bounds_of(str(measure)))))
    return found
