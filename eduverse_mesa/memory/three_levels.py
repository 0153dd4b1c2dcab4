"""A learner's long-term memory: episodes, concepts and skills; what happens is taken in from the bottom upwards.

It is plain data: it can be written down, copied for a counterfactual, and taken up again at any episode.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from eduverse_mesa.errors import StudyError
from eduverse_mesa.memory.conceptual import ConceptNode, Grasp
from eduverse_mesa.memory.episodic import Episode, shown
from eduverse_mesa.memory.forgetting import ForgettingLaw
from eduverse_mesa.memory.metacognitive import SkillProfile

Written = TypeVar("Written")


class Keeping(msgspec.Struct, frozen=True):
    """How a memory keeps what it takes in."""

    law: ForgettingLaw
    beta: float = 0.25
    growth: float = 5.0
    """How much stronger a trace gets when it is brought back after all of it was lost."""
    most_strength: float = 5.0
    vivid: float = 0.3
    """Below this strength an episode is remembered without its words."""
    most_episodes: int = 400
    heard_strength: float = 0.5
    """How strong a new trace is of what was only listened to; 1 is one of what was said oneself."""


class Evidence(msgspec.Struct, frozen=True, gc=False):
    """What an episode has shown of one concept."""

    concept: str
    score: int
    """From 1 to 10."""
    grade: int
    """The grade of the unit that was touched."""
    units: tuple[str, ...] = ()
    text: str = ""
    """The understanding in words, where it is new."""
    heard: bool = False
    """It was only listened to: the learner has not tried to say anything of it."""


class Memory(msgspec.Struct):
    """The three levels."""

    episodes: list[Episode] = msgspec.field(default_factory=list)
    concepts: dict[str, ConceptNode] = msgspec.field(default_factory=dict)
    skills: dict[str, SkillProfile] = msgspec.field(default_factory=dict)
    lived: int = 0
    """How many episodes there have been, forgotten ones counted."""
    confidence: float = 0.5
    """How sure the learner has become of itself, from 0 to 1."""

    # --- looking back ---

    def strength(self, episode: Episode, day: float, keeping: Keeping) -> float:
        """sigma: how vivid an episode is now, from 1 to 0."""
        lived = max(0, self.lived - episode.number)
        return keeping.law.kept(max(0.0, day - episode.day), lived, 0.0, 1.0, False)

    def mastery(self, concept: str, day: float, keeping: Keeping) -> float:
        """mu of a concept now; 0 of one that was never met."""
        node = self.concepts.get(concept)
        return 0.0 if node is None else node.grasp.now(day, self.lived, keeping.law)

    def grasp_of(self, concept: str, unit: str) -> Grasp | None:
        """What is left of a unit as a part of a concept; None where it was never met."""
        node = self.concepts.get(concept)
        return node.units.get(unit) if node is not None else None

    def unit_mastery(self, concept: str, unit: str, day: float, keeping: Keeping) -> float:
        """mu of one unit now; 0 of one that was never met."""
        grasp = self.grasp_of(concept, unit)
        return 0.0 if grasp is None else grasp.now(day, self.lived, keeping.law)

    def recent(self, most: int) -> Sequence[Episode]:
        """The last episodes that are remembered, oldest first."""
        return self.episodes[-most:] if most > 0 else []

    # --- taking in ---

    def take_in(self, episode: Episode, evidence: Sequence[Evidence], keeping: Keeping) -> None:
        """Consolidate an episode: it is remembered, and every concept that it touched moves."""
        self.lived += 1
        episode.number = self.lived
        self.episodes.append(episode)
        for seen in evidence:
            node = self.concepts.setdefault(seen.concept, ConceptNode(seen.concept, seen.grade))
            node.grade = max(node.grade, seen.grade)
            node.text = seen.text or node.text
            node.episodes.append(episode.number)
            above = seen.grade > episode.grade
            for grasp in (node.grasp, *(node.units.setdefault(unit, Grasp()) for unit in seen.units)):
                self._meet(grasp, seen, episode, keeping)
                grasp.above_grade = above
        self._fade(episode.day, keeping)

    def _meet(self, grasp: Grasp, seen: Evidence, episode: Episode, keeping: Keeping) -> None:
        weight, law, beta = shown(seen.score), keeping.law, keeping.beta
        if seen.heard:
            grasp.overhear(weight, episode.day, self.lived, law, beta, keeping.heard_strength)
        else:
            grasp.meet(weight, episode.day, self.lived, law, beta, keeping.growth, keeping.most_strength)

    def _fade(self, day: float, keeping: Keeping) -> None:
        """Words are lost first, then whole episodes, the oldest before the others."""
        for episode in self.episodes:
            if not episode.dialogue:
                continue
            if self.strength(episode, day, keeping) >= keeping.vivid:
                break  # younger ones are more vivid still
            episode.dialogue = ()
        del self.episodes[: max(0, len(self.episodes) - keeping.most_episodes)]

    # --- writing down ---

    def copy(self) -> Memory:
        """Another memory of the same."""
        return read_memory(write_memory(self))


def write_memory(memory: Memory) -> bytes:
    """A memory as JSON."""
    return msgspec.json.encode(memory)


def read_memory(text: bytes | str, where: str = "") -> Memory:
    """A memory from JSON; what is none is refused with its place."""
    return read_written(text, Memory, "learner's memory", where)


def read_written(text: bytes | str, kind: type[Written], called: str, where: str) -> Written:
    """Something that was written down as JSON, or a message that it is no such thing."""
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise StudyError(
            f"this is no {called}: {error}.", where=where, mend="Save the learner again, and do not edit the file."
        ) from None
