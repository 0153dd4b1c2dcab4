"""Tables of plays as they might come, without anything being played."""

from __future__ import annotations

import pandas as pd

from eduverse_mesa.experiments.papers.simlearner.published import TABLE_COLUMNS, Cell


def table(numbers: dict[Cell, list[float]]) -> pd.DataFrame:
    """A number for each cell and seed."""
    rows = [
        (cell.part, cell.arm, seed, cell.learner, cell.grade, cell.key, cell.measure, value)
        for cell, values in numbers.items()
        for seed, value in enumerate(values, start=1)
    ]
    return pd.DataFrame(rows, columns=list(TABLE_COLUMNS))
