"""SimLearner's five studies: what they play, the paper's numbers beside ours, and its statements."""

from eduverse_mesa.experiments.papers.simlearner.designs import DEFAULT_SEEDS, STUDIES, Study, plays_of, studies
from eduverse_mesa.experiments.papers.simlearner.findings import (
    STATEMENTS,
    Compared,
    Findings,
    compare,
    compared_table,
    document,
    find,
    judge,
    judged_table,
    remarks,
)
from eduverse_mesa.experiments.papers.simlearner.published import Cell, Cells, published

__all__ = [
    "DEFAULT_SEEDS",
    "STATEMENTS",
    "STUDIES",
    "Cell",
    "Cells",
    "Compared",
    "Findings",
    "Study",
    "compare",
    "compared_table",
    "document",
    "find",
    "judge",
    "judged_table",
    "plays_of",
    "published",
    "remarks",
    "studies",
]
