"""A learner: a profile that stays, a memory that grows and fades, and what it makes of the dialogue it is in."""

from __future__ import annotations

from typing import Any

import mesa

from eduverse_mesa.agents.knowing import Knowing
from eduverse_mesa.agents.learning import Grasping, Parameters, believe, first_grasp, pace, retentiveness
from eduverse_mesa.agents.listening import Taken, listen
from eduverse_mesa.decisions.tutoring import (
    Consolidate,
    Consolidated,
    Glimpse,
    Known,
    LearnerView,
    Recollection,
    Reflect,
    Reflected,
    Replied,
    Utterance,
)
from eduverse_mesa.memory.episodic import Episode, shown
from eduverse_mesa.memory.metacognitive import SkillProfile
from eduverse_mesa.memory.three_levels import Evidence, Keeping, Memory
from eduverse_mesa.randomness import Address
from eduverse_mesa.scenarios.cohort import Learner
from eduverse_mesa.scenarios.curriculum import Curriculum, Item, Unit

LONGEST = 2000
"""Characters of one thing said; what is longer is cut."""


class LearnerAgent(mesa.Agent):  # type: ignore[misc, unused-ignore]
    """One learner. It perceives words, asks its policy what to say, and remembers."""

    def __init__(
        self,
        model: Any,
        person: Learner,
        curriculum: Curriculum,
        keeping: Keeping,
        p: Parameters,
        *,
        constrained: bool,
        language: str,
        memory: Memory | None = None,
    ) -> None:
        super().__init__(model)
        self.person = person
        self.name = person.name
        self.role = "learner"
        self.curriculum = curriculum
        self.keeping = keeping
        self.parameters = p
        self.memory = memory if memory is not None else Memory()
        self.knowing = Knowing(curriculum, self.memory, keeping, p, constrained=constrained)
        self.language = language
        self.grade = 1
        self.day = 0.0
        self.unit: Unit | None = None
        self.dialogue: list[Utterance] = []
        self.retentiveness = retentiveness(person, p)

    # --- a dialogue ---

    def begin(self, unit: Unit, grade: int, day: float) -> None:
        """Sit down to a dialogue about a unit."""
        self.grade, self.day, self.unit = grade, day, unit
        self.dialogue = []
        self.topic: Known = self.knowing.of(unit, grade, day)
        self.grasping = Grasping(first_grasp(self.topic, grade, self.parameters))
        if not self.knowing.constrained:
            self.grasping.grasp = self.parameters["grasp.base"]
        self.level = self._level(unit)
        self.speed = self.retentiveness * pace(self.person, self.level, self.topic, self.parameters)
        self.related = self.knowing.related(unit, grade, day)
        self.recollection = self.recall(unit)
        self.heard: Taken | None = None

    def hear(self, text: str, move: str) -> None:
        """Take in what the tutor says."""
        assert self.unit is not None
        taken = listen(text, self.unit, self.dialogue, self.language)
        self.heard = taken
        if self.knowing.constrained:
            self.grasping.hear(taken, self.speed, self.parameters)
        self.dialogue.append(Utterance("tutor", text, move))

    def view(self) -> LearnerView:
        """What it knows when it answers."""
        taken = self.heard
        return LearnerView(
            self.person,
            self.grade,
            self.recollection,
            tuple(self.dialogue),
            self.topic,
            taken.asked if taken is not None else None,
            self.grasping.grasp,
            self.grasping.told,
            self.related,
            self.memory.confidence,
            False,
            self.language,
        )

    def say(self, replied: Replied) -> None:
        """Say it, and notice that one has tried."""
        self.dialogue.append(Utterance("learner", replied.text, replied.kind))
        if self.heard is not None and self.heard.question:
            self.grasping.answer(replied.kind)
        praised = self.heard is not None and self.heard.praised
        self.memory.confidence = believe(self.memory.confidence, praised, replied.kind, self.parameters)

    def consolidation(self, at: Address) -> Consolidate:
        """The question what stays of the dialogue."""
        assert self.unit is not None
        return Consolidate(
            at,
            self.person,
            self.grade,
            tuple(self.dialogue),
            tuple(self.curriculum.all_concepts()),
            (self.unit, *self.related),
            self.language,
        )

    def take_in(self, stays: Consolidated | None) -> Episode:
        """Remember the dialogue. Where consolidation failed, only that it took place."""
        assert self.unit is not None
        if stays is None:
            stays = Consolidated("", "", 0.5, {})
        known = {concept: score for concept, score in stays.mastery.items() if concept in self.curriculum.concepts}
        episode = Episode(
            0, self.day, self.grade, self.unit.id, stays.summary, stays.insights, stays.emotion, known,
            tuple(self.dialogue),
        )  # fmt: skip
        self.memory.take_in(episode, [self._evidence(c, s, stays) for c, s in known.items()], self.keeping)
        self.unit = None
        return episode

    def _evidence(self, concept: str, score: int, stays: Consolidated) -> Evidence:
        """Which unit of a concept was touched: that of the dialogue, or what else it brought up."""
        assert self.unit is not None
        touched = [unit for unit in (self.unit, *self.related) if concept in unit.concepts]
        own = touched[:1] if touched and touched[0] is self.unit else [u for u in touched if concept == u.concept][:1]
        grade = max((unit.grade for unit in own), default=self.grade)
        units = tuple(unit.id for unit in own)
        heard = self.grasping.attempts == 0
        return Evidence(concept, score, grade, units, stays.understanding.get(concept, ""), heard)

    def pass_time(self, grade: int, day: float, episodes: int) -> None:
        """Live until a day through so many episodes that are not told here."""
        self.grade, self.day = grade, day
        self.memory.lived += episodes

    # --- a test ---

    def exam_view(self, unit: Unit, item: Item, grade: int, day: float) -> LearnerView:
        """What it knows when it is tested: nobody helps, and nothing is learned."""
        known = self.knowing.of(unit, grade, day)
        grasp = (
            first_grasp(known, grade, self.parameters) if self.knowing.constrained else self.parameters["grasp.base"]
        )
        self.grade, self.day = grade, day
        return LearnerView(
            self.person,
            grade,
            self.recall(unit),
            (Utterance("tutor", item.ask, "question"),),
            known,
            item,
            grasp,
            False,
            (),
            self.memory.confidence,
            True,
            self.language,
        )

    # --- looking back ---

    def recall(self, unit: Unit) -> Recollection:
        """What memory brings up for a unit."""
        return self.knowing.recollection(unit, self.grade, self.day, self._level(unit))

    def _subject(self, unit: Unit) -> str:
        return self.curriculum.subject_of[unit.concept]

    def _level(self, unit: Unit) -> str:
        profile = self.memory.skills.get(self._subject(unit))
        return profile.level if profile is not None else self.person.metacognition

    def reflection_due(self, every: int) -> str | None:
        """The subject whose skills are due to be looked at anew, if any is."""
        if not self.memory.episodes:
            return None
        unit = self.curriculum.units.get(self.memory.episodes[-1].unit)
        if unit is None:
            return None
        subject = self._subject(unit)
        return subject if len(self._glimpses(subject)) >= every else None

    def _glimpses(self, subject: str) -> list[Episode]:
        profile = self.memory.skills.get(subject)
        since = profile.episode if profile is not None else 0
        return [
            episode
            for episode in self.memory.episodes
            if episode.number > since
            and episode.unit in self.curriculum.units
            and self._subject(self.curriculum.units[episode.unit]) == subject
        ]

    def reflect(self, at: Address, subject: str) -> Reflect:
        """The question how it goes about a subject."""
        profile = self.memory.skills.get(subject)
        before = profile.level if profile is not None else self.person.metacognition
        glimpses = tuple(_glimpse(episode) for episode in self._glimpses(subject))
        return Reflect(at, self.person, self.grade, subject, before, glimpses, self.language)

    def take_reflection(self, subject: str, outcome: Reflected | None) -> None:
        """Keep what was seen; where nothing was, the skills stay what they are."""
        if outcome is None:
            return
        self.memory.skills[subject] = SkillProfile(
            subject,
            outcome.level,
            outcome.forethought,
            outcome.performance,
            outcome.reflection,
            self.grade,
            self.memory.lived,
        )


def _glimpse(episode: Episode) -> Glimpse:
    said = [utterance for utterance in episode.dialogue if utterance.speaker == "learner"]
    scores = [shown(score) for score in episode.mastery.values()]
    kinds = tuple(utterance.kind for utterance in said)
    tried = sum(kind not in ("follow", "dont_know") for kind in kinds)
    return Glimpse(episode.summary, sum(scores) / len(scores) if scores else 0.0, kinds, tried)
