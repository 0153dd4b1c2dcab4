"""That a mathematics problem holds together: its steps yield its answers, and each misconception something else."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from eduverse_mesa.scenarios.plain import Reading
from eduverse_mesa.scenarios.problems import Problem
from eduverse_mesa.scenarios.proving.mistakes import check_mistakes
from eduverse_mesa.scenarios.proving.nearness import check_nearness
from eduverse_mesa.scenarios.proving.notes import Notes
from eduverse_mesa.scenarios.proving.phrases import check_phrases
from eduverse_mesa.scenarios.proving.solution import check_solution
from eduverse_mesa.scenarios.proving.texts import check_texts
from eduverse_mesa.scenarios.word_problem import WordProblem

_PARTS = (check_texts, check_solution, check_mistakes, check_phrases)
"""Each can rely on what those before it have found in order."""


def check_word_problem(problem: WordProblem, reading: Reading) -> list[Problem]:
    """All that is wrong with a problem whose values are valid one by one."""
    return _found(problem, reading, (*_PARTS, check_nearness))


def check_kept_problem(problem: WordProblem, reading: Reading) -> list[Problem]:
    """The same for one that a study keeps: what was given once can still be read and played."""
    return _found(problem, reading, _PARTS)


def _found(problem: WordProblem, reading: Reading, parts: Sequence[Callable[[Notes], None]]) -> list[Problem]:
    notes = Notes(problem, reading)
    for check in parts:
        if not notes.found:
            check(notes)
    return notes.found
