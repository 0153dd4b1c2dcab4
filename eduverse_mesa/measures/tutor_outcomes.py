"""Outcomes of a tutor for a cohort: from the tables of tests, episodes and lines to a row for each learner, to means
with intervals, to groups of learners, and to the paired difference of two tutors.

Scores of a judge run from 1 to 10; here a test is the mean share of full marks, from 0 to 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from eduverse_mesa.measures.intervals import (
    LEVEL,
    Interval,
    bounds_of,
    mean_interval,
    paired_interval,
    standardised,
    welch_interval,
)
from eduverse_mesa.measures.learners import exam_means, leak_rate, normalised_gain, scored_alike
from eduverse_mesa.measures.tables import NAN, parts

EXAMS = ("pre", "post", "delayed")
MASTERED = 0.75
"""Mastery shown in a dialogue from which on a unit counts as mastered."""
LEFT_BEHIND = 0.1
"""Share of full marks: a learner who gains less is left behind; one who had less than that left to gain cannot be."""
SMALLEST_GROUP = 8
"""Learners below which a group says little: its interval is wide, and one child moves its mean."""
_DRAWS = 2000
GROUPS = ("low", "middle", "high")

OUTCOMES = (
    "pre", "post", "delayed", "gain", "normalised_gain", "delayed_gain", "kept", "left_behind", "mastered",
    "dialogues_to_mastery", "turns", "leaks", "test_leaks", "told", "told_first",
)  # fmt: skip


def learner_outcomes(
    learners: Sequence[str], tests: pd.DataFrame, episodes: pd.DataFrame, lines: pd.DataFrame, visits: int
) -> pd.DataFrame:
    """A row for each learner with all OUTCOMES; NaN where something could not be measured.

    `tests` has learner, exam, unit, item, score and leaks; `episodes` learner, session, unit, shown and turns; `lines`
    learner, session, speaker, leaks, told and tried (of the tutor's lines: the answer was said; the learner had tried
    before). `visits` are the dialogues that each unit got. A learner's tests are compared on the items that were scored
    in all of them.
    """
    table = pd.DataFrame(index=pd.Index(list(learners), name="learner"))
    table = table.join(exam_means(scored_alike(tests, EXAMS)).reindex(columns=list(EXAMS)))
    table["gain"] = table["post"] - table["pre"]
    table["normalised_gain"] = [normalised_gain(*pair) for pair in zip(table["pre"], table["post"], strict=True)]
    table["delayed_gain"] = table["delayed"] - table["pre"]
    table["kept"] = (table["delayed"] / table["post"]).where(table["post"] > 0.0)
    could_gain = table["gain"].notna() & (1.0 - table["pre"] >= LEFT_BEHIND)
    table["left_behind"] = (table["gain"] < LEFT_BEHIND).astype(float).where(could_gain)
    table = table.join(_mastery(episodes, visits)).join(_talk(lines))
    table["test_leaks"] = pd.Series(
        {str(key[0]): leak_rate(part) for key, part in parts(tests, ["learner"])}, dtype=float
    )
    table["turns"] = episodes.groupby("learner")["turns"].mean()
    return table.reindex(columns=list(OUTCOMES)).astype(float).reset_index()


def _mastery(episodes: pd.DataFrame, visits: int) -> pd.DataFrame:
    """The share of units mastered, and how many dialogues it took; a unit never mastered counts as one more than it
    got, which makes the mean a lower bound."""
    numbered = episodes.sort_values("session").assign(
        number=episodes.sort_values("session").groupby(["learner", "unit"]).cumcount() + 1
    )
    reached = numbered[numbered["shown"] >= MASTERED].groupby(["learner", "unit"])["number"].min()
    units = numbered.groupby(["learner", "unit"]).size()
    first = reached.reindex(units.index)
    return pd.DataFrame(
        {
            "mastered": first.notna().astype(float).groupby("learner").mean(),
            "dialogues_to_mastery": first.fillna(visits + 1).astype(float).groupby("learner").mean(),
        }
    )


def _talk(lines: pd.DataFrame) -> pd.DataFrame:
    """Leaks by reply; how often the tutor gave an answer away, and in how many dialogues before anything was tried."""
    learner, tutor = lines[lines["speaker"] == "learner"], lines[lines["speaker"] == "tutor"]
    early = tutor.assign(early=tutor["told"].astype(bool) & ~tutor["tried"].astype(bool))
    dialogues = early.groupby(["learner", "session"])["early"].any()
    return pd.DataFrame(
        {
            "leaks": (learner["leaks"] != "").astype(float).groupby(learner["learner"]).mean(),
            "told": tutor["told"].astype(float).groupby(tutor["learner"]).mean(),
            "told_first": dialogues.astype(float).groupby("learner").mean(),
        }
    )


def outcome_means(outcomes: pd.DataFrame) -> dict[str, Interval]:
    """The mean of each outcome over learners, with its interval."""
    return {name: mean_interval(outcomes[name].tolist(), bounds=bounds_of(name)) for name in OUTCOMES}


def retained(outcomes: pd.DataFrame, level: float = LEVEL) -> Interval:
    """The share of the cohort's gain that is left at the delayed test: a ratio of means, since the ratio of one learner
    who has gained next to nothing says nothing. The interval is a bootstrap over learners (Efron 1979), always with the
    same draws. NaN where it is not certain that anything was gained."""
    both = outcomes[["gain", "delayed_gain"]].dropna().to_numpy(float)
    n = len(both)
    if n < 2 or not mean_interval(both[:, 0].tolist(), level).low > 0:
        return Interval(NAN, NAN, NAN, n)
    drawn = both[np.random.default_rng(0).integers(0, n, size=(_DRAWS, n))].mean(axis=1)
    ratios = np.divide(drawn[:, 1], drawn[:, 0], out=np.full(_DRAWS, np.nan), where=drawn[:, 0] > 0)
    low, high = np.nanquantile(ratios, [(1 - level) / 2, (1 + level) / 2])
    gained, left = both.mean(axis=0)
    return Interval(float(left / gained), float(low), float(high), n)


class GroupGain(NamedTuple):
    """The gain of one group of learners."""

    factor: str
    group: str
    gain: Interval
    left_behind: float
    too_small: bool


def gains_by_profile(outcomes: pd.DataFrame, profiles: Mapping[str, Mapping[str, float]]) -> list[GroupGain]:
    """The gain in the low, middle and high third of each factor, e.g. ability; `profiles` has the values of each
    learner. Equal values stay in one group, and a factor that does not vary gives none."""
    found = []
    factors = list(dict.fromkeys(factor for profile in profiles.values() for factor in profile))
    for factor in factors:
        values = [profiles[learner][factor] for learner in outcomes["learner"]]
        groups = thirds(values)
        for name in GROUPS:
            rows = outcomes[[group == name for group in groups]]
            if rows.empty:
                continue
            gain = mean_interval(rows["gain"].tolist(), bounds=bounds_of("gain"))
            found.append(GroupGain(factor, name, gain, float(rows["left_behind"].mean()), gain.n < SMALLEST_GROUP))
    return found


def profile_gaps(outcomes: pd.DataFrame, profiles: Mapping[str, Mapping[str, float]]) -> dict[str, Interval]:
    """High minus low third of each factor, in gain: who profits more from this tutor. The intervals hold for all
    factors together (Bonferroni), or one of seven would look unequal by chance in every third cohort."""
    factors = list(dict.fromkeys(factor for profile in profiles.values() for factor in profile))
    level = 1.0 - (1.0 - LEVEL) / max(1, len(factors))
    gaps = {}
    for factor in factors:
        groups = thirds([profiles[learner][factor] for learner in outcomes["learner"]])
        gains = {
            name: [gain for gain, group in zip(outcomes["gain"], groups, strict=True) if group == name]
            for name in GROUPS
        }
        if gains["low"] and gains["high"]:
            gaps[factor] = welch_interval(gains["low"], gains["high"], level, bounds_of("gain"))
    return gaps


def thirds(values: Sequence[float]) -> list[str]:
    """Low, middle or high for each value, by the two values that part the sorted ones in thirds; "" where all are
    alike."""
    ordered = sorted(values)
    n = len(ordered)
    if not ordered or ordered[0] == ordered[-1]:
        return [""] * n
    first, second = ordered[(n - 1) // 3], ordered[n - 1 - (n - 1) // 3]
    if first == second:  # more than a third are alike: they are the middle
        return ["low" if value < first else "high" if value > first else "middle" for value in values]
    return ["low" if value <= first else "high" if value >= second else "middle" for value in values]


class PairedOutcome(NamedTuple):
    """One outcome under two tutors of the same learners: second minus first."""

    outcome: str
    first: float
    second: float
    difference: Interval
    effect: float
    """In standard deviations of learners (Cohen's d with Hedges' correction); NaN where nothing varies."""
    clear: bool
    """An interval that holds for all outcomes together (Bonferroni) leaves out zero."""


def paired_outcomes(first: pd.DataFrame, second: pd.DataFrame) -> list[PairedOutcome]:
    """Each outcome of the same learners under two tutors. Learners who are not in both are a mistake.

    The intervals are those of single outcomes; what is clear is so among all of them, or of so many outcomes of two
    tutors who do not differ one would now and then be starred by chance.
    """
    if first["learner"].tolist() != second["learner"].tolist():
        raise ValueError("the two tutors did not teach the same learners")
    found = []
    level = 1.0 - (1.0 - LEVEL) / len(OUTCOMES)
    for name in OUTCOMES:
        pairs = [
            (one, other)
            for one, other in zip(first[name], second[name], strict=True)
            if math.isfinite(one) and math.isfinite(other)
        ]
        ones, others = [one for one, _ in pairs], [other for _, other in pairs]
        first_mean, second_mean = (sum(ones) / len(ones), sum(others) / len(others)) if pairs else (NAN, NAN)
        wide = paired_interval(pairs, level, bounds_of(name))
        clear = wide.low > 0 or wide.high < 0
        effect = standardised(ones, others)
        found.append(
            PairedOutcome(name, first_mean, second_mean, paired_interval(pairs, bounds=bounds_of(name)), effect, clear)
        )
    return found
