"""What a learner takes from a tutor's words, whoever the tutor is: read off the words alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from eduverse_mesa.decisions.tutoring import Utterance
from eduverse_mesa.marks import share_said
from eduverse_mesa.scenarios.curriculum import Item, Unit, sentences_of

_PRAISE: dict[str, tuple[str, ...]] = {
    "en": ("well done|good|great|exactly|right|yes|correct|nice|super",),
    "zh": ("很好|对|不错|没错|真棒",),
}
_LEAST_TOLD = 0.34
"""A share of the marks below this is talk about the thing, and does not tell it."""


class Taken(NamedTuple):
    """One turn of a tutor as it reaches a learner."""

    told: float
    """How much of the core idea was said, from 0 to 1."""
    gave_away: bool
    """The answer to the question on the table was said."""
    asked: Item | None
    """The item that is asked, in whatever words."""
    question: bool
    praised: bool


def listen(text: str, unit: Unit, dialogue: Sequence[Utterance], language: str) -> Taken:
    """Take in what was just said about a unit; `dialogue` is what was said before."""
    question = "?" in text or "？" in text
    open_item = last_asked(unit, dialogue)
    asked = item_asked(text, unit, dialogue) if question else None
    told = share_said(unit.marks, _without_question(text))
    return Taken(
        told if told >= _LEAST_TOLD else 0.0,
        open_item is not None and share_said(open_item.marks, _without_question(text)) >= 1.0,
        asked,
        question,
        share_said(_PRAISE.get(language, _PRAISE["en"]), text) > 0,
    )


def item_asked(text: str, unit: Unit, dialogue: Sequence[Utterance]) -> Item | None:
    """Which item a question is, in whatever words; one that names nothing of the unit ("Are you sure?") goes back to
    the question on the table."""
    earlier = [utterance.text for utterance in dialogue if utterance.speaker == "tutor"]
    return unit.asked_by(text, earlier) or last_asked(unit, dialogue)


def last_asked(unit: Unit, dialogue: Sequence[Utterance]) -> Item | None:
    """The item that was asked last."""
    said = [utterance.text for utterance in dialogue if utterance.speaker == "tutor"]
    for place in reversed(range(len(said))):
        item = unit.asked_by(said[place], said[:place])
        if item is not None:
            return item
    return None


def _without_question(text: str) -> str:
    """The sentences that are no questions: what is asked is not told."""
    return " ".join([sentence for sentence in sentences_of(text) if sentence[-1] not in "?？"])
