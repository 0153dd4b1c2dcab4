"""Episodic memory: what was lived through, dialogue by dialogue (M_e)."""

from __future__ import annotations

import msgspec

from eduverse_mesa.decisions.tutoring import Utterance


class Episode(msgspec.Struct, gc=False):
    """One dialogue as it is remembered."""

    number: int
    """Counted from 1 over the learner's whole life."""
    day: float
    grade: int
    unit: str
    """The unit that the tutor had planned."""
    summary: str = ""
    insights: str = ""
    emotion: float = 0.5
    """From 0, unpleasant, to 1, pleasant."""
    mastery: dict[str, int] = {}
    """Concepts that were touched, with the mastery that was shown of each, from 1 to 10."""
    dialogue: tuple[Utterance, ...] = ()
    """Word for word, as long as the episode is vivid."""

    @property
    def told(self) -> str:
        """What was talked about, and what became clear or did not."""
        return " ".join(filter(None, (self.summary, self.insights)))

    @property
    def concepts(self) -> tuple[str, ...]:
        """The concepts that were touched."""
        return tuple(self.mastery)


def shown(score: int) -> float:
    """A mastery from 1 to 10 as the weight w, from 0 to 1, that it has for the concept."""
    return min(1.0, max(0.0, (score - 1) / 9.0))
