"""What a seating plan is to be good for, in words and as formulas over measured steps.

- engagement: the share of student-steps in which somebody is active or interactive (ICAP; EduVerse's Table A6).
- calm: 1 minus the share of student-steps off task.
- equity: 1 minus Gini's coefficient of participation, the share of its steps in which each student takes part in the
  lesson; 0 where nobody does.

Each lies between 0 and 1, so a weighted mean of them does, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import fmean

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.experiments.measurers import Row
from eduverse_mesa.measures import class_shares, gini, participation
from eduverse_mesa.runs.play import Run
from eduverse_mesa.runs.tables import Tables, tables

GOALS = ("engagement", "equity", "calm")
OF_PLAN = f"{__name__}:of_plan"
"""The name by which a trial asks for these measures."""
_MEND = f"Take {', '.join(GOALS)}, or weigh them: engagement=0.6,equity=0.4"


@dataclass(frozen=True)
class Objective:
    """How much each goal counts; the weights add up to 1."""

    weights: Mapping[str, float]

    def value(self, found: Mapping[str, float]) -> float:
        """The weighted mean of measured goals."""
        return math.fsum(weight * found[goal] for goal, weight in self.weights.items())

    def __str__(self) -> str:
        if len(self.weights) == 1:
            return next(iter(self.weights))
        return ", ".join(f"{goal} {weight:.0%}" for goal, weight in self.weights.items())


def read_objective(text: str) -> Objective:
    """`calm`, `calm,equity` or `engagement=0.6,equity=0.4`."""
    weights: dict[str, float] = {}
    for part in text.split(","):
        goal, sign, given = (piece.strip() for piece in part.partition("="))
        try:
            weight = float(given) if sign else 1.0
        except ValueError:
            weight = math.nan
        if goal not in GOALS or goal in weights or not 0 < weight < math.inf:
            raise EduverseError(f"'{part.strip()[:40]}' is no goal.", where="objective", mend=_MEND)
        weights[goal] = weight
    total = math.fsum(weights.values())
    return Objective({goal: weight / total for goal, weight in weights.items()})


def of_plan(run: Run) -> Iterator[Row]:
    """Each goal, as the mean over the lessons of a run."""
    found = [measure_goals(tables([played.model])) for played in run.lessons]
    for goal in GOALS:
        yield Row(0, 0, "", goal, fmean(lesson[goal] for lesson in found))


def measure_goals(made: Tables) -> dict[str, float]:
    """The goals of one lesson."""
    shares = class_shares(made.student_steps)
    unequal = gini(participation(made.student_steps, made.teacher_steps).values())
    return {
        "engagement": shares["b_active"] + shares["b_interactive"],
        "equity": 1 - unequal if unequal == unequal else 0.0,
        "calm": 1 - shares["b_offtask"],
    }
