"""Statements of papers, judged by the numbers of what was played; and papers' numbers beside ours.

A statement is one or more checks: the mean of some cells of the paper's tables, or what it exceeds that of others by,
lies between two bounds. It is judged over seeds: a difference is taken within each seed, whose trials had the same
luck, and the interval is Student's t over seeds. One seed is one experiment as large as the paper's: how often a single
one lies between the bounds says what the paper's own one is worth.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from types import MappingProxyType
from typing import Any, Generic, Literal, Protocol, Self, TypeVar

import pandas as pd

from eduverse_mesa.measures.intervals import Bounds, Interval, bounds_of, mean_interval, of_difference

Verdict = Literal["holds", "uncertain", "fails", "unknown"]
VERDICTS: Mapping[Verdict, str] = MappingProxyType(
    {"holds": "holds", "uncertain": "not certain", "fails": "does not hold", "unknown": "cannot be told"}
)
LEAST_SEEDS = 2
"""One seed has no interval."""
Basis = Literal["fitted", "predicted"]
"""Whether a parameter may have been fitted to a number of a paper."""
BySeed = Mapping[int, float]


class Place(Protocol):
    """A cell of a paper's tables."""

    @property
    def measure(self) -> str:
        """What is measured there."""


CellT = TypeVar("CellT", bound=Place)


class Numbers(Generic[CellT]):
    """Numbers of what was played, by cell and seed."""

    def __init__(self) -> None:
        self._found: dict[CellT, dict[int, float]] = {}

    def add(self, place: CellT, seed: int, value: float) -> None:
        """Keep a number; one that could not be measured (NaN) is left out."""
        if math.isfinite(value):
            self._found.setdefault(place, {})[seed] = value

    def of(self, place: CellT) -> BySeed:
        """The numbers of a cell by seed, those that could be measured."""
        return self._found.get(place, {})

    def mean(self, places: Iterable[CellT]) -> dict[int, float]:
        """By seed, the mean over some cells; only of seeds that all of them have."""
        return together([self.of(place) for place in places])

    def bounds(self, place: CellT) -> Bounds:
        """The least and the most that a number of a cell can be."""
        return bounds_of(place.measure)

    def interval(self, *places: CellT) -> Interval:
        """The mean of cells of one measure over seeds with its interval, which holds nothing that this cannot be."""
        return mean_interval(list(self.mean(places).values()), bounds=self.bounds(places[0]))


def together(parts: Sequence[BySeed]) -> dict[int, float]:
    """The mean of several at each seed that all of them have."""
    if not parts:
        return {}
    seeds = set(parts[0]).intersection(*parts[1:])
    return {seed: fmean(part[seed] for part in parts) for seed in sorted(seeds)}


# --- statements ---


@dataclass(frozen=True)
class Check(Generic[CellT]):
    """The mean of some cells, minus that of others if there are any, lies between two bounds."""

    name: str
    cells: tuple[CellT, ...]
    minus: tuple[CellT, ...] = ()
    least: float = -math.inf
    most: float = math.inf


@dataclass(frozen=True)
class Statement(Generic[CellT]):
    """One of a paper's statements: all of its checks have to hold."""

    id: str
    number: int
    """Of the experiment that it belongs to."""
    text: str
    checks: tuple[Check[CellT], ...]


@dataclass(frozen=True)
class Found(Generic[CellT]):
    """A check with the value that our trials give it."""

    check: Check[CellT]
    value: Interval
    single: float
    """The share of single seeds that lie between the bounds."""
    sides: tuple[Sequence[float], Sequence[float]]
    """By seed, the mean of the cells, and of those that are taken from it."""

    @property
    def verdict(self) -> Verdict:
        """The whole interval between the bounds, the mean only, or neither."""
        mean, low, high, n = self.value
        least, most = self.check.least, self.check.most
        if n < LEAST_SEEDS or not math.isfinite(mean):
            return "unknown"
        if not least < mean < most:
            return "fails"
        return "holds" if least < low and high < most else "uncertain"


@dataclass(frozen=True)
class Judged(Generic[CellT]):
    """A statement with what was found of each of its checks."""

    statement: Statement[CellT]
    found: tuple[Found[CellT], ...]

    @property
    def verdict(self) -> Verdict:
        """A statement is as good as the worst of its checks."""
        found = {one.verdict for one in self.found}
        order: tuple[Verdict, ...] = ("fails", "unknown", "uncertain")
        return next((one for one in order if one in found), "holds")


def judged(statement: Statement[CellT], cells: Numbers[CellT]) -> Judged[CellT]:
    """Return a statement with what our numbers say to it."""
    return Judged(statement, tuple(_find(check, cells) for check in statement.checks))


def _find(check: Check[CellT], cells: Numbers[CellT]) -> Found[CellT]:
    values, bounds, less = cells.mean(check.cells), cells.bounds(check.cells[0]), cells.mean(check.minus)
    if check.minus:
        values = {seed: value for seed, value in values.items() if seed in less}
        bounds = of_difference(bounds)
    sides = list(values.values()), [less[seed] for seed in values if seed in less]
    ours = [one - other for one, other in zip(*sides, strict=True)] if check.minus else sides[0]
    single = mean_of(float(check.least < value < check.most) for value in ours)
    return Found(check, mean_interval(ours, bounds=bounds), single, sides)


def mean_of(values: Iterable[float]) -> float:
    """The mean of some values; NaN of none."""
    kept = list(values)
    return fmean(kept) if kept else math.nan


# --- the paper's numbers beside ours, and all of it together ---


class Printed(Protocol):
    """A number as a paper gives it."""

    @property
    def cell(self) -> Any:
        """The cell that it stands in."""


PrintedT = TypeVar("PrintedT", bound=Printed)


@dataclass(frozen=True)
class Compared(Generic[PrintedT]):
    """A number of the paper beside ours."""

    published: PrintedT
    ours: BySeed
    value: Interval

    @property
    def single(self) -> tuple[float, float]:
        """The least and the most that a single seed showed."""
        return min(self.ours.values()), max(self.ours.values())

    @classmethod
    def among(cls, rows: Iterable[PrintedT], cells: Numbers[Any]) -> list[Self]:
        """Return the numbers of a paper that were measured here, too."""
        return [cls(row, cells.of(row.cell), cells.interval(row.cell)) for row in rows if cells.of(row.cell)]


class Experiment(Protocol):
    """One of a paper's experiments."""

    @property
    def number(self) -> int:
        """Its number in the paper."""

    def shows(self, row: Any) -> bool:
        """Return True if a number of the paper belongs to it."""


ExperimentT = TypeVar("ExperimentT", bound=Experiment)
ComparedT = TypeVar("ComparedT", bound=Compared[Any])
NumbersT = TypeVar("NumbersT", bound=Numbers[Any])


@dataclass(frozen=True)
class Findings(Generic[ExperimentT, NumbersT, ComparedT]):
    """Everything that some experiments of a paper found."""

    experiments: tuple[ExperimentT, ...]
    policy: str
    table: pd.DataFrame
    """Every number, tidy."""
    cells: NumbersT
    compared: list[ComparedT]
    judged: list[Judged[Any]]
    answers: dict[str, int]
    """Number of answers by status: ok, repaired, from a fallback, failed."""

    @property
    def seeds(self) -> int:
        """Number of seeds that were played."""
        return int(self.table["seed"].nunique())

    def of(self, experiment: ExperimentT) -> Self:
        """The part that is one experiment's."""
        return replace(
            self,
            experiments=(experiment,),
            compared=[row for row in self.compared if experiment.shows(row.published)],
            judged=[one for one in self.judged if one.statement.number == experiment.number],
        )
