"""What a learner has of a curriculum: how much of each unit, what is within reach, and what must not be known yet."""

from __future__ import annotations

from functools import cached_property

from eduverse_mesa.agents.learning import Parameters
from eduverse_mesa.decisions.tutoring import Known, Recollection
from eduverse_mesa.memory.three_levels import Keeping, Memory
from eduverse_mesa.scenarios.curriculum import Curriculum, Unit

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
        """Whether a unit was learned, may be learned, or must not be known yet."""
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
        """What the learner could bring up when it speaks of a unit: what it has learned; without constraint all."""
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
        """Whether a unit counts as learned now."""
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
        """What memory brings up for a unit, in words and numbers."""
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
