"""The four experiments of the EduVerse paper: what they play, their tables beside the paper's, and its statements."""

from eduverse_mesa.experiments.papers.eduverse.designs import (
    DEFAULT_SEEDS,
    EXPERIMENTS,
    Experiment,
    all_trials,
    experiments,
)
from eduverse_mesa.experiments.papers.eduverse.findings import (
    beside_real,
    compare,
    compared_table,
    errors,
    errors_table,
    noise_floor,
    notes,
    real_errors,
)
from eduverse_mesa.experiments.papers.eduverse.published import TABLES, Cell, Cells, cell, published
from eduverse_mesa.experiments.papers.eduverse.statements import STATEMENTS, judge, judged_table

__all__ = [
    "DEFAULT_SEEDS",
    "EXPERIMENTS",
    "STATEMENTS",
    "TABLES",
    "Cell",
    "Cells",
    "Experiment",
    "all_trials",
    "beside_real",
    "cell",
    "compare",
    "compared_table",
    "errors",
    "errors_table",
    "experiments",
    "judge",
    "judged_table",
    "noise_floor",
    "notes",
    "published",
    "real_errors",
]
