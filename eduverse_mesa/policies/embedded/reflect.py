"""Looking back on a lesson: the student's resolution for next time, and the teacher's evaluation."""

from __future__ import annotations

from eduverse_mesa.curves import clamp
from eduverse_mesa.decisions import Evaluate, Summarise
from eduverse_mesa.policies.embedded.linear import Parameters

_UNHEARD = 0.4
"""Quality ascribed to students who said nothing: neither for nor against them."""


def next_strategy(decision: Summarise, p: Parameters) -> str:
    """What to do differently next time: the most pressing of what did not go well, else keep to it."""
    off_task = decision.behaviours.get("off_task", 0.0)
    confused = decision.emotions.get("confused", 0.0)
    negative = decision.emotions.get("negative", 0.0)
    concerns = {
        "refocus": p["reflect.off_task"] * off_task,
        "seek_help": p["reflect.confused"] * confused,
        "calm": p["reflect.negative"] * negative,
        "participate": p["reflect.passive"] * decision.behaviours.get("passive", 0.0),
    }
    worst = max(concerns, key=concerns.__getitem__)
    if not decision.strategies:
        return "keep"  # without the Regulate stage nothing was resolved, and nothing is carried over
    return worst if concerns[worst] > p["reflect.threshold"] else "keep"


def evaluate(decision: Evaluate, p: Parameters) -> dict[str, float]:
    """A rating from -1 to 1 for each student, from what the teacher could see and hear."""
    return {
        student: clamp(
            p["evaluate.base"]
            + p["evaluate.took_part"] * took_part
            + p["evaluate.quality"] * (decision.quality.get(student, _UNHEARD) - _UNHEARD)
            - p["evaluate.off_task"] * decision.off_task[student],
            -1.0,
            1.0,
        )
        for student, took_part in decision.participation.items()
    }
