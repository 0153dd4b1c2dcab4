"""Conceptual memory: what is understood of each concept now, and of each unit of it (M_c)."""

from __future__ import annotations

import msgspec

from eduverse_mesa.curves import clamp
from eduverse_mesa.memory.forgetting import ForgettingLaw


class Grasp(msgspec.Struct, gc=False):
    """How well something is understood, as it was when it was last met."""

    mastery: float = 0.0
    """mu, from 0 to 1."""
    strength: float = 1.0
    """How slowly it is lost: 1 when it is new, more when it was brought back after a while (spacing)."""
    exposures: int = 0
    day: float = 0.0
    episode: int = 0
    above_grade: bool = False
    """It was out of the learner's reach when it was last met: such a thing hangs on nothing, and goes sooner."""

    def left(self, day: float, episode: int, law: ForgettingLaw) -> float:
        """The share of it that is left at a time."""
        if not self.exposures:
            return 1.0
        days, episodes = max(0.0, day - self.day), max(0, episode - self.episode)
        return law.kept(days, episodes, self.mastery, self.strength, self.above_grade)

    def now(self, day: float, episode: int, law: ForgettingLaw) -> float:
        """The mastery that is left at a time."""
        return clamp(self.mastery * self.left(day, episode, law))

    def meet(
        self, weight: float, day: float, episode: int, law: ForgettingLaw, beta: float, growth: float, most: float
    ) -> None:
        """mu <- kept * mu + beta * w. Bringing back what was half forgotten makes it last (Bjork and Bjork 1992), up to
        a strength of `most`."""
        left, weight = self.left(day, episode, law), clamp(weight)
        lost = self.mastery * (1.0 - left)
        if self.exposures:
            self.strength = min(most, self.strength + growth * weight * (1.0 - left))
            beta *= 1.0 - law.repetition * left
        self.mastery = clamp(self.mastery - lost + (law.savings * lost + beta) * weight)
        self.exposures += 1
        self.day, self.episode = day, episode


class ConceptNode(msgspec.Struct, gc=False):
    """One concept as a learner has it (m_c)."""

    concept: str
    grade: int
    """The highest grade it was met in."""
    text: str = ""
    """The present understanding, in the learner's words."""
    grasp: Grasp = msgspec.field(default_factory=Grasp)
    units: dict[str, Grasp] = msgspec.field(default_factory=dict)
    episodes: list[int] = msgspec.field(default_factory=list)
    """The episodes that it comes from."""
