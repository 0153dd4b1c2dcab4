"""What was measured, by the cells of the paper's tables: a number for each seed.

A cell is a lesson as it was set up, a student or the whole class, and a measure. The seed is one draw of luck: the
paper's own tables hold one draw of each cell.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import NamedTuple

import pandas as pd

from eduverse_mesa.experiments.papers.designs import ATTEMPTS, CHINESE, FACTORS, LAYOUTS, SESSIONS
from eduverse_mesa.measures.bec import BEC_COLUMNS, overlap
from eduverse_mesa.measures.evolution import STATE_COLUMNS
from eduverse_mesa.measures.tables import require_columns

BySeed = Mapping[int, float]
Profiles = dict[tuple[str, str], dict[str, float]]
DIMENSIONS = {letter: tuple(name for name in BEC_COLUMNS if name.startswith(letter)) for letter in ("b", "e", "c")}
LAST_SESSION = 4


class Cell(NamedTuple):
    """Where a number stands."""

    variant: str
    layout: str
    genre: str
    session: int
    """The number of the lesson in its course; 0: over all sessions."""
    student: str
    """Empty: the whole class."""
    measure: str


def cell(layout: str, genre: str, measure: str, *, variant: str = "full", session: int = 1, student: str = "") -> Cell:
    """A cell, by what it mostly takes."""
    return Cell(variant, layout, genre, session, student, measure)


class Cells:
    """The numbers of a table of trials, by cell and seed."""

    def __init__(self, table: pd.DataFrame) -> None:
        self._found: dict[Cell, dict[int, float]] = {}
        if table.empty:
            return
        require_columns(table, [*FACTORS, "seed", "lesson", "step", "student", "measure", "value"], name="trials")
        tried = table["task"] != ""
        self._read_lessons(table[~tried & (table["lesson"] > 0) & (table["step"] == 0)])
        self._read_tasks(table[tried & (table["measure"] == "done")])
        self._add_gains()
        self._add_stability()

    def of(self, place: Cell) -> BySeed:
        """The numbers of a cell by seed, those that could be measured; of a task by batch of attempts."""
        return self._found.get(place, {})

    def mean(self, places: Sequence[Cell]) -> dict[int, float]:
        """By seed, the mean over some cells; only of seeds that all of them have."""
        return _together([self.of(place) for place in places])

    def _read_lessons(self, rows: pd.DataFrame) -> None:
        names = ("variant", "layout", "genre", "lesson", "student", "measure", "seed", "value")
        for *place, seed, value in zip(*(rows[name].tolist() for name in names), strict=True):
            if math.isfinite(value):
                self._found.setdefault(Cell(*place), {})[seed] = value

    def _read_tasks(self, rows: pd.DataFrame) -> None:
        """Attempts in batches as large as the paper's. One that was broken off is none."""
        made: dict[tuple[Cell, int], list[float]] = {}
        names = ("variant", "layout", "genre", "task", "seed", "value")
        for variant, layout, genre, task, seed, value in zip(*(rows[name].tolist() for name in names), strict=True):
            place = Cell(variant, layout, genre, 0, "", f"task.{task}")
            made.setdefault((place, (seed - 1) // ATTEMPTS + 1), []).append(value)
        for (place, batch), done in made.items():
            if len(done) == ATTEMPTS:
                self._found.setdefault(place, {})[batch] = fmean(done)

    def _add_gains(self) -> None:
        """Over four sessions: the class's mean share of positive states in the last, minus that in the first."""
        variants = dict.fromkeys(place.variant for place in self._found if place.genre == SESSIONS)
        for variant in variants:
            for state in STATE_COLUMNS:
                means: dict[int, dict[int, float]] = {}
                for session in range(1, LAST_SESSION + 1):
                    means[session] = self._class_mean(variant, session, f"evolution.{state}")
                    self._found[Cell(variant, "lecture", SESSIONS, session, "", f"evolution.{state}")] = means[session]
                first, last = means[1], means[LAST_SESSION]
                gained = {seed: last[seed] - first[seed] for seed in first if seed in last}
                self._found[Cell(variant, "lecture", SESSIONS, 0, "", f"delta_{state}")] = gained

    def _class_mean(self, variant: str, session: int, measure: str) -> dict[int, float]:
        parts = [
            values
            for place, values in self._found.items()
            if place.student
            and (place.variant, place.genre, place.session, place.measure) == (variant, SESSIONS, session, measure)
        ]
        return _together(parts)

    def _add_stability(self) -> None:
        for layout in LAYOUTS:
            for letter, shares in DIMENSIONS.items():
                for seed, profiles in self._profiles(layout, shares).items():
                    for student, (own, others) in stability(profiles).items():
                        for value, suffix in ((own, ""), (others, "_others")):
                            place = Cell("full", layout, "", 0, student, f"stability.{letter}{suffix}")
                            self._found.setdefault(place, {})[seed] = value

    def _profiles(self, layout: str, shares: Sequence[str]) -> dict[int, Profiles]:
        """The shares of one dimension, by seed, genre and student."""
        found: dict[int, Profiles] = {}
        for place, values in self._found.items():
            share = place.measure.removeprefix("bec.")
            if not place.student or share not in shares or (place.variant, place.layout) != ("full", layout):
                continue
            if place.genre in CHINESE:
                for seed, value in values.items():
                    found.setdefault(seed, {}).setdefault((place.genre, place.student), {})[share] = value
        return found


def stability(profiles: Profiles) -> dict[str, tuple[float, float]]:
    """Of each student how alike it is to itself in lessons of other genres, and to the others in them.

    As measures.student_stability, which needs the steps: the shares that two profiles have in common, over all pairs.
    """
    own: dict[str, list[float]] = {}
    others: dict[str, list[float]] = {}
    for ((genre, student), one), ((other_genre, other_student), other) in combinations(profiles.items(), 2):
        if genre == other_genre:
            continue
        alike = overlap(one, other)
        for name in {student, other_student}:
            (own if student == other_student else others).setdefault(name, []).append(alike)
    return {name: (fmean(own[name]), fmean(others[name])) for name in own if name in others}


def _together(parts: Sequence[BySeed]) -> dict[int, float]:
    """The mean of several at each seed that all of them have."""
    if not parts:
        return {}
    seeds = set(parts[0]).intersection(*parts[1:])
    return {seed: fmean(part[seed] for part in parts) for seed in sorted(seeds)}
