"""The embedded tutor, who asks, listens to the words, hints before explaining, and sums up; and the embedded judge.

All they go by is what was said; the tutor works out where the talk stands from the dialogue itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from eduverse_mesa.decisions.tutoring import (
    TRAITS,
    Judge,
    Judged,
    Labelled,
    LabelTraits,
    Picked,
    PickUnit,
    Taught,
    Teach,
    UnitNote,
    Utterance,
)
from eduverse_mesa.marks import count_words, share_said
from eduverse_mesa.policies.embedded.classroom.words.grammar import draw_luck
from eduverse_mesa.policies.embedded.tutoring.phrases import TutoringPhrases, around, load_phrases
from eduverse_mesa.randomness import choose_softmax
from eduverse_mesa.scenarios.curriculum import Item, Unit

Parameters = Mapping[str, float]


_NEVER = -50.0
"""A pull that is never followed."""
_LONG = 30
"""Dialogues after which it no longer matters how many more there were."""


class TalkState(NamedTuple):
    """The state of a dialogue, as its words show it."""

    item: Item | None
    """The question on the table."""
    rate: float
    """Quality of the last answer, from 0 to 1."""
    answered: bool
    """There was an answer to it."""
    helps: int
    """Hints and explanations since it was asked first."""
    done: tuple[str, ...]
    """Items that were answered well."""


class TutorMind:
    """Chooses units and says the tutor's part."""

    def __init__(self, p: Parameters) -> None:
        self._p = p

    def pick(self, decision: PickUnit) -> Picked:
        """Pick the unit that was shown least and lies longest back, in the order of the curriculum; now and then, one
        of an earlier grade that is still built on."""
        following = next((note.unit for note in decision.notes if not note.taught), None)
        values = [self._pull(note, decision.grade, following) for note in decision.notes]
        return Picked(choose_softmax(decision.at, "pick", [note.unit.id for note in decision.notes], values))

    def _pull(self, note: UnitNote, grade: int, following: Unit | None) -> float:
        """Return the pull of a unit, by the tutor's notes."""
        p = self._p
        if not note.taught:
            # New units come one after the other: what they build on goes before.
            return p["tutor.new"] if note.unit is following else _NEVER
        gap = p["tutor.gap"] * (1.0 - note.shown)
        if note.unit.grade >= grade:
            return gap + p["tutor.since"] * min(note.since, _LONG) / 10.0
        # Half of what was said is reckoned lost after a while that grows with each time it was taught.
        left = note.shown * 2.0 ** (-note.since / (p["tutor.half_life"] * note.taught))
        return p["tutor.review"] + p["tutor.gap"] * (1.0 - left) if left < p["tutor.doubt"] else _NEVER

    def teach(self, decision: Teach) -> Taught:
        """The next thing to say."""
        phrases = load_phrases(decision.language)
        luck = draw_luck(decision.at, "teach")
        unit = decision.unit
        if decision.turn == 1:
            return self._open(decision, phrases, luck)
        now = state_of(unit, decision.dialogue)
        unknown = share_said(phrases.at("marks", "dont_know"), _last_said(decision.dialogue)) > 0
        left = [item for item in unit.items if item.id not in now.done]
        good = now.answered and now.rate >= self._p["tutor.good"]
        if good and now.item is not None:
            left = [item for item in left if item is not now.item]
        if not left or decision.turn >= decision.turns:
            return self._sum_up(unit, good, phrases, luck)
        if good:
            praise = phrases.say(luck[0], "tutor", "praise")
            return Taught(phrases.join(praise, left[0].ask), "acknowledge")
        if now.item is None:
            return Taught(left[0].ask, "question")
        return self._help(now, now.item, left, unit, phrases, luck, "no_matter" if unknown else "not_yet")

    def _open(self, decision: Teach, phrases: TutoringPhrases, luck: Sequence[float]) -> Taught:
        hello = phrases.say(luck[0], "tutor", "again" if decision.before else "open")
        prior = ""
        if decision.needs and luck[1] < self._p["tutor.prior"]:
            prior = around(phrases.say(luck[2], "tutor", "prior"), decision.needs[-1].idea)
        return Taught(phrases.join(hello, prior, decision.unit.items[0].ask), "question")

    def _help(
        self,
        now: TalkState,
        item: Item,
        left: Sequence[Item],
        unit: Unit,
        phrases: TutoringPhrases,
        luck: Sequence[float],
        missed: str,
    ) -> Taught:
        half = now.rate >= self._p["tutor.half"]
        lead = phrases.say(luck[0], "tutor", "partly" if half else missed)
        again = around(phrases.say(luck[1], "tutor", "ask_why" if half else "ask_again"), item.ask)
        if now.helps == 0 or (half and now.helps == 1):
            return Taught(phrases.join(lead, unit.hint, again), "hint")
        if now.helps <= 2:
            told = phrases.say(luck[2], "tutor", "explain")
            idea, because = unit.idea, unit.because
            told = told.replace("{idea}", "\0").replace("{because}", because).replace("\0", idea)
            return Taught(phrases.join(lead, told, again), "explain")
        others = [other for other in left if other is not item]
        following = others[0] if others else item
        return Taught(phrases.join(lead, item.right, following.ask), "explain")

    def _sum_up(self, unit: Unit, good: bool, phrases: TutoringPhrases, luck: Sequence[float]) -> Taught:
        praise = phrases.say(luck[0], "tutor", "praise") if good else ""
        recap = around(phrases.say(luck[1], "tutor", "recap"), unit.idea)
        return Taught(phrases.join(praise, recap, phrases.say(luck[2], "tutor", "bye")), "recap", True)


def _last_said(dialogue: Sequence[Utterance]) -> str:
    return next((one.text for one in reversed(dialogue) if one.speaker == "learner"), "")


def state_of(unit: Unit, dialogue: Sequence[Utterance]) -> TalkState:
    """Read a dialogue: the question on the table, how well it was answered, how much help there was."""
    item: Item | None = None
    rate, answered, helps = 0.0, False, 0
    done: list[str] = []
    for utterance in dialogue:
        if utterance.speaker == "tutor":
            asked = next((one for one in unit.items if one.asked_in(utterance.text)), None)
            if asked is not None and asked is not item:
                item, helps, answered = asked, 0, False
            elif asked is not None and item is not None:
                helps += 1
                answered = False
        elif item is not None:
            rate, answered = item.rate(utterance.text), True
            if rate >= _DONE:
                done.append(item.id)
    return TalkState(item, rate, answered, helps, tuple(done))


_DONE = 0.75
"""An answer with so much of what is right closes a question."""


def judge(decision: Judge, p: Parameters) -> Judged:
    """Score an answer from 1 to 10 by the marks of a right answer; doubt that is heard takes something away."""
    rate = decision.item.rate(decision.answer)
    hedged = share_said(load_phrases(decision.language).at("marks", "hedge"), decision.answer) > 0
    score = 1.0 + 9.0 * rate - (p["judge.hedge"] if hedged and rate > 0 else 0.0)
    return Judged(max(1, min(10, round(score))), f"{rate:.2f} of what a right answer says")


def label_traits(decision: LabelTraits, p: Parameters) -> Labelled:
    """Each trait by the signs of its two ends in what the learner said; without signs the commoner end."""
    marks = load_phrases(decision.language).at("marks")
    said = [utterance.text for utterance in decision.dialogue if utterance.speaker == "learner"]
    labels = {}
    for trait in TRAITS:
        high = sum(share_said(marks[trait]["high"], text) > 0 for text in said)
        low = sum(share_said(marks[trait]["low"], text) > 0 for text in said)
        if high == low:
            words = sum(map(count_words, said)) / max(1, len(said))
            silent = trait in ("neuroticism",) or (trait == "extraversion" and words < p["judge.few_words"])
            labels[trait] = "low" if silent else "high"
        else:
            labels[trait] = "high" if high > low else "low"
    return Labelled(**labels)
