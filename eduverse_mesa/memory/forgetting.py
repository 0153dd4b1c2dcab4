"""How much is left of what was understood: by the time that has passed, or by what was learned since.

Both laws speak of a trace: how strong it is, how well it was mastered, and whether it was in reach when it was laid.
"""

from __future__ import annotations

from math import log10
from typing import Protocol

from eduverse_mesa.curves import clamp

_K, _C = 1.84, 1.25
_MINUTES_PER_DAY = 1440.0


def retention(days: float) -> float:
    """Share retained after so many days, by Ebbinghaus's savings curve b = k / (log10(minutes)^c + k).

    His own savings were 58, 44, 34 and 21 % after 20 minutes, an hour, a day and 31 days: the curve is within .04.
    """
    minutes = days * _MINUTES_PER_DAY
    if minutes <= 1.0:
        return 1.0
    return float(_K / (log10(minutes) ** _C + _K))


class ForgettingLaw(Protocol):
    """The share of a mastery that is left after a while, from 1 (all) to 0."""

    savings: float
    """The share of what was lost that comes back when it is learned again, for mastery shown in full."""
    repetition: float
    """The share of a gain that is missed by whoever has just learned the same (deficient processing)."""

    def kept(self, days: float, episodes: int, mastery: float, strength: float, above_grade: bool) -> float:
        """What is left after so many days and episodes of a trace of this mastery and strength."""
        ...


class EpisodeLaw:
    """SimLearner's law: with every episode a share is lost (alpha), less of what is mastered, often met and fit for
    the grade. What is lost is lost."""

    savings = 0.0
    repetition = 0.0

    def __init__(self, alpha: float, mastery: float, above_grade: float) -> None:
        self._loss = 1.0 - alpha
        self._mastery = mastery
        self._above = above_grade

    def kept(self, days: float, episodes: int, mastery: float, strength: float, above_grade: bool) -> float:
        """alpha, shaped, to the power of the episodes; the days do not matter."""
        del days
        loss = self._loss * (1.0 - self._mastery * mastery) / strength
        if above_grade:
            loss *= self._above
        return float(clamp(1.0 - loss) ** episodes)


class EbbinghausLaw:
    """Ebbinghaus's curve over days; a trace of strength s lasts s times `stability` as long as a nonsense syllable.

    His curve is one of savings: what was lost is sooner learned again than it was the first time.
    """

    def __init__(self, stability: float, above_grade: float, savings: float = 0.8, repetition: float = 0.4) -> None:
        self.savings = savings
        self.repetition = repetition
        self._stability = stability
        self._above = above_grade

    def kept(self, days: float, episodes: int, mastery: float, strength: float, above_grade: bool) -> float:
        """The savings curve on a time scale of its own; episodes and mastery do not matter."""
        del episodes, mastery
        scale = self._stability * strength / (self._above if above_grade else 1.0)
        return retention(days / scale)
