"""Whether a reply uses what the learner must not know yet: read off the words, whoever found them."""

from __future__ import annotations

from eduverse_mesa.agents.learner import LearnerAgent
from eduverse_mesa.decisions.tutoring import Replied
from eduverse_mesa.marks import says_all
from eduverse_mesa.scenarios.curriculum import TOLD, Unit


def find_leaks(learner: LearnerAgent, replied: Replied) -> tuple[str, ...]:
    """Units out of reach (above the grade, or of too little mastery) whose whole idea stands in the reply, and which
    nobody had spoken of in the dialogue. All marks of the idea have to be there: a word in common is no knowledge.

    The topic itself is there to be learned; only above the grade is it a leak to say it, or to answer fully right
    without a hedge, before the tutor has.
    """
    topic = learner.unit
    if topic is None:
        return ()
    spoken = [unit for unit in learner.curriculum.all_units() if _says(learner, unit, replied)]
    if not spoken:
        return ()
    heard = " ".join([one.text for one in learner.dialogue if one.speaker == "tutor"])
    return tuple(unit.id for unit in spoken if _out_of_reach(learner, unit) and not _told(learner, unit, heard))


def _says(learner: LearnerAgent, unit: Unit, replied: Replied) -> bool:
    if says_all(unit.marks, replied.text):
        return True
    if unit is not learner.unit or replied.hedged or learner.heard is None:
        return False
    asked = learner.heard.asked
    return asked is not None and asked.rate(replied.text) >= 1.0


def _out_of_reach(learner: LearnerAgent, unit: Unit) -> bool:
    mastery = learner.knowing.mastery(unit, learner.day)
    if learner.knowing.reach(unit, mastery, learner.grade) == "unknown":
        return True
    return unit is not learner.unit and mastery < learner.parameters["grasp.unknown"]


def _told(learner: LearnerAgent, unit: Unit, heard: str) -> bool:
    asked = learner.heard.asked if unit is learner.unit and learner.heard is not None else None
    if asked is not None and unit.gives_away(asked, heard):
        return True
    return unit.told_in(heard) >= TOLD or says_all(unit.marks, heard)
