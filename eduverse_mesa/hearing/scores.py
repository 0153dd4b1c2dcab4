"""How well an ear hears: what it took lines to mean, beside what people say that they mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from eduverse_mesa.decisions.hearing import Hear, Meant
from eduverse_mesa.hearing.corpus import Label, Line, decision_of
from eduverse_mesa.hearing.trainer import f1, is_understood
from eduverse_mesa.vocabulary import MANNERS, SPEECH_ACTS

BARS = {
    "acts_f1": (0.85, True),
    "about": (0.90, True),
    "how": (0.95, True),
    "contradicted": (0.03, False),
    "calibration_error": (0.05, False),
    "booked_wrongly": (0.0, False),
}
"""The bars of the measures that have one, and whether more is better."""
_VERDICTS = ({"praises", "agrees"}, {"corrects", "disagrees"})
_BINS = 10
OPEN = ("denied", "asked", "quoted", "supposed")
"""Manners in which nobody stands by what is said: no mistake may be booked from them."""


class Judged(NamedTuple):
    """A line that was heard, with a person's label."""

    decision: Hear
    meant: Meant
    label: Label


def hear_all(lines: Sequence[Line], who: str, hear: Callable[[Hear], Meant]) -> list[Judged]:
    """The lines that somebody has labelled, heard."""
    return [
        Judged(decision, hear(decision), line.labels[who])
        for line in lines
        if who in line.labels
        for decision in [decision_of(line)]
    ]


def score(judged: Sequence[Judged]) -> dict[str, float]:
    """Every measure over some lines; a measure of what does not occur in them is left out."""
    found: dict[str, float] = {"lines": float(len(judged))}
    acts = {act: _act_f1(act, judged) for act in SPEECH_ACTS}
    occurring = [value for value in acts.values() if value is not None]
    _put(found, "acts_f1", occurring)
    _put(found, "first_act", [one.meant.acts[0] in one.label.acts for one in judged])
    named = [one for one in judged if one.label.about is not None and one.decision.candidates]
    _put(found, "about", [one.meant.about in (one.label.about, *one.label.also) for one in named])
    _put(found, "about_strict", [one.meant.about == one.label.about for one in named])
    _put(found, "how", [one.meant.how == one.label.how for one in judged])
    found["how_kappa"] = kappa([one.meant.how for one in judged], [one.label.how for one in judged])
    _put(found, "how_asserted", [one.meant.how == "asserted" for one in judged if one.label.how == "asserted"])
    _put(found, "how_open", [one.meant.how != "asserted" for one in judged if one.label.how in OPEN])
    found["move_kappa"] = kappa([one.meant.move for one in judged], [one.label.move for one in judged])
    claims = [one for one in judged if one.label.right is not None]
    _put(found, "right", [one.meant.right == one.label.right for one in claims])
    _put(found, "right_opposed", [one.meant.right is not None and one.meant.right != one.label.right for one in claims])
    _put(found, "contradicted", [is_contradicted(one) for one in judged])
    unclaimed = [one for one in judged if one.label.how in OPEN]
    _put(found, "booked_wrongly", [one.meant.how == "asserted" and one.meant.right is False for one in unclaimed])
    found["reason_f1"] = f1(
        np.array([one.label.reason for one in judged]), np.array([one.meant.reason for one in judged])
    )
    _put(
        found,
        "reason_for",
        [
            one.meant.reason_for in (one.label.reason_for, *one.label.also)
            for one in judged
            if one.label.reason and one.meant.reason and one.label.reason_for
        ],
    )
    _put(found, "to", [(one.meant.to or None) == one.label.to for one in judged])
    _put(found, "trouble_recall", [one.meant.trouble for one in judged if one.label.trouble])
    _put(found, "trouble_false", [one.meant.trouble for one in judged if not one.label.trouble])
    understood = [is_understood(one.meant, [one.label], named=bool(one.decision.candidates)) for one in judged]
    _put(found, "understood", understood)
    found["calibration_error"] = calibration_error([one.meant.confidence for one in judged], understood)
    found.update({f"act_{act}": value for act, value in acts.items() if value is not None})
    for how in MANNERS:
        here = [one for one in judged if one.label.how == how]
        _put(found, f"how_{how}", [one.meant.how == how for one in here])
    return found


def _put(found: dict[str, float], name: str, values: Sequence[float | bool]) -> None:
    if len(values):
        found[name] = float(np.mean(values))


def _act_f1(act: str, judged: Sequence[Judged]) -> float | None:
    truth = np.array([act in one.label.acts for one in judged])
    return f1(truth, np.array([act in one.meant.acts for one in judged])) if truth.any() else None


def is_contradicted(one: Judged) -> bool:
    """Return True if the opposite of what was meant was heard: right for wrong, or agreeing for turning down."""
    if one.label.right is not None and one.meant.right is not None and one.meant.right != one.label.right:
        return True
    yes, no = _VERDICTS
    heard, said = set(one.meant.acts), set(one.label.acts)
    return bool((heard & yes and not heard & no and said & no and not said & yes) or
                (heard & no and not heard & yes and said & yes and not said & no))  # fmt: skip


def kappa(one: Sequence[str], other: Sequence[str]) -> float:
    """Cohen's kappa of two codings; 0 where nothing can be told."""
    if not one:
        return 0.0
    codes = sorted({*one, *other})
    agreed = float(np.mean([a == b for a, b in zip(one, other, strict=True)]))
    chance = sum(one.count(code) * other.count(code) for code in codes) / len(one) ** 2
    return (agreed - chance) / (1 - chance) if chance < 1 else 0.0


def calibration_error(confidence: Sequence[float], right: Sequence[bool]) -> float:
    """Expected calibration error over ten bins of confidence."""
    sure, truth = np.array(confidence), np.array(right, dtype=float)
    bins = np.minimum((sure * _BINS).astype(int), _BINS - 1)
    return float(
        sum(np.mean(bins == at) * abs(np.mean(sure[bins == at]) - np.mean(truth[bins == at])) for at in set(bins))
    )
