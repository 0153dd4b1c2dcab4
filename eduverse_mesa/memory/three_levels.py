"""A learner's long-term memory: episodes, concepts and skills; what happens is taken in from the bottom upwards.

It is plain data: it can be written down, copied for a counterfactual, and taken up again at any episode.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log10
from typing import Protocol, TypeVar

import msgspec

from eduverse_mesa.curves import clamp
from eduverse_mesa.decisions.tutoring import Utterance
from eduverse_mesa.errors import StudyError

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
        """Return the share that is left after so many days and episodes of a trace of this mastery and strength."""
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


class Grasp(msgspec.Struct, gc=False):
    """How well something is understood, as it was when it was last met."""

    mastery: float = 0.0
    """mu, from 0 to 1."""
    strength: float = 1.0
    """Slowness with which it is lost: 1 when it is new, more when it was brought back after a while (spacing), less
    when it was only listened to."""
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
        """A text about what was talked about, and what became clear or did not."""
        return " ".join(filter(None, (self.summary, self.insights)))

    @property
    def concepts(self) -> tuple[str, ...]:
        """The concepts that were touched."""
        return tuple(self.mastery)


def shown(score: int) -> float:
    """A mastery from 1 to 10 as the weight w, from 0 to 1, that it has for the concept."""
    return min(1.0, max(0.0, (score - 1) / 9.0))


class SkillProfile(msgspec.Struct, frozen=True, gc=False):
    """Skills in one subject: a level, and in words what is done before, during and after learning (Zimmerman 2002)."""

    subject: str
    level: str = "beginner"
    forethought: str = ""
    performance: str = ""
    reflection: str = ""
    grade: int = 0
    episode: int = 0
    """The episode after which it was last looked at."""


Written = TypeVar("Written")


class Keeping(msgspec.Struct, frozen=True):
    """How a memory keeps what it takes in."""

    law: ForgettingLaw
    beta: float = 0.25
    growth: float = 5.0
    """Gain in a trace's strength when it is brought back after all of it was lost."""
    most_strength: float = 5.0
    vivid: float = 0.3
    """Below this strength an episode is remembered without its words."""
    most_episodes: int = 400
    heard_strength: float = 0.5
    """Strength of a new trace of what was only listened to; 1 is one of what was said oneself."""


class Evidence(msgspec.Struct, frozen=True, gc=False):
    """The evidence of one concept in an episode."""

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
    """Number of episodes there have been, forgotten ones counted."""
    confidence: float = 0.5
    """Confidence of the learner in themselves, from 0 to 1."""

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
        """Return what is left of a unit as a part of a concept; None where it was never met."""
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


_MEND = "Take a file that was saved from a learner, or save the learner again; do not edit the file."


def read_written(text: bytes | str, kind: type[Written], called: str, where: str) -> Written:
    """Something that was written down as JSON, or a message that it is no such thing."""
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise StudyError(f"this is no {called}: {_wrong(text, error)}.", where=where, mend=_MEND) from None


def _wrong(text: bytes | str, error: Exception) -> str:
    """Return a description of what a text is instead, for a user who has taken the wrong file."""
    if not text.strip():
        return "it is empty"
    if isinstance(error, msgspec.ValidationError):
        return f"it is JSON of another kind, or was edited ({error})"
    return f"it is not JSON, as saved learners are, or only a part of it ({error})"
