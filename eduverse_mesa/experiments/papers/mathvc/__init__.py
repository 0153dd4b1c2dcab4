"""MathVC's groups, all virtual: dialogues with and without stages and schemas, beside the paper's numbers."""

from eduverse_mesa.experiments.papers.mathvc.dialogues import ARMS, DEFAULT_SEEDS, Play, Tables, plays_of
from eduverse_mesa.experiments.papers.mathvc.findings import (
    STATEMENTS,
    Findings,
    document,
    find,
    judged_table,
    numbers_table,
    published,
)

__all__ = [
    "ARMS",
    "DEFAULT_SEEDS",
    "STATEMENTS",
    "Findings",
    "Play",
    "Tables",
    "document",
    "find",
    "judged_table",
    "numbers_table",
    "plays_of",
    "published",
]
