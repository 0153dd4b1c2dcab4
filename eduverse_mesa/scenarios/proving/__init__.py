"""That a mathematics problem holds together: its steps yield its answers, and each misconception something else."""

from __future__ import annotations

from eduverse_mesa.scenarios.plain import Reading
from eduverse_mesa.scenarios.problems import Problem
from eduverse_mesa.scenarios.proving.mistakes import check_mistakes
from eduverse_mesa.scenarios.proving.notes import Notes
from eduverse_mesa.scenarios.proving.phrases import check_phrases
from eduverse_mesa.scenarios.proving.solution import check_solution
from eduverse_mesa.scenarios.proving.texts import check_texts
from eduverse_mesa.scenarios.word_problem import WordProblem

_PARTS = (check_texts, check_solution, check_mistakes, check_phrases)
"""Each can rely on what those before it have found in order."""


def check_word_problem(problem: WordProblem, reading: Reading) -> list[Problem]:
    """All that is wrong with a problem whose values are valid one by one."""
    notes = Notes(problem, reading)
    for check in _PARTS:
        if not notes.found:
            check(notes)
    return notes.found
