"""Where a number of the five studies stands, and the numbers of a table of plays by cell and seed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

import pandas as pd

from eduverse_mesa.experiments.simlearner.designs import Part
from eduverse_mesa.measures.tables import require_columns
from eduverse_mesa.scenarios.tutoring import Arm

BySeed = Mapping[int, float]
TABLE_COLUMNS = ("part", "arm", "seed", "learner", "grade", "key", "measure", "value")


class Cell(NamedTuple):
    """Where a number stands."""

    part: Part
    measure: str
    arm: Arm = "full"
    learner: str = ""
    grade: int = 0
    key: str = ""


class Cells:
    """The numbers of a table of plays: first one for each seed, which is one experiment as large as the paper's."""

    def __init__(self, table: pd.DataFrame) -> None:
        self._found: dict[Cell, dict[int, float]] = {}
        if table.empty:
            return
        require_columns(table, TABLE_COLUMNS, name="plays")
        names = ("part", "measure", "arm", "learner", "grade", "key", "seed", "value")
        for *place, seed, value in zip(*(table[name].tolist() for name in names), strict=True):
            if math.isfinite(value):
                self._found.setdefault(Cell(*place), {})[int(seed)] = value

    def of(self, place: Cell) -> BySeed:
        """The numbers of a cell by seed."""
        return self._found.get(place, {})

    def mean(self, places: Sequence[Cell]) -> dict[int, float]:
        """By seed, the mean over some cells; only of seeds that all of them have."""
        found = [self.of(place) for place in places]
        seeds = set(found[0]).intersection(*found[1:]) if found else set()
        return {seed: fmean(part[seed] for part in found) for seed in sorted(seeds)}

    def measured(self, part: Part, measure: str, arm: Arm = "full") -> list[Cell]:
        """The cells that a measure has numbers in."""
        return [cell for cell in self._found if (cell.part, cell.measure, cell.arm) == (part, measure, arm)]
