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
    """How slowly it is lost: 1 when it is new, more when it was brought back after a while (spacing), less when it was
    only listened to."""
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
        left = self._add(weight, day, episode, law, beta)
        if self.exposures > 1:
            self.strength = min(most, max(1.0, self.strength) + growth * clamp(weight) * (1.0 - left))

    def overhear(
        self, weight: float, day: float, episode: int, law: ForgettingLaw, beta: float, strength: float
    ) -> None:
        """The same for what was only listened to. Nothing is brought back, so that nothing lasts longer for it, and a
        trace that is nothing but heard is a faint one (testing effect: Roediger and Karpicke 2006)."""
        self._add(weight, day, episode, law, beta)
        if self.exposures == 1:
            self.strength = strength

    def _add(self, weight: float, day: float, episode: int, law: ForgettingLaw, beta: float) -> float:
        """Forget until now, and add what is met; the share that was left before.

        What is lost is lost fastest at first. Where so little was brought back that a curve which begins anew would
        soon leave less than the old one, the old one goes on: a poor practice is no worse than none.
        """
        left, weight = self.left(day, episode, law), clamp(weight)
        lost = self.mastery * (1.0 - left)
        if self.exposures:
            beta *= 1.0 - law.repetition * left
        now = clamp(self.mastery - lost + (law.savings * lost + beta) * weight)
        later = (2 * day - self.day, 2 * episode - self.episode)
        untouched = self.now(*later, law) if self.exposures else 0.0
        before = (self.mastery, self.day, self.episode)
        self.mastery, self.day, self.episode = now, day, episode
        if self.now(*later, law) < untouched:
            self.mastery, self.day, self.episode = max(before[0], clamp(now / left)), *before[1:]
        self.exposures += 1
        return left


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
