"""What a change changed: two runs of the same seed, measure by measure and step by step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from eduverse_mesa.measures import class_shares
from eduverse_mesa.runs.play import Run
from eduverse_mesa.runs.tables import results, run_tables

_STATES = ["attention", "confidence", "affect", "understanding"]
_NOT_MEASURES = frozenset({"run", "seed"})


def paired_difference(one: Run, other: Run) -> pd.DataFrame:
    """Every number of the runs' documents side by side: measure, before, after, difference."""
    before, after = (dict(_all_numbers(run)) for run in (one, other))
    names = list(dict.fromkeys([*before, *after]))
    table = pd.DataFrame(
        {
            "measure": names,
            "before": [before.get(name, float("nan")) for name in names],
            "after": [after.get(name, float("nan")) for name in names],
        }
    )
    table["difference"] = table["after"] - table["before"]
    return table


def first_difference(one: Run, other: Run) -> tuple[int, int, str, str] | None:
    """Lesson, step, agent and kind of the first answer that is not the same; None when all are."""
    for mine, theirs in zip(one.answers(), other.answers(), strict=False):
        if mine != theirs:
            return mine.lesson, mine.step, mine.agent, mine.kind
    lengths = [sum(1 for _ in run.answers()) for run in (one, other)]
    if lengths[0] == lengths[1]:
        return None
    longer = (one, other)[lengths[1] > lengths[0]]
    entry = next(entry for place, entry in enumerate(longer.answers()) if place == min(lengths))
    return entry.lesson, entry.step, entry.agent, entry.kind


def _all_numbers(run: Run) -> Iterator[tuple[str, float]]:
    made = run_tables(run)
    yield from _numbers("", results(run, made))
    for student, rows in made.student_steps.groupby("student", sort=False):
        states = {state: float(rows[state].mean()) for state in _STATES}
        yield from _numbers(f"student.{student}", {**class_shares(rows), **states})


def _numbers(prefix: str, value: Any) -> Iterator[tuple[str, float]]:
    if isinstance(value, dict):
        for key, part in value.items():
            if prefix or key not in _NOT_MEASURES:
                yield from _numbers(f"{prefix}.{key}" if prefix else key, part)
    elif isinstance(value, list):
        for part in value:
            if isinstance(part, dict) and "student" in part:
                named = {key: number for key, number in part.items() if key != "student"}
                yield from _numbers(f"{prefix}.{part['student']}", named)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield prefix, float(value)
