"""How students change over a course (EduVerse 4.3): upward transitions, time in positive states, and the gain over
sessions.

*Which states are positive.* The paper's Table A13 never says. It is read here as the top level of each scale:
interactive behaviour, positive emotion, higher-order cognition. For emotion nothing else fits (1.000 of a student who
is never confused); for behaviour "active or interactive" would fit worse: those two make 0.52-0.56 of the states in
the paper's lessons (Table A9), the interactive alone 0.32-0.40, and A13's mean is 0.39; and it gives the discussion
leader 0.759 in a session in which a diligent, agreeable student has 0.103, which is no share of anything that
includes taking notes and looking up.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pandas as pd

from eduverse_mesa.measures.bec import levels_of
from eduverse_mesa.measures.codes import LETTERS, LEVELS
from eduverse_mesa.measures.tables import NAN, mean, parts, require_columns, share

STATE_COLUMNS = ("b_pos", "e_pos", "c_pos", "overall")
TRANSITION_COLUMNS = ("b_up", "e_up", "c_up", "overall_up")
EVOLUTION_COLUMNS = (*STATE_COLUMNS, *TRANSITION_COLUMNS)
POSITIVE_LEVEL = {dimension: max(levels.values()) for dimension, levels in LEVELS.items()}


def positive_transition_rate(levels: Sequence[int]) -> float:
    """R+ = T+ / T (EduVerse 4.3): upward transitions over the number of steps; NaN without a step."""
    if not levels:
        return NAN
    return sum(later > earlier for earlier, later in pairwise(levels)) / len(levels)


def positive_state_rate(levels: Sequence[int], dimension: str) -> float:
    """The share of steps in the top level of the dimension's scale: what the paper's Table A13 holds."""
    return share(level == POSITIVE_LEVEL[dimension] for level in levels)


def evolution(student_steps: pd.DataFrame) -> pd.DataFrame:
    """A row for each lesson and student: rates of positive states (b_pos, e_pos, c_pos, overall) and of upward
    transitions (b_up, e_up, c_up, overall_up); overall is the mean of the three. Steps count in the order of their
    numbers."""
    require_columns(student_steps, ["lesson", "student", "step", *LEVELS], name="student_steps")
    rows = []
    for (lesson, student), part in parts(student_steps, ["lesson", "student"]):
        ordered = part.sort_values("step", kind="stable")
        row: dict[str, Any] = {"lesson": lesson, "student": student}
        for dimension, letter in LETTERS.items():
            levels = levels_of(ordered, dimension)
            row[f"{letter}_pos"] = positive_state_rate(levels, dimension)
            row[f"{letter}_up"] = positive_transition_rate(levels)
        row["overall"] = mean(row[column] for column in STATE_COLUMNS[:-1])
        row["overall_up"] = mean(row[column] for column in TRANSITION_COLUMNS[:-1])
        rows.append(row)
    return pd.DataFrame(rows, columns=["lesson", "student", *EVOLUTION_COLUMNS])


def class_means(evolved: pd.DataFrame) -> pd.DataFrame:
    """A row a lesson: the mean over its students, lessons in the order in which they were held."""
    require_columns(evolved, ["lesson", *EVOLUTION_COLUMNS], name="evolution")
    return evolved.groupby("lesson", sort=False)[list(EVOLUTION_COLUMNS)].mean().reset_index()


def gain(evolved: pd.DataFrame) -> dict[str, float]:
    """The last lesson's class mean minus the first's, by the names of the paper's Table 4; NaN with a single lesson."""
    means = class_means(evolved)
    if len(means) < 2:
        return {f"delta_{column}": NAN for column in EVOLUTION_COLUMNS}
    first, last = means.iloc[0], means.iloc[-1]
    return {f"delta_{column}": float(last[column] - first[column]) for column in EVOLUTION_COLUMNS}


def student_gains(evolved: pd.DataFrame) -> pd.DataFrame:
    """A row a student: the student's own last lesson minus their own first; NaN for students who were there only
    once."""
    require_columns(evolved, ["lesson", "student", *EVOLUTION_COLUMNS], name="evolution")
    rows = [{"student": student} | gain(part) for (student,), part in parts(evolved, ["student"])]
    return pd.DataFrame(rows, columns=["student", *(f"delta_{column}" for column in EVOLUTION_COLUMNS)])
