"""What somebody has worked out before everybody's eyes: a value, and how it comes about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from eduverse_mesa.decisions.meanings import Message
from eduverse_mesa.formulas.comparing import alike

MOST_ASKED_BACK = 2
"""So often is somebody who has only consented asked for something of their own."""


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


def idle(dialogue: Sequence[Message], people: Sequence[str]) -> list[str]:
    """The persons who have added nothing to the work, and were not asked often enough for something of their own."""
    return [name for name in people if not _adds(dialogue, name) and asked_back(dialogue, name) < MOST_ASKED_BACK]


def asked_back(dialogue: Iterable[Message], name: str) -> int:
    """How often somebody was asked at the end for something of their own."""
    return sum(_asks_back(one, name) for one in dialogue)


def _asks_back(message: Message, name: str) -> bool:
    meaning = message.meaning
    return message.stage == "validate" and meaning.addressed == name and meaning.asks and bool(meaning.question)


def _adds(dialogue: Sequence[Message], name: str) -> bool:
    """A value, a calculation, a way, a reason or a choice; or any answer of more than consent to what was asked."""
    asked = False
    for one in dialogue:
        meaning = one.meaning
        if one.speaker != name:
            asked = asked or _asks_back(one, name)
            continue
        if meaning.claims or meaning.sums or meaning.plans or meaning.cues or meaning.chosen or meaning.refuted:
            return True
        beside = meaning.stance or meaning.lost or meaning.asks or meaning.matter or meaning.off_topic
        if asked and meaning.clear and not beside:
            return True
    return False
