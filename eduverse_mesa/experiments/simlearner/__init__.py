"""SimLearner's five studies: what they play, the paper's numbers beside ours, and its statements."""

from eduverse_mesa.experiments.simlearner.cells import Cell, Cells
from eduverse_mesa.experiments.simlearner.designs import DEFAULT_SEEDS, STUDIES, Study, plays_of, studies
from eduverse_mesa.experiments.simlearner.published import published
from eduverse_mesa.experiments.simlearner.running import (
    Compared,
    Findings,
    compare,
    compared_table,
    document,
    find,
    play_all,
    remarks,
)
from eduverse_mesa.experiments.simlearner.statements import STATEMENTS, VERDICTS, judge, judged_table

__all__ = [
    "DEFAULT_SEEDS",
    "STATEMENTS",
    "STUDIES",
    "VERDICTS",
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
    "play_all",
    "plays_of",
    "published",
    "remarks",
    "studies",
]
