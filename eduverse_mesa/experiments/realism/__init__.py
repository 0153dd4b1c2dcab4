"""Simulated lessons held against real ones."""

from eduverse_mesa.experiments.realism.design import Design, read_range
from eduverse_mesa.experiments.realism.reference import Reference, from_transcripts, published
from eduverse_mesa.experiments.realism.report import Realism, compare_with_real, play_lessons, report_on

__all__ = [
    "Design",
    "Realism",
    "Reference",
    "compare_with_real",
    "from_transcripts",
    "play_lessons",
    "published",
    "read_range",
    "report_on",
]
