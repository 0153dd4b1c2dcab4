"""The paper's tables beside ours: means over seeds with intervals, errors, and how small an error can be at all.

The paper shows one lesson a cell. Six students make some two hundred student-steps, so that one lesson differs from the
next: a model that was right in everything would still miss the paper's numbers. How far is the *noise floor*: our own
single lessons are held against the mean of the others with the same means as the paper's are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np
import pandas as pd

from eduverse_mesa.experiments.papers.cells import BySeed, Cell, Cells, cell
from eduverse_mesa.experiments.papers.designs import LAYOUTS, Experiment
from eduverse_mesa.experiments.papers.published import (
    COUNTS,
    DERIVED,
    IRF,
    Published,
    paper_values,
    published,
    real_lessons,
)
from eduverse_mesa.experiments.verdicts import LEAST_SEEDS
from eduverse_mesa.measures.bounds import bounds_of
from eduverse_mesa.measures.intervals import mean_interval, share_interval

SPREAD = (0.025, 0.975)
"""Between these quantiles lie 19 of 20 of our lessons; of others fewer (expected_within)."""
COMPARED_COLUMNS = (
    *("table", "basis", "variant", "layout", "genre", "session", "student", "measure"),
    *("mean", "low", "high", "n", "sd", "from", "to", "paper", "real", "difference", "within"),
)
ERROR_COLUMNS = ("table", "basis", "measure", "cells", "error", "floor", "floor_to", "within", "expected")


class Compared(NamedTuple):
    """A number of the paper beside ours."""

    published: Published
    ours: BySeed
    mean: float
    low: float
    high: float
    n: int
    sd: float
    spread: tuple[float, float]

    @property
    def difference(self) -> float:
        """Ours minus the paper's."""
        return self.mean - self.published.paper

    @property
    def within(self) -> float:
        """1 where the paper's lesson lies among 19 of 20 of ours, else 0; NaN where ours are too few to tell."""
        if not math.isfinite(self.spread[0]):
            return math.nan
        # The paper rounds to three digits.
        return float(self.spread[0] - 0.0005 <= self.published.paper <= self.spread[1] + 0.0005)


def compare(cells: Cells, rows: Iterable[Published] | None = None) -> list[Compared]:
    """Every number of the paper that was measured here, too."""
    found = []
    for row in published() if rows is None else rows:
        ours = cells.of(row.cell)
        if ours:
            found.append(_compared(row, ours))
    return found


def shown_by(experiment: Experiment, rows: Iterable[Compared]) -> list[Compared]:
    """Those that belong to an experiment."""
    return [
        row
        for row in rows
        if row.published.table in experiment.tables and row.published.cell.genre in experiment.genres
    ]


def _compared(row: Published, ours: BySeed) -> Compared:
    values = list(ours.values())
    several = len(values) >= LEAST_SEEDS
    spread = tuple(float(value) for value in np.quantile(values, SPREAD)) if several else (math.nan, math.nan)
    sd = float(np.std(values, ddof=1)) if several else math.nan
    return Compared(row, ours, *mean_interval(values, bounds=bounds_of(row.cell.measure)), sd, (spread[0], spread[1]))


def compared_table(rows: Iterable[Compared]) -> pd.DataFrame:
    """As a tidy table, a row a number of the paper."""
    made = [
        (
            row.published.table,
            row.published.basis,
            *row.published.cell,
            *(row.mean, row.low, row.high, row.n, row.sd, *row.spread),
            *(row.published.paper, row.published.real, row.difference, row.within),
        )
        for row in rows
    ]
    return pd.DataFrame(made, columns=list(COMPARED_COLUMNS))


# --- errors ---


class Errors(NamedTuple):
    """How far our means are from the paper's single lessons, over some cells."""

    table: str
    basis: str
    measure: str
    cells: int
    error: float
    """The mean of the absolute differences."""
    floor: float
    """What a model without any fault would show."""
    floor_to: float
    """19 of 20 experiments like the paper's would show no more than this of a model without any fault."""
    within: float
    """The share of the paper's numbers that lie among 19 of 20 of our single lessons."""
    expected: float
    """What that share would be if the paper's lessons were drawn like ours: few seeds have narrow quantiles."""


def errors(rows: Sequence[Compared]) -> list[Errors]:
    """By table and by whether the cells were fitted: shares together, counts each by itself. Fitted and predicted cells
    are never put together."""
    found = []
    for (table, basis), part in _groups(rows, lambda row: (row.published.table, row.published.basis)):
        found += [
            _errors(table, basis, measure, group) for (measure,), group in _groups(part, lambda row: (_scale(row),))
        ]
    for (basis,), part in _groups(rows, lambda row: (row.published.basis,)):
        shares = [row for row in part if _scale(row) == "shares" and row.published.table not in DERIVED]
        if shares:
            found.append(_errors("all", basis, "shares", shares))
    return found


def errors_table(found: Iterable[Errors]) -> pd.DataFrame:
    """As a table."""
    return pd.DataFrame(list(found), columns=list(ERROR_COLUMNS))


def _scale(row: Compared) -> str:
    measure = row.published.cell.measure
    return measure if measure in COUNTS else "shares"


def _groups(
    rows: Iterable[Compared], key: Callable[[Compared], tuple[str, ...]]
) -> Iterator[tuple[tuple[str, ...], list[Compared]]]:
    grouped: dict[tuple[str, ...], list[Compared]] = {}
    for row in rows:
        grouped.setdefault(key(row), []).append(row)
    yield from grouped.items()


def _errors(table: str, basis: str, measure: str, rows: Sequence[Compared]) -> Errors:
    floor, floor_to = noise_floor([row.ours for row in rows])
    known = [row for row in rows if math.isfinite(row.within)]
    return Errors(
        *(table, basis, measure, len(rows), fmean(abs(row.difference) for row in rows), floor, floor_to),
        fmean(row.within for row in known) if known else math.nan,
        fmean(expected_within(row.n) for row in known) if known else math.nan,
    )


def expected_within(seeds: int) -> float:
    """The share of new lessons between the SPREAD quantiles of so many old ones, all drawn alike.

    On average the k-th smallest of n values has k/(n + 1) of the new ones below it, whatever they are drawn from;
    between two values in proportion, as numpy's quantiles are. 0.95 needs hundreds of seeds: ten have 0.78, fifty 0.91.
    """
    below, above = ((share * (seeds - 1) + 1) / (seeds + 1) for share in SPREAD)
    return above - below


def noise_floor(cells: Sequence[BySeed]) -> tuple[float, float]:
    """The mean absolute error of a model that is exactly right, against one lesson a cell, and what it hardly exceeds.

    Each seed's lessons take the paper's place once: their distance from the mean of the other seeds, over all cells. It
    supposes that the paper's lessons vary from draw to draw as ours do, which nobody can know: it shows one draw.
    """
    by_seed: dict[int, list[float]] = {}
    for values in cells:
        if len(values) < LEAST_SEEDS:
            continue
        total, count = math.fsum(values.values()), len(values)
        for seed, value in values.items():
            by_seed.setdefault(seed, []).append(abs(value - (total - value) / (count - 1)))
    # A seed that lacks cells (nobody talked, so there is no density) is as good as the others.
    single = [fmean(distances) for distances in by_seed.values()]
    if not single:
        return math.nan, math.nan
    return fmean(single), float(np.quantile(single, 0.95))


# --- real classes ---


class Real(NamedTuple):
    """A rate of the four real lessons: ours and the paper's over its three layouts, and how far each is off."""

    genre: str
    measure: str
    real: float
    paper: float
    mean: float
    low: float
    high: float
    n: int
    lecture: float
    """Ours in the lecture layout alone, in which the real lessons were held."""

    @property
    def error(self) -> float:
        """Ours, from the real lesson."""
        return abs(self.mean - self.real)

    @property
    def paper_error(self) -> float:
        """The paper's, from the real lesson."""
        return abs(self.paper - self.real)


def beside_real(cells: Cells) -> list[Real]:
    """Initiation, feedback and IRF of the four real lessons (Tables 1 and 5); their responses are not published."""
    papers = paper_values()
    found = []
    for genre, known in real_lessons().items():
        for name in IRF:
            places: list[Cell] = [cell(layout, genre, f"irf.{name}") for layout in LAYOUTS]
            ours = cells.mean(places)
            if not ours or not math.isfinite(known[name]):
                continue
            lecture = list(cells.of(places[0]).values())
            paper = fmean(papers[place] for place in places)
            found.append(
                Real(genre, f"irf.{name}", known[name], paper, *share_interval(list(ours.values())), fmean(lecture))
            )
    return found


def real_errors(found: Iterable[Real]) -> Mapping[str, tuple[float, float]]:
    """Of each rate the mean absolute error, ours and the paper's own."""
    by_measure: dict[str, list[Real]] = {}
    for row in found:
        by_measure.setdefault(row.measure, []).append(row)
    return {
        measure: (fmean(row.error for row in rows), fmean(row.paper_error for row in rows))
        for measure, rows in by_measure.items()
    }
