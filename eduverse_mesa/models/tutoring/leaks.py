"""Whether a reply uses what the learner must not know yet: read off the words, whoever found them."""

from __future__ import annotations

from eduverse_mesa.agents.learner import LearnerAgent
from eduverse_mesa.marks import says_all


def find_leaks(learner: LearnerAgent, text: str) -> tuple[str, ...]:
    """Units above the grade whose whole idea stands in the text, and which nobody had spoken of in the dialogue. All
    marks of the idea have to be there: a word in common is no knowledge."""
    unit = learner.unit
    if unit is None:
        return ()
    found = [
        other
        for other in learner.knowing.above_grade(learner.grade)
        if other is not unit and says_all(other.marks, text)
    ]
    heard = " ".join([one.text for one in learner.dialogue if one.speaker == "tutor"]) if found else ""
    return tuple(
        other.id
        for other in found
        if not says_all(other.marks, heard) and not learner.knowing.learned(other, learner.day)
    )
