"""Statements of the paper in words, beyond single numbers: each as data, judged by the numbers of our lessons.

A statement is one or more contrasts: these cells have more of something than those. "Most" is a contrast with each of
the others, not with their mean. A contrast is judged over seeds: the difference of the two sides' means in each seed,
whose lessons had the same luck, and Student's t interval over those differences. One seed is one experiment as large as
the paper's: how often a single one comes out with the right sign says what the paper's own sign is worth.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

import pandas as pd

from eduverse_mesa.experiments.papers.eduverse.designs import CHINESE, HISTORY, LAYOUTS, SESSIONS
from eduverse_mesa.experiments.papers.eduverse.published import LAST_SESSION, Cell, Cells, cell, paper_values, students
from eduverse_mesa.experiments.verdicts import Verdict, verdict_of, worst
from eduverse_mesa.measures.intervals import Interval, bounds_of, paired_interval, standardised

VERDICTS: dict[Verdict, str] = {
    "holds": "holds",
    "uncertain": "right sign, not certain",
    "fails": "does not hold",
    "unknown": "cannot be told",
}
JUDGED_COLUMNS = (
    *("statement", "experiment", "contrast", "more", "less", "difference", "low", "high", "n", "effect"),
    *("single", "paper_more", "paper_less", "paper_difference", "verdict"),
)


@dataclass(frozen=True, slots=True)
class Contrast:
    """The mean of some cells is larger than that of others."""

    name: str
    more: tuple[Cell, ...]
    less: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """One of the paper's statements: all of its contrasts have to hold."""

    id: str
    experiment: int
    text: str
    contrasts: tuple[Contrast, ...]


class Found(NamedTuple):
    """A contrast in the numbers of our lessons and in the paper's."""

    contrast: Contrast
    more: float
    less: float
    difference: Interval
    effect: float
    """The difference in standard deviations of one experiment's sides over seeds (Hedges' g)."""
    single: float
    """The share of single seeds in which the sign is right."""
    paper: tuple[float, float]
    """The paper's sides; NaN where it shows a figure only."""

    @property
    def verdict(self) -> Verdict:
        """Right sign and an interval off zero, right sign only, or neither."""
        return verdict_of(self.difference)

    @property
    def paper_difference(self) -> float:
        """The paper's."""
        return self.paper[0] - self.paper[1]


class Judged(NamedTuple):
    """A statement with what was found of each of its contrasts."""

    statement: Statement
    found: tuple[Found, ...]

    @property
    def verdict(self) -> Verdict:
        """The worst of its contrasts'."""
        return worst(found.verdict for found in self.found)


def judge(cells: Cells, experiments: Sequence[int] = (1, 2, 3, 4)) -> list[Judged]:
    """Every statement of some experiments."""
    return [
        Judged(statement, tuple(_find(contrast, cells) for contrast in statement.contrasts))
        for statement in STATEMENTS
        if statement.experiment in experiments
    ]


def judged_table(judged: Iterable[Judged]) -> pd.DataFrame:
    """Return the judged statements as a table, a row a contrast."""
    rows = [
        (
            one.statement.id,
            one.statement.experiment,
            found.contrast.name,
            found.more,
            found.less,
            *found.difference,
            found.effect,
            found.single,
            *found.paper,
            found.paper_difference,
            found.verdict,
        )
        for one in judged
        for found in one.found
    ]
    return pd.DataFrame(rows, columns=list(JUDGED_COLUMNS))


def _find(contrast: Contrast, cells: Cells) -> Found:
    more, less = cells.mean(contrast.more), cells.mean(contrast.less)
    seeds = [seed for seed in more if seed in less]
    sides = [[side[seed] for seed in seeds] for side in (less, more)]
    bounds = bounds_of(contrast.more[0].measure)
    difference = paired_interval(list(zip(*sides, strict=True)), bounds=bounds)
    return Found(
        contrast,
        _mean(sides[1]),
        _mean(sides[0]),
        difference,
        standardised(*sides),
        _mean([float(more[seed] > less[seed]) for seed in seeds]),
        (_paper(contrast.more), _paper(contrast.less)),
    )


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else math.nan


def _paper(cells: Sequence[Cell]) -> float:
    papers = paper_values()
    return fmean(papers.get(place, math.nan) for place in cells)


# --- the statements ---


def _layout(layout: str, measure: str, genres: Iterable[str] = CHINESE) -> tuple[Cell, ...]:
    """Genre means of one layout."""
    return tuple(cell(layout, genre, measure) for genre in genres)


def _most(layout: str, measure: str) -> tuple[Contrast, ...]:
    return tuple(
        Contrast(f"{measure}: {layout} > {other}", _layout(layout, measure), _layout(other, measure))
        for other in LAYOUTS
        if other != layout
    )


def _least(layout: str, measure: str) -> tuple[Contrast, ...]:
    return tuple(
        Contrast(f"{measure}: {other} > {layout}", _layout(other, measure), _layout(layout, measure))
        for other in LAYOUTS
        if other != layout
    )


def _without(variant: str, measure: str) -> Contrast:
    taken_out = tuple(cell("lecture", genre, measure, variant=variant) for genre in CHINESE)
    return Contrast(f"{measure}: {variant} > full", taken_out, _layout("lecture", measure))


def _session(state: str, session: int) -> Cell:
    return cell("lecture", SESSIONS, f"evolution.{state}", session=session)


def _gain(state: str, variant: str = "full") -> Cell:
    return cell("lecture", SESSIONS, f"delta_{state}", variant=variant, session=0)


def _stable(letter: str) -> Contrast:
    def side(measure: str) -> tuple[Cell, ...]:
        return tuple(cell(layout, "", measure, session=0, student=name) for layout in LAYOUTS for name in students())

    key = f"stability.{letter}"
    return Contrast(f"{key}: itself > others", side(key), side(f"{key}_others"))


STATEMENTS: tuple[Statement, ...] = (
    Statement("collab_positive", 1, "Two tables have the most positive emotion.", _most("collab", "bec.e_positive")),
    Statement("collab_high", 1, "Two tables have the most higher-order cognition.", _most("collab", "bec.c_high")),
    Statement("round_offtask", 1, "The round has the most off-task behaviour.", _most("round", "bec.b_offtask")),
    Statement("round_interactive", 1, "The round has the least interaction.", _least("round", "bec.b_interactive")),
    Statement(
        "stable",
        1,
        "Students keep their own profile: in lessons of other genres each is more like itself than like the others.",
        tuple(_stable(letter) for letter in ("b", "e", "c")),
    ),
    Statement(
        "style_negative",
        1,
        "Without each student's own style there is more negative emotion.",
        (_without("nolocal", "bec.e_negative"),),
    ),
    Statement(
        "stages_inflated",
        1,
        "Without plan, monitor and regulate there is more higher-order cognition and more activity.",
        (_without("nocog", "bec.c_high"), _without("nocog", "bec.b_active")),
    ),
    Statement(
        "faster",
        3,
        "Over four sessions behaviour and emotion rise, and faster than cognition.",
        (
            *(
                Contrast(f"{state}: session 4 > session 1", (_session(state, LAST_SESSION),), (_session(state, 1),))
                for state in ("b_pos", "e_pos")
            ),
            *(Contrast(f"gain: {state} > c_pos", (_gain(state),), (_gain("c_pos"),)) for state in ("b_pos", "e_pos")),
        ),
    ),
    Statement(
        "regulate_gain",
        3,
        "Without regulating themselves students gain less over four sessions.",
        (Contrast("gain overall: full > noregulate", (_gain("overall"),), (_gain("overall", "noregulate"),)),),
    ),
    Statement(
        "history_sparser",
        4,
        "A history lesson has fewer complete IRF cycles than Chinese lessons.",
        (
            Contrast(
                "irf.irf: Chinese > history",
                tuple(place for layout in LAYOUTS for place in _layout(layout, "irf.irf")),
                tuple(place for layout in LAYOUTS for place in _layout(layout, "irf.irf", HISTORY)),
            ),
        ),
    ),
)
