"""The numbers that SimLearner reports, each with the cell it stands in."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import pandas as pd

from eduverse_mesa.experiments.papers.simlearner.designs import ARMS, GRADES, Part
from eduverse_mesa.experiments.papers.statements import Numbers
from eduverse_mesa.measures.reference import load_reference
from eduverse_mesa.measures.tables import require_columns
from eduverse_mesa.scenarios.tutoring import Arm

TABLE_COLUMNS = ("part", "arm", "seed", "learner", "grade", "key", "measure", "value")


class Cell(NamedTuple):
    """The place of a number in the paper's results."""

    part: Part
    measure: str
    arm: Arm = "full"
    learner: str = ""
    grade: int = 0
    key: str = ""


class Cells(Numbers[Cell]):
    """The numbers of a table of plays: first one for each seed, which is one experiment as large as the paper's."""

    def __init__(self, table: pd.DataFrame) -> None:
        super().__init__()
        if table.empty:
            return
        require_columns(table, TABLE_COLUMNS, name="plays")
        names = ("part", "measure", "arm", "learner", "grade", "key", "seed", "value")
        for *place, seed, value in zip(*(table[name].tolist() for name in names), strict=True):
            self.add(Cell(*place), int(seed), value)

    def measured(self, part: Part, measure: str, arm: Arm = "full") -> list[Cell]:
        """The cells that a measure has numbers in."""
        return [cell for cell in self._found if (cell.part, cell.measure, cell.arm) == (part, measure, arm)]


_LABELS = {"personality_recall": "recall", "personality_precision": "precision", "personality_f1": "f1"}


class Published(NamedTuple):
    """A number of the paper; where it gives a range, its two ends."""

    study: int
    cell: Cell
    model: str
    """The language model that it was simulated with."""
    low: float
    high: float


@cache
def published() -> tuple[Published, ...]:
    """Every number of the paper, in the order of the studies."""
    table = reference()
    rows = (*_score(table), *_coverage(table), *_labels(table), *_alignment(table))
    return tuple(sorted(rows, key=lambda row: row.study))


def reference() -> pd.DataFrame:
    """The paper's numbers as they are printed."""
    return load_reference(files("eduverse_mesa.scenarios") / "reference" / "simlearner.csv")


def coverage_band() -> tuple[float, float]:
    """Within which the paper's learners stay in each grade."""
    table = reference().set_index("metric")["full"]
    return float(table["coverage_vs_standard_min_over_grades"]), float(table["coverage_vs_standard_max_over_grades"])


def range_of(metric: str, arm: str) -> tuple[float, float]:
    """The least and the most over the paper's models."""
    table = reference()
    values = table[table["metric"] == metric][arm]
    return float(values.min()), float(values.max())


def _score(table: pd.DataFrame) -> Iterator[Published]:
    for row in table[table["metric"] == "grade1_mastery_score_1_to_10"].to_dict("records"):
        yield Published(1, Cell("first_grade", "score", grade=1), row["model"], row["full"], row["full"])


def _coverage(table: pd.DataFrame) -> Iterator[Published]:
    band = coverage_band()
    for row in table[table["metric"] == "coverage_vs_standard_min_over_grades"].to_dict("records"):
        for grade in GRADES:
            yield Published(2, Cell("years", "coverage", grade=grade), row["model"], *band)
    for row in table[table["metric"] == "coverage_vs_standard_grade1"].to_dict("records"):
        cell = Cell("years", "coverage", "base", grade=GRADES[0])
        yield Published(2, cell, row["model"], row["base"], row["base"])


def _labels(table: pd.DataFrame) -> Iterator[Published]:
    for row in table[table["metric"].isin(list(_LABELS))].to_dict("records"):
        for arm in ARMS:
            yield Published(4, Cell("people", _LABELS[row["metric"]], arm, key="1"), row["model"], row[arm], row[arm])


def _alignment(table: pd.DataFrame) -> Iterator[Published]:
    for row in table[table["metric"] == "concept_alignment_accuracy"].to_dict("records"):
        for arm in ARMS:
            yield Published(5, Cell("years", "alignment", arm), row["model"], row[arm], row[arm])
