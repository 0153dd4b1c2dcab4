"""A table of trials as the experiments make it, small: two seeds, six steps a lesson."""

from __future__ import annotations

from functools import cache

import pandas as pd

from eduverse_mesa.experiments.papers.eduverse import all_trials, experiments
from eduverse_mesa.experiments.papers.eduverse.designs import ATTEMPTS
from eduverse_mesa.experiments.trials import Trial, measure_trials

SEEDS = 2
STEPS = 6


@cache
def played() -> pd.DataFrame:
    """All four experiments. Tasks that take long are tried in one layout only."""
    return measure_trials(filter(_wanted, all_trials(experiments("all"), SEEDS, settings={"steps": STEPS})))


def _wanted(trial: Trial) -> bool:
    return trial.task in ("", "ask_teacher") or (trial.factors["layout"] == "round" and trial.seed <= ATTEMPTS)
