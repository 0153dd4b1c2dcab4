"""Whether a reply uses what the learner must not know yet: read off the words, whoever found them."""

from __future__ import annotations

from eduverse_mesa.agents.learner import LearnerAgent
from eduverse_mesa.marks import share_said

_SAID = 0.99
"""All marks of a unit's idea have to be there: a word in common is no knowledge."""


def find_leaks(learner: LearnerAgent, text: str) -> tuple[str, ...]:
    """Units above the grade whose whole idea stands in the text, and which nobody had spoken of in the dialogue."""
    unit = learner.unit
    if unit is None:
        return ()
    found = [
        other
        for other in learner.knowing.above_grade(learner.grade)
        if other is not unit and share_said(other.marks, text) >= _SAID
    ]
    heard = " ".join([one.text for one in learner.dialogue if one.speaker == "tutor"]) if found else ""
    return tuple(
        other.id
        for other in found
        if share_said(other.marks, heard) < _SAID and not learner.knowing.learned(other, learner.day)
    )
