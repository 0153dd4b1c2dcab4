"""What the contingency gaps of a lesson would be if its turns came in any order.

Teacher's turns change places among themselves and students' among themselves, so that all shares of the lesson stay
what they are and only what follows what is lost. A gap that is not near 0 then is no contingency.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from statistics import fmean
from types import MappingProxyType
from typing import Final

from eduverse_mesa.measures import Lesson, Turn, contingency
from eduverse_mesa.measures.codes import STUDENT, TEACHER
from eduverse_mesa.measures.discourse import Measure
from eduverse_mesa.randomness import Address, uniform

GAPS: Final[Mapping[str, Measure]] = MappingProxyType(
    {
        "gap_substantive_reply_I_vs_not": contingency.gap_substantive_reply_i_vs_not,
        "gap_restate_after_claim_vs_other": contingency.gap_restate_after_claim_vs_other,
        "gap_evidence_reasoning_vs_accuracy": contingency.gap_evidence_reasoning_vs_accuracy,
        "gap_relate_get_relate_vs_none": contingency.gap_relate_get_relate_vs_none,
    }
)
SHUFFLES = 10


def shuffled_gaps(lesson: Lesson, seed: int = 0) -> dict[str, float]:
    """The mean of each gap over a few orders of the turns; NaN where no order could tell."""
    found: dict[str, list[float]] = {name: [] for name in GAPS}
    for number in range(SHUFFLES):
        mixed = shuffle_turns(lesson, Address(seed, 0, number, "realism"))
        for name, measure in GAPS.items():
            value = measure(mixed)
            if value == value:
                found[name].append(value)
    return {name: fmean(values) if values else float("nan") for name, values in found.items()}


def shuffle_turns(lesson: Lesson, at: Address) -> Lesson:
    """The lesson with its turns in another order: teacher's and students' in turn, as before."""
    mixed = {role: iter(_mixed(lesson.of(role), at, role)) for role in (TEACHER, STUDENT)}
    return replace(lesson, turns=tuple(next(mixed[turn.role]) for turn in lesson.turns))


def _mixed(turns: list[Turn], at: Address, role: str) -> list[Turn]:
    keys = [uniform(at, f"{role}{number}") for number in range(len(turns))]
    return [turns[place] for place in sorted(range(len(turns)), key=keys.__getitem__)]
