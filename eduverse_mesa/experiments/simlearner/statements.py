"""What SimLearner says of its learners, as data, and what ours say to it.

A statement is one or more checks. A check asks whether a number lies between two bounds, or whether some cells have
more of something than others: then the number is their difference, seed by seed, and its lower bound is zero. One seed
is one experiment as large as the paper's; a check is judged by the mean over seeds and Student's t interval.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

import pandas as pd

from eduverse_mesa.experiments.simlearner.cells import Cell, Cells
from eduverse_mesa.experiments.simlearner.designs import ARMS, GRADES
from eduverse_mesa.experiments.simlearner.published import coverage_band, range_of
from eduverse_mesa.experiments.verdicts import Verdict, verdict_of, worst
from eduverse_mesa.measures.bounds import bounds_of
from eduverse_mesa.measures.intervals import Interval, mean_interval, of_difference
from eduverse_mesa.scenarios.tutoring import Arm

VERDICTS: dict[Verdict, str] = {
    "holds": "holds",
    "uncertain": "not certain",
    "fails": "does not hold",
    "unknown": "cannot be told",
}
JUDGED_COLUMNS = (
    *("study", "statement", "text", "check", "mean", "low", "high", "n", "least", "most", "single", "verdict"),
)


@dataclass(frozen=True, slots=True)
class Check:
    """The mean of some cells, minus that of others if there are any, lies between two bounds."""

    name: str
    cells: tuple[Cell, ...]
    minus: tuple[Cell, ...] = ()
    least: float = -math.inf
    most: float = math.inf


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement: all of its checks have to hold."""

    id: str
    study: int
    text: str
    checks: tuple[Check, ...]


class Found(NamedTuple):
    """What our learners say to a check."""

    check: Check
    value: Interval
    single: float
    """The share of single seeds that lie between the bounds."""

    @property
    def verdict(self) -> Verdict:
        """The whole interval within the bounds, the mean only, or neither."""
        return verdict_of(self.value, self.check.least, self.check.most)


class Judged(NamedTuple):
    """A statement with what was found of each of its checks."""

    statement: Statement
    found: tuple[Found, ...]

    @property
    def verdict(self) -> Verdict:
        """The worst of its checks'."""
        return worst(found.verdict for found in self.found)


def judge(cells: Cells, wanted: Collection[int]) -> list[Judged]:
    """Every statement of some studies."""
    return [
        Judged(statement, tuple(_find(check, cells) for check in statement.checks))
        for statement in STATEMENTS
        if statement.study in wanted
    ]


def judged_table(judged: Iterable[Judged]) -> pd.DataFrame:
    """As a table, a row a check."""
    rows = [
        (
            *(one.statement.study, one.statement.id, one.statement.text, found.check.name),
            *(*found.value, found.check.least, found.check.most, found.single, found.verdict),
        )
        for one in judged
        for found in one.found
    ]
    return pd.DataFrame(rows, columns=list(JUDGED_COLUMNS))


def _find(check: Check, cells: Cells) -> Found:
    values = cells.mean(check.cells)
    if check.minus:
        other = cells.mean(check.minus)
        values = {seed: value - other[seed] for seed, value in values.items() if seed in other}
    inside = [float(check.least < value < check.most) for value in values.values()]
    bounds = bounds_of(check.cells[0].measure)
    bounds = of_difference(bounds) if check.minus else bounds
    return Found(check, mean_interval(list(values.values()), bounds=bounds), fmean(inside) if inside else math.nan)


# --- the statements ---


def _score(grade: int) -> Cell:
    return Cell("first_grade", "score", grade=grade)


def _covered(grade: int, arm: Arm = "full") -> Cell:
    return Cell("years", "coverage", arm, grade=grade)


def _falling(cells: Sequence[tuple[str, Cell]]) -> tuple[Check, ...]:
    """Each is larger than the next."""
    return tuple(
        Check(f"{name} > {other}", (cell,), (following,), least=0.0)
        for (name, cell), (other, following) in pairwise(cells)
    )


_MEMORY, _BASE = (Cell("people", "f1", arm, key="1") for arm in ARMS)
_ALIGNED, _DRIFTED = (Cell("years", "alignment", arm) for arm in ARMS)
_ALIGNMENT = range_of("concept_alignment_accuracy", "full")
_LEAST_COVERED, _MOST_COVERED = coverage_band()
_NEAR_SEVEN = (6.0, 8.0)

STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "seven",
        1,
        "At the end of grade 1 answers to grade 1 show a mastery near 7 of 10.",
        (Check("score of grade 1", (_score(1),), least=_NEAR_SEVEN[0], most=_NEAR_SEVEN[1]),),
    ),
    Statement(
        "falling",
        1,
        "The further above the grade, the less mastery the answers show.",
        _falling([(f"grade {grade}", _score(grade)) for grade in GRADES]),
    ),
    Statement(
        "standard",
        2,
        "With memory, learners stay between 77.2 and 91.6 % of the standard in each grade.",
        tuple(
            Check(f"coverage in grade {grade}", (_covered(grade),), least=_LEAST_COVERED, most=_MOST_COVERED)
            for grade in GRADES
        ),
    ),
    Statement(
        "far_above",
        2,
        "Without memory, learners know far more in grade 1 than they were taught (here: above 150 %).",
        (Check("base, coverage in grade 1", (_covered(1, "base"),), least=1.5),),
    ),
    Statement(
        "converging",
        2,
        "Without memory, learners come nearer to the standard with each grade.",
        _falling([(f"base, grade {grade}", _covered(grade, "base")) for grade in GRADES]),
    ),
    Statement(
        "p1_above",
        3,
        "P1 is above P2 nearly throughout (here: in at least 80 % of the cells of concept and grade).",
        (Check("cells with P1 above P2", (Cell("years", "above"),), least=0.8),),
    ),
    Statement(
        "recovered",
        4,
        "A judge who reads a dialogue recovers the personality (F1 at least .62, as with the paper's weakest model).",
        tuple(
            Check(f"F1, {name}", (cell,), least=range_of("personality_f1", arm)[0])
            for name, arm, cell in (("with memory", "full", _MEMORY), ("base", "base", _BASE))
        ),
    ),
    Statement(
        "price",
        4,
        "Memory costs a little of it: the base recovers more.",
        (Check("F1: base > with memory", (_BASE,), (_MEMORY,), least=0.0),),
    ),
    Statement(
        "aligned",
        5,
        "With memory, what was planned is what stays (89.5 to 93.0 % over the paper's models).",
        (Check("alignment, with memory", (_ALIGNED,), least=_ALIGNMENT[0], most=_ALIGNMENT[1]),),
    ),
    Statement(
        "drift",
        5,
        "Without memory, talk drifts away from the topic more.",
        (Check("alignment: with memory > base", (_ALIGNED,), (_DRIFTED,), least=0.0),),
    ),
)
