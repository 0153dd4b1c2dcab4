"""What somebody has worked out before everybody's eyes: a value, and how it comes about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from eduverse_mesa.decisions.meanings import Message
from eduverse_mesa.formulas.comparing import alike


def has_shown(dialogue: Iterable[Message], speaker: str, variable: str) -> bool:
    """Whether somebody has said what a variable is, and in the same words or others how they came by it."""
    theirs = [one.meaning for one in dialogue if one.speaker == speaker]
    values = [claim.value for one in theirs for claim in one.claims if claim.about == variable]
    if not values:
        return False
    for one in theirs:
        names = any(claim.about == variable and alike(claim.value, values[-1]) for claim in one.claims)
        reckoned = any(each.holds for each in one.sums)
        if names and (reckoned or one.plans or one.cues):
            return True
        if any(each.holds and alike(each.result, values[-1]) for each in one.sums):
            return True
        if any(name == variable for name, _ in one.plans):
            return True
    return False


def all_shown(dialogue: Sequence[Message], variables: Sequence[str]) -> bool:
    """Whether each of the variables was worked out by somebody."""
    speakers = {one.speaker for one in dialogue}
    return bool(variables) and all(any(has_shown(dialogue, name, each) for name in speakers) for each in variables)
