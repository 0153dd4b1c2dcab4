"""The two laws of forgetting as curves: what is left of a trace over the days of a school year."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from eduverse_mesa.memory.forgetting import EbbinghausLaw, EpisodeLaw, ForgettingLaw
from eduverse_mesa.scenarios.parameters import LEARNER_BOOK, load_parameters
from eduverse_mesa.scenarios.tutoring import LearnerMemory

TRACES: Mapping[str, tuple[float, float, bool]] = {
    "new": (0.25, 1.0, False),
    "brought back, strength 2": (0.5, 2.0, False),
    "brought back often, strength 4": (0.9, 4.0, False),
    "new, above the grade": (0.25, 1.0, True),
}
"""Traces by mastery, strength and whether they were out of reach."""
DAYS = 365
EPISODES_A_DAY = 0.25
"""A dialogue every four days, about what a grade with its fifteen units has."""


def laws(settings: LearnerMemory | None = None) -> dict[str, ForgettingLaw]:
    """Both laws, of an average learner."""
    settings, p = settings or LearnerMemory(), load_parameters({}, LEARNER_BOOK)
    return {
        "by episodes (SimLearner)": EpisodeLaw(settings.alpha, p["forget.mastery"], p["forget.above_grade"]),
        "by days (Ebbinghaus)": EbbinghausLaw(p["forget.stability"], p["forget.above_grade"]),
    }


def curves(settings: LearnerMemory | None = None, every: int = 5) -> pd.DataFrame:
    """What is left of each trace under each law: columns law, trace, days, kept."""
    rows = [
        (name, trace, day, law.kept(float(day), round(day * EPISODES_A_DAY), mastery, strength, above))
        for name, law in laws(settings).items()
        for trace, (mastery, strength, above) in TRACES.items()
        for day in range(0, DAYS + 1, every)
    ]
    return pd.DataFrame(rows, columns=["law", "trace", "days", "kept"])
