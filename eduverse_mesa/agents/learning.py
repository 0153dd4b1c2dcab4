"""How understanding moves within one dialogue, whoever teaches and whoever answers for the learner.

Every parameter stands in scenarios/parameters/learner.yaml with its range, meaning and source.
"""

from __future__ import annotations

from collections.abc import Mapping

from eduverse_mesa.agents.listening import Taken
from eduverse_mesa.curves import clamp
from eduverse_mesa.decisions.tutoring import Known
from eduverse_mesa.scenarios.cohort import METACOGNITION, Learner
from eduverse_mesa.scenarios.curriculum import TOLD

Parameters = Mapping[str, float]
_LEVELS: tuple[str, ...] = METACOGNITION
_TRAITS = ("openness", "conscientiousness", "extraversion", "agreeableness", "neuroticism")


def retentiveness(person: Learner, p: Parameters) -> float:
    """How well a learner takes in and keeps, 1 on average: memory goes with openness, extraversion and agreeableness,
    and against conscientiousness and neuroticism (Waris et al. 2018, as SimLearner reads it)."""
    pull = sum(p[f"memory.{trait}"] * (getattr(person.traits, trait) - 0.5) for trait in _TRAITS)
    return float(max(0.2, 1.0 + pull))


def first_grasp(known: Known, grade: int, p: Parameters) -> float:
    """How far a topic is understood when the talk begins: what memory gives or the rest of the concept lends, and what
    everyday life has shown, which is the less the further a topic is above the grade. Each of the two fills in some of
    what the other leaves open."""
    everyday = p["grasp.everyday"] * p["grasp.distance"] ** max(0, known.unit.grade - grade)
    lent = p["grasp.transfer"] * known.concept * known.needs
    # One dialogue leaves a mastery of a quarter at most, and that is more than a quarter of an answer.
    usable = max(known.mastery, lent) ** p["grasp.curve"]
    share = p["grasp.above"] if known.reach == "unknown" else p["grasp.known"]
    less, more = sorted((everyday, share * usable))
    return clamp(more + (1.0 - p["grasp.overlap"]) * less * (1.0 - more))


def familiar_from(p: Parameters) -> float:
    """Mastery from which on a concept is familiar: where memory alone lets one expect half of a right answer. That is
    halfway between the understanding that half an answer takes and the one that a right answer takes."""
    halfway = (p["answer.cut_partial"] + p["answer.cut_right"]) / 2.0 / p["answer.grasp"]
    usable = clamp(halfway / max(p["grasp.known"], 1e-9))
    return float(usable ** (1.0 / p["grasp.curve"]))


def pace(person: Learner, level: str, known: Known, p: Parameters) -> float:
    """How fast this learner takes in this topic."""
    speed = 1.0 + p["learn.ability"] * (person.ability - 0.5) + p["learn.motivation"] * (person.motivation - 0.5)
    speed += p["learn.metacognition"] * _LEVELS.index(level)
    speed *= 1.0 - p["learn.needs"] * (1.0 - known.needs)
    if known.reach == "unknown":
        speed *= p["learn.above"]
    return max(0.05, speed)


class Grasping:
    """The understanding of one topic during one dialogue."""

    __slots__ = ("attempts", "grasp", "tellings", "told", "tried")

    def __init__(self, grasp: float) -> None:
        self.grasp = grasp
        self.told = False
        """The core idea, or the answer, was said."""
        self.tried = False
        """The learner has tried to answer since it was last helped."""
        self.attempts = 0
        self.tellings = 0

    def hear(self, taken: Taken, speed: float, p: Parameters) -> None:
        """Move with what the tutor said. Help that comes after an attempt of one's own goes deeper (Kapur 2008); to be
        asked the same again is no help, and what is told again tells less each time."""
        depth = p["learn.told"] * taken.told * p["learn.again"] ** self.tellings
        self.tellings += taken.told > 0
        if not taken.told and (taken.asked_anew or taken.hinted):
            depth += p["learn.hint"]
        if self.tried and (taken.told or taken.hinted or taken.gave_away):
            depth += p["learn.attempt"]
            depth *= 1.0 + p["learn.after_attempt"] * taken.told
        self.grasp = clamp(self.grasp + speed * depth * (1.0 - self.grasp))
        self.told = self.told or taken.told >= TOLD or taken.gave_away
        self.tried = False

    def answer(self, kind: str) -> None:
        """The learner has tried."""
        if kind not in ("follow", "dont_know"):
            self.tried = True
            self.attempts += 1


def believe(confidence: float, praised: bool, kind: str, p: Parameters) -> float:
    """Confidence moves with praise, and with having had to say that one does not know."""
    change = p["confidence.praise"] if praised and kind not in ("dont_know", "") else 0.0
    change -= p["confidence.lost"] if kind == "dont_know" else 0.0
    return clamp(confidence + change)
