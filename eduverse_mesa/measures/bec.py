"""Behaviour, emotion and cognition of students: shares of their levels (EduVerse Tables A9 and A10), and how stable
they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import pandas as pd

from eduverse_mesa.measures.codes import LETTERS, LEVEL_NAMES, LEVELS
from eduverse_mesa.measures.tables import NAN, mean, parts, require_codes, require_columns, texts
from eduverse_mesa.vocabulary import EMOTION_LEVEL_NAMES

BEC_COLUMNS = tuple(
    f"{LETTERS[dimension]}_{name}"
    for dimension, names in (
        ("behaviour", ("active", "passive", "interactive", "offtask")),
        ("emotion", EMOTION_LEVEL_NAMES[::-1]),
        ("cognition", ("low", "high")),
    )
    for name in names
)


def levels_of(student_steps: pd.DataFrame, dimension: str) -> list[int]:
    """The levels of one dimension, in the table's order; steps whose decision failed ("") are left out."""
    require_columns(student_steps, [dimension], name="student_steps")
    known = LEVELS[dimension]
    require_codes(student_steps[dimension], known, name="student_steps")
    return [known[code] for code in texts(student_steps, dimension) if code]


def dimension_shares(student_steps: pd.DataFrame, dimension: str) -> dict[str, float]:
    """The share of each level over all student-steps; NaN where there is none."""
    counts = Counter(levels_of(student_steps, dimension))
    total = counts.total()
    return {
        f"{LETTERS[dimension]}_{name}": counts[level] / total if total else NAN
        for level, name in enumerate(LEVEL_NAMES[dimension])
    }


def class_shares(student_steps: pd.DataFrame) -> dict[str, float]:
    """The nine shares of EduVerse's Table A9 over all student-steps."""
    found = {key: value for dimension in LEVELS for key, value in dimension_shares(student_steps, dimension).items()}
    return {column: found[column] for column in BEC_COLUMNS}


def bec_shares(student_steps: pd.DataFrame, by: Sequence[str] = ()) -> pd.DataFrame:
    """A row of shares a group: `by=["student"]`, `["lesson"]`, or any column the caller has added, such as the
    layout."""
    require_columns(student_steps, list(by), name="student_steps")
    rows: list[dict[str, Any]] = [
        {**dict(zip(by, key, strict=True)), **class_shares(part)} for key, part in parts(student_steps, by)
    ]
    return pd.DataFrame(rows, columns=[*by, *BEC_COLUMNS])


def overlap(one: dict[str, float], other: dict[str, float]) -> float:
    """Return the overlap of two distributions over the same levels: 1 minus their total variation distance."""
    return sum(min(one[key], other[key]) for key in one)


def student_stability(student_steps: pd.DataFrame) -> pd.DataFrame:
    """Return how alike a student is to themselves from lesson to lesson (EduVerse D.6.3 shows it in figures; here it is
    a number).

    Columns b, e, c: the mean overlap of the student's own shares over all pairs of their lessons (1 = the same profile
    each time). Columns b_others, e_others, c_others: the mean overlap with the other students in other lessons. A
    student keeps their own profile where the first is above the second. NaN with a single lesson.
    """
    require_columns(student_steps, ["lesson", "student", *LEVELS], name="student_steps")
    profiles = {
        (lesson, student): {dimension: dimension_shares(part, dimension) for dimension in LEVELS}
        for (lesson, student), part in parts(student_steps, ["lesson", "student"])
    }
    students = list(dict.fromkeys(student for _, student in profiles))
    rows = []
    for student in students:
        row: dict[str, Any] = {"student": student}
        for dimension, letter in LETTERS.items():
            own, others = _overlaps(profiles, student, dimension)
            row[letter], row[f"{letter}_others"] = mean(own), mean(others)
        rows.append(row)
    columns = [name for letter in LETTERS.values() for name in (letter, f"{letter}_others")]
    return pd.DataFrame(rows, columns=["student", *columns])


def _overlaps(
    profiles: dict[tuple[Any, ...], dict[str, dict[str, float]]], student: str, dimension: str
) -> tuple[list[float], list[float]]:
    own: list[float] = []
    others: list[float] = []
    for (lesson, one), (other_lesson, other) in combinations(profiles, 2):
        if lesson == other_lesson or student not in (one, other):
            continue
        alike = overlap(profiles[lesson, one][dimension], profiles[other_lesson, other][dimension])
        if alike == alike:  # a lesson in which all of a student's decisions failed has no profile
            (own if one == other else others).append(alike)
    return own, others
