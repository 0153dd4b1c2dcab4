"""A learner: a profile that stays, a memory that grows and fades, and what the learner makes of the present
dialogue."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import mesa

from eduverse_mesa.agents.uptake import Taken, listen
from eduverse_mesa.curves import clamp
from eduverse_mesa.decisions.tutoring import (
    NO_ATTEMPT,
    TRAITS,
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
from eduverse_mesa.memory.three_levels import Episode, Evidence, Keeping, Memory, SkillProfile, shown
from eduverse_mesa.randomness import Address
from eduverse_mesa.scenarios.curriculum import TOLD, Curriculum, Item, Unit
from eduverse_mesa.scenarios.tutoring import METACOGNITION, Learner

Parameters = Mapping[str, float]


def retentiveness(person: Learner, p: Parameters) -> float:
    """How well a learner takes in and keeps, 1 on average: memory goes with openness, extraversion and agreeableness,
    and against conscientiousness and neuroticism (Waris et al. 2018, as SimLearner reads it)."""
    pull = sum(p[f"memory.{trait}"] * (getattr(person.traits, trait) - 0.5) for trait in TRAITS)
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
    speed += p["learn.metacognition"] * METACOGNITION.index(level)
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
        """The learner has tried to answer since they were last helped."""
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
        if kind not in NO_ATTEMPT:
            self.tried = True
            self.attempts += 1


def believe(confidence: float, praised: bool, kind: str, p: Parameters) -> float:
    """Confidence moves with praise, and with having had to say that one does not know."""
    change = p["confidence.praise"] if praised and kind not in ("dont_know", "") else 0.0
    change -= p["confidence.lost"] if kind == "dont_know" else 0.0
    return clamp(confidence + change)


_RECENT = 3
_MOST_IDEAS = 16
"""Ideas named as learned or as unknown, at most: a prompt has to stay readable."""


class Knowing:
    """A memory, looked at from a curriculum. Without constraint (the arm `base`) everything is within reach."""

    def __init__(
        self, curriculum: Curriculum, memory: Memory, keeping: Keeping, p: Parameters, *, constrained: bool
    ) -> None:
        self.curriculum = curriculum
        self.memory = memory
        self.keeping = keeping
        self.parameters = p
        self.constrained = constrained
        self._above_grade: dict[int, tuple[Unit, ...]] = {}

    def of(self, unit: Unit, grade: int, day: float) -> Known:
        """How much is there of a unit now."""
        if not self.constrained:
            return Known(unit, 0.0, 0.0, 1.0, "learned")
        mastery = self.mastery(unit, day)
        concept = self.memory.mastery(unit.concept, day, self.keeping)
        needed = [self.mastery(self.curriculum.units[need], day) for need in unit.needs]
        enough = self.parameters["grasp.learned"]
        needs = sum(min(1.0, one / enough) for one in needed) / len(needed) if needed else 1.0
        return Known(unit, mastery, concept, needs, self.reach(unit, mastery, grade))

    def mastery(self, unit: Unit, day: float) -> float:
        """mu of a unit now."""
        return self.memory.unit_mastery(unit.concept, unit.id, day, self.keeping)

    def reach(self, unit: Unit, mastery: float, grade: int) -> str:
        """Return the reach of a unit: it was learned, may be learned, or must not be known yet."""
        if mastery >= self.parameters["grasp.learned"]:
            return "learned"
        lowest = unit.band[0] if unit.band is not None else unit.grade
        return "open" if lowest <= grade else "unknown"

    @cached_property
    def _neighbours(self) -> dict[str, tuple[Unit, ...]]:
        """Units that share a concept with a unit, that it builds on, or that build on it."""
        units = tuple(self.curriculum.all_units())
        return {
            unit.id: tuple(
                other
                for other in units
                if other is not unit
                and (other.concept in unit.concepts or other.id in unit.needs or unit.id in other.needs)
            )
            for unit in units
        }

    def related(self, unit: Unit, grade: int, day: float) -> tuple[Unit, ...]:
        """Return the units that the learner could bring up when speaking of a unit: those that are learned; without
        constraint all."""
        near = self._neighbours[unit.id]
        if not self.constrained:
            return near
        return tuple(other for other in near if self.reach(other, self.mastery(other, day), grade) == "learned")

    def unknown(self, unit: Unit, grade: int, day: float) -> tuple[Unit, ...]:
        """K_unknown: units above the grade, or of too little mastery, the nearest to the topic first."""
        if not self.constrained:
            return ()
        least = self.parameters["grasp.unknown"]
        found = []
        for other in self.curriculum.all_units():
            if other is unit:
                continue
            mastery = self.mastery(other, day)
            if self.reach(other, mastery, grade) == "unknown" or mastery < least:
                found.append(other)
        near = {other.id for other in self._neighbours[unit.id]}
        found.sort(key=lambda other: (other.id not in near, other.grade))
        return tuple(found)

    def learned(self, unit: Unit, day: float) -> bool:
        """Return True if a unit counts as learned now."""
        return self.mastery(unit, day) >= self.parameters["grasp.learned"]

    def above_grade(self, grade: int) -> tuple[Unit, ...]:
        """Units that are out of reach for anybody of the grade."""
        if grade not in self._above_grade:
            self._above_grade[grade] = tuple(
                unit
                for unit in self.curriculum.all_units()
                if (unit.band[0] if unit.band is not None else unit.grade) > grade
            )
        return self._above_grade[grade]

    def recollection(self, unit: Unit, grade: int, day: float, level: str) -> Recollection:
        """Return what memory brings up for a unit, in words and numbers."""
        if not self.constrained:
            return Recollection(level=level)
        subject = self.curriculum.subject_of[unit.concept]
        profile = self.memory.skills.get(subject)
        skills = (profile.forethought, profile.performance, profile.reflection) if profile else ("", "", "")
        understood = tuple(
            (self.curriculum.concepts[concept].title, self.memory.mastery(concept, day, self.keeping), node.text)
            for concept in unit.concepts
            if (node := self.memory.concepts.get(concept)) is not None
        )
        return Recollection(
            tuple(episode.told for episode in self.memory.recent(_RECENT) if episode.told),
            understood,
            level,
            skills,
            tuple(other.idea for other in self.related(unit, grade, day)[:_MOST_IDEAS]),
            tuple(other.idea for other in self.unknown(unit, grade, day)[:_MOST_IDEAS]),
        )

    def mastered(self, concept: str, day: float) -> float:
        """mu of a concept now."""
        return self.memory.mastery(concept, day, self.keeping)


class LearnerAgent(mesa.Agent):  # type: ignore[misc, unused-ignore]
    """One learner, who perceives words, asks their policy what to say, and remembers."""

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
        """Return what the learner knows when answering."""
        taken = self.heard
        return LearnerView(
            person=self.person,
            grade=self.grade,
            recollection=self.recollection,
            dialogue=tuple(self.dialogue),
            topic=self.topic,
            asked=taken.asked if taken is not None else None,
            grasp=self.grasping.grasp,
            told=self.grasping.told,
            related=self.related,
            confidence=self.memory.confidence,
            exam=False,
            language=self.language,
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
            number=0,
            day=self.day,
            grade=self.grade,
            unit=self.unit.id,
            summary=stays.summary,
            insights=stays.insights,
            emotion=stays.emotion,
            mastery=known,
            dialogue=tuple(self.dialogue),
        )
        self.memory.take_in(episode, [self._evidence(c, s, stays) for c, s in known.items()], self.keeping)
        self.unit = None
        return episode

    def _evidence(self, concept: str, score: int, stays: Consolidated) -> Evidence:
        """Return the evidence of a concept, with the unit of it that was touched: that of the dialogue, or another that
        the learner brought up."""
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
        """Return what the learner knows in a test: nobody helps, and nothing is learned."""
        known = self.knowing.of(unit, grade, day)
        grasp = (
            first_grasp(known, grade, self.parameters) if self.knowing.constrained else self.parameters["grasp.base"]
        )
        self.grade, self.day = grade, day
        return LearnerView(
            person=self.person,
            grade=grade,
            recollection=self.recall(unit),
            dialogue=(Utterance("tutor", item.ask, "question"),),
            topic=known,
            asked=item,
            grasp=grasp,
            told=False,
            related=(),
            confidence=self.memory.confidence,
            exam=True,
            language=self.language,
        )

    # --- looking back ---

    def recall(self, unit: Unit) -> Recollection:
        """Return what memory brings up for a unit."""
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
        """The question how the learner goes about a subject."""
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
    tried = sum(kind not in NO_ATTEMPT for kind in kinds)
    return Glimpse(episode.summary, sum(scores) / len(scores) if scores else 0.0, kinds, tried)
