"""Published regularities of real classes, and whether simulated lessons show them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

import pandas as pd

from eduverse_mesa.experiments.calibration.targets import targets
from eduverse_mesa.experiments.papers.statements import Basis
from eduverse_mesa.experiments.realism.design import PODS, ROWS, SEMICIRCLE
from eduverse_mesa.measures.intervals import Interval, mean_interval
from eduverse_mesa.measures.tables import NAN
from eduverse_mesa.policies.registry import policy_parts

_OF_CLASS = "class."


def basis_of(measure: str, policy: str) -> Basis:
    """Return "fitted" if the embedded policy, where it has a say, was fitted to the published mean of a measure, else
    "predicted"."""
    if "embedded" not in policy_parts(policy or "embedded").values():
        return "predicted"
    return "fitted" if {measure, _OF_CLASS + measure} & _names() else "predicted"


@cache
def _names() -> frozenset[str]:
    return frozenset(target.name for target in targets())


_LEAST_TEACHERS = 3
"""Fewer have no interval to speak of, and a mean of theirs is theirs alone."""
Fit = Literal["fits", "near", "does not fit", "cannot be told"]


@dataclass(frozen=True)
class Regularity:
    """One published figure: where it comes from, and where ours should lie."""

    key: str
    words: str
    published: str
    source: str
    low: float
    high: float
    measure: str
    layout: str = ""
    """Only lessons in this layout; empty: in all."""
    against: str = ""
    """Measured as the difference from this layout, pair by pair."""


_ABOVE = float("inf")
REGULARITIES = (
    Regularity(
        "teacher_words",
        "the teacher's share of the words",
        "0.80 to 0.85",
        "TalkMoves; Flanders 1970 (two thirds and more)",
        0.80,
        0.85,
        "talk.teacher_talk_ratio_words",
    ),
    Regularity(
        "on_task",
        "on-task share of all student-steps",
        "0.71 to 0.75",
        "Godwin et al. 2016 (elementary classes)",
        0.71,
        0.75,
        "on_task",
    ),
    Regularity(
        "off_task_with_peers",
        "share of off-task steps spent with a classmate",
        "about 0.45",
        "Godwin et al. 2016",
        0.40,
        0.50,
        "off_task_with_peers",
    ),
    Regularity(
        "target_students",
        "share of turns that the most active 15 % take",
        "about 0.40",
        "Sadker, Sadker and Zittleman 2009",
        0.35,
        0.45,
        "top_share",
    ),
    Regularity(
        key="front",
        words="in rows: participation in front minus at the back",
        published="above 0",
        source="Adams and Biddle 1970 (action zone)",
        low=0.0,
        high=_ABOVE,
        measure="front_minus_back",
        layout=ROWS,
    ),
    Regularity(
        key="centre",
        words="in rows: participation in the centre minus at the sides",
        published="above 0",
        source="Adams and Biddle 1970 (action zone)",
        low=0.0,
        high=_ABOVE,
        measure="centre_minus_side",
        layout=ROWS,
    ),
    Regularity(
        key="questions",
        words="questions to the teacher in a lesson: semicircle minus rows",
        published="above 0",
        source="Marx, Fuhrer and Hartig 1999",
        low=0.0,
        high=_ABOVE,
        measure="questions",
        layout=SEMICIRCLE,
        against=ROWS,
    ),
    Regularity(
        key="individual_work",
        words="on task while working alone: rows minus pods",
        published="above 0",
        source="Wannarka and Ruhl 2008; Hastings and Schwieso 1995",
        low=0.0,
        high=_ABOVE,
        measure="on_task_in_work",
        layout=ROWS,
        against=PODS,
    ),
    *(
        Regularity(
            f"achievement_{trait}",
            f"correlation of {trait} with what is understood",
            f"about {r:.2f}",
            "Poropat 2009 (school marks; here: understanding after one lesson)",
            r - 0.10,
            r + 0.10,
            f"achievement.{trait}",
        )
        for trait, r in (("conscientiousness", 0.22), ("openness", 0.12), ("agreeableness", 0.07))
    ),
)


@dataclass(frozen=True)
class Judged:
    """A regularity with ours beside it."""

    regularity: Regularity
    ours: Interval
    fit: Fit
    basis: Basis


def judge(lessons: pd.DataFrame, policy: str = "") -> list[Judged]:
    """Every regularity, from one row a lesson (and pair) with its factors and measures as columns."""
    return [judged(regularity, _values(regularity, lessons), policy) for regularity in REGULARITIES]


def judged(regularity: Regularity, values: pd.DataFrame, policy: str = "") -> Judged:
    """Ours is the mean over teachers' means, since lessons of one teacher are alike; and so is its interval."""
    known = values.dropna()
    interval = mean_interval(known.groupby("teacher")["value"].mean().tolist())
    # What a layout does, and where in a room, no target says.
    of_layout = regularity.layout or regularity.against
    basis: Basis = "predicted" if of_layout else basis_of(regularity.measure, policy)
    return Judged(regularity, interval, _fit(regularity, interval), basis)


def _fit(regularity: Regularity, ours: Interval) -> Fit:
    """A sign fits where the interval lies on its side of zero, a figure where the mean lies in the published range;
    near is what chance may have moved."""
    if ours.n < _LEAST_TEACHERS:
        return "cannot be told"
    inside = regularity.low < ours.mean <= regularity.high
    touches = ours.low == ours.low and ours.low <= regularity.high and ours.high >= regularity.low
    if regularity.high == _ABOVE:
        certain = ours.low == ours.low and ours.low > regularity.low
        return "fits" if certain else ("near" if touches else "does not fit")
    return "fits" if inside else ("near" if touches else "does not fit")


def _values(regularity: Regularity, lessons: pd.DataFrame) -> pd.DataFrame:
    """Columns teacher and value: a row a lesson, or a pair of lessons."""
    measure = regularity.measure
    if not regularity.against:
        wanted = lessons[~lessons["pair"]]
        if regularity.layout:
            wanted = wanted[wanted["layout"] == regularity.layout]
        return pd.DataFrame({"teacher": wanted["teacher"], "value": wanted[measure]})
    paired = set(lessons.loc[lessons["pair"], "class"])
    table = lessons[lessons["class"].isin(paired)].pivot_table(
        index=["teacher", "class"], columns="layout", values=measure, dropna=False
    )
    if not {regularity.layout, regularity.against} <= set(table.columns):
        return pd.DataFrame({"teacher": [], "value": [NAN] * 0})
    difference = table[regularity.layout] - table[regularity.against]
    return pd.DataFrame({"teacher": difference.index.get_level_values("teacher"), "value": difference.tolist()})
