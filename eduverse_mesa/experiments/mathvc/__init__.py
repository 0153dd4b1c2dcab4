"""MathVC's groups, all virtual: dialogues with and without stages and schemas, beside the paper's numbers."""

from eduverse_mesa.experiments.mathvc.designs import ARMS, DEFAULT_SEEDS, Play, plays_of
from eduverse_mesa.experiments.mathvc.findings import (
    STATEMENTS,
    Findings,
    Number,
    document,
    find,
    judged_table,
    numbers_table,
    published,
)
from eduverse_mesa.experiments.mathvc.playing import Tables, play_all

__all__ = [
    "ARMS",
    "DEFAULT_SEEDS",
    "STATEMENTS",
    "Findings",
    "Number",
    "Play",
    "Tables",
    "document",
    "find",
    "judged_table",
    "numbers_table",
    "play_all",
    "plays_of",
    "published",
]
