"""What an evaluation says: means with intervals, who is left behind, what failed; and how two tutors differ."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from eduverse_mesa.experiments.tutors.evaluating import Answered, Evaluation
from eduverse_mesa.measures.intervals import Interval
from eduverse_mesa.measures.tutor_outcomes import (
    GroupGain,
    PairedOutcome,
    gains_by_profile,
    outcome_means,
    paired_outcomes,
    profile_gaps,
    retained,
)
from eduverse_mesa.runs.tables import bill_document


@dataclass(frozen=True)
class Findings:
    """One tutor."""

    evaluation: Evaluation
    means: dict[str, Interval]
    """By their outcomes; none of a tutor that never answered."""
    retained: Interval
    """The share of the cohort's gain that is left at the delayed test."""
    groups: list[GroupGain]
    gaps: dict[str, Interval]
    """High minus low third, in gain."""

    def document(self) -> dict[str, Any]:
        """As plain data, for JSON."""
        found, plan = self.evaluation, self.evaluation.plan
        return {
            "tutor": found.tutor,
            "seed": found.seed,
            "learners": len(found.outcomes),
            "grade": plan.grade,
            "units": list(plan.units),
            "visits": plan.visits,
            "delay_days": plan.delay,
            "self_judged": found.self_judged,
            "outcomes": {name: _plain(interval) for name, interval in self.means.items()},
            "retained": _plain(self.retained),
            "profiles": [
                {
                    "factor": one.factor,
                    "group": one.group,
                    "gain": _plain(one.gain),
                    "left_behind": _number(one.left_behind),
                    "too_small": one.too_small,
                }
                for one in self.groups
            ],
            "gaps": {factor: _plain(gap) for factor, gap in self.gaps.items()},
            "teaching": _answered(found.teaching),
            "others": _answered(found.others),
            "judging": _answered(found.judging),
            "left_out": found.left_out,
            **({"models": bill_document(found.bill)} if found.bill.requests else {}),
            **({"tutor_server": bill_document(found.tutor_bill)} if found.tutor_bill.requests else {}),
        }


@dataclass(frozen=True)
class Comparison:
    """Two tutors of the same learners."""

    first: Findings
    second: Findings
    paired: list[PairedOutcome]

    def document(self) -> dict[str, Any]:
        """As plain data, for JSON."""
        return {
            "first": self.first.document(),
            "second": self.second.document(),
            "paired": [
                {
                    "outcome": one.outcome,
                    "first": _number(one.first),
                    "second": _number(one.second),
                    "difference": _plain(one.difference),
                    "effect": _number(one.effect),
                    "clear": one.clear,
                }
                for one in self.paired
            ],
        }


def find(evaluation: Evaluation) -> Findings:
    """What an evaluation says: nothing of a tutor that never answered, whom nobody was taught by."""
    if evaluation.teaching.is_none:
        return Findings(evaluation, {}, Interval(math.nan, math.nan, math.nan, 0), [], {})
    outcomes, profiles = evaluation.outcomes, evaluation.profiles
    return Findings(
        evaluation,
        outcome_means(outcomes),
        retained(outcomes),
        gains_by_profile(outcomes, profiles),
        profile_gaps(outcomes, profiles),
    )


def compare(first: Evaluation, second: Evaluation) -> Comparison:
    """How two tutors differ on the same learners, learner by learner."""
    one, other = find(first), find(second)
    both = bool(one.means and other.means)
    return Comparison(one, other, paired_outcomes(first.outcomes, second.outcomes) if both else [])


def _answered(one: Answered) -> dict[str, Any]:
    return {"asked": one.asked, "failed": one.failed, "stood_in": one.stood_in, "reasons": dict(one.reasons)}


def _plain(interval: Interval) -> dict[str, Any]:
    return {name: _number(value) for name, value in interval._asdict().items()}


def _number(value: float) -> float | None:
    """NaN is no JSON."""
    return value if math.isfinite(value) else None
