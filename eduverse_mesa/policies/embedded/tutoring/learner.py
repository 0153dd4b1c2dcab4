"""Answers of a learner (right, half right, wrong, guessed or none) in a personal manner, and memory and reflection.

The quality of an answer follows from the learner's understanding; hiding a gap or owning up to it follows from their
knowledge of their own knowing; the sound of it follows from their personality.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from eduverse_mesa.curves import clamp, logistic
from eduverse_mesa.decisions.tutoring import (
    NO_ATTEMPT,
    TRAITS,
    Consolidate,
    Consolidated,
    LearnerView,
    Reflect,
    Reflected,
    Replied,
    Reply,
    Utterance,
)
from eduverse_mesa.marks import share_said
from eduverse_mesa.policies.embedded.classroom.words.grammar import draw_luck, pick
from eduverse_mesa.policies.embedded.linear import choose_ordered
from eduverse_mesa.policies.embedded.tutoring.phrases import TutoringPhrases, around, load_phrases
from eduverse_mesa.randomness import Address, uniform
from eduverse_mesa.scenarios.curriculum import TOLD, Item, Unit, named_in, questions_in, strays
from eduverse_mesa.scenarios.tutoring import METACOGNITION, Learner

Parameters = Mapping[str, float]
_GOOD = ("none", "misconception", "partial", "right")
_MEANT = 0.34
"""The share of a unit's marks in a question that is about it."""


class Answerer:
    """Answers for a learner."""

    def __init__(self, p: Parameters) -> None:
        self._p = p
        self._cuts = (p["answer.cut_wrong"], p["answer.cut_partial"], p["answer.cut_right"])

    def reply(self, decision: Reply) -> Replied:
        """Return the learner's reply to the last utterance."""
        view, at = decision.view, _place(decision)
        phrases = load_phrases(view.language)
        if view.asked is None:
            return self._follow(view, at, phrases)
        kind = self._kind(view, at)
        content = self._content(view, view.asked, kind, at)
        hedged = self._hedges(view, kind, at)
        return Replied(self._word(view, kind, content, hedged, at, phrases), kind, hedged, self._confidence(view, kind))

    # --- what ---

    def _kind(self, view: LearnerView, at: Address) -> str:
        p = self._p
        value = p["answer.grasp"] * view.grasp
        if view.told and not view.exam:
            value += p["answer.told"]
        level = choose_ordered(at, "answer", _GOOD, value, self._cuts)
        if level != "none":
            return level
        return "guess" if uniform(at, "guess") < self._guesses(view) else "dont_know"

    def _guesses(self, view: LearnerView) -> float:
        """Chance to guess without knowing: higher in the outgoing and bold, lower in those aware of their knowing."""
        p, traits = self._p, view.person.traits
        drive = p["guess.base"] + p["guess.extraversion"] * (traits.extraversion - 0.5)
        drive += p["guess.openness"] * (traits.openness - 0.5) - p["guess.neuroticism"] * (traits.neuroticism - 0.5)
        drive -= p["guess.metacognition"] * METACOGNITION.index(view.recollection.level)
        return logistic(drive)

    def _content(self, view: LearnerView, item: Item, kind: str, at: Address) -> str:
        if kind == "right":
            return item.right
        if kind == "partial":
            return item.partial
        if kind == "misconception":
            return item.wrong
        if kind == "guess":
            return item.partial if uniform(at, "lucky") < self._luck(view.grasp) else item.wrong
        return ""

    def _luck(self, grasp: float) -> float:
        """Chance that a guess is lucky: the more is understood, the luckier, up to what everyday life shows."""
        return self._p["guess.lucky"] * min(1.0, grasp / max(self._p["grasp.everyday"], 1e-9))

    def _hedges(self, view: LearnerView, kind: str, at: Address) -> bool:
        """Return True if doubt is heard: where there is little grasp, more from the anxious, less from the outgoing;
        the experienced doubt where they have reason to."""
        if kind in NO_ATTEMPT:
            return False
        p, traits = self._p, view.person.traits
        drive = p["hedge.base"] + p["hedge.neuroticism"] * (traits.neuroticism - 0.5)
        drive -= p["hedge.extraversion"] * (traits.extraversion - 0.5)
        doubt = 0.5 - view.grasp if kind != "right" else 0.3 - view.grasp
        level = METACOGNITION.index(view.recollection.level)
        drive += p["hedge.grasp"] * doubt * (1.0 + p["hedge.metacognition"] * level)
        drive += p["hedge.confidence"] * (0.5 - view.confidence)
        if kind == "guess":
            drive += p["hedge.guess"]
        return uniform(at, "hedge") < logistic(drive)

    def _confidence(self, view: LearnerView, kind: str) -> float:
        if kind in NO_ATTEMPT:
            return 0.0
        return clamp(0.5 * view.confidence + 0.5 * view.grasp)

    # --- how ---

    def _word(
        self, view: LearnerView, kind: str, content: str, hedged: bool, at: Address, phrases: TutoringPhrases
    ) -> str:
        luck = draw_luck(at, "words")
        if kind == "dont_know":
            said = phrases.say(luck[0], "learner", "dont_know")
        elif kind == "guess":
            said = around(phrases.say(luck[0], "learner", "guess"), content)
        elif hedged:
            said = around(phrases.say(luck[0], "hedges"), content)
        elif view.told and kind == "right" and luck[1] < self._p["words.told"]:
            said = around(phrases.say(luck[0], "learner", "told"), content)
        else:
            said = content
        before, after = self._manner(view, at, phrases)
        brought = self._bring_up(view, kind, at, phrases)
        return phrases.join(before, said, brought, after)

    def _bring_up(self, view: LearnerView, kind: str, at: Address, phrases: TutoringPhrases) -> str:
        """Return something else the learner knows, after a good answer: the more there is that belongs here, the sooner
        some of it comes to mind."""
        if view.exam or kind not in ("right", "partial") or not view.related:
            return ""
        each = clamp(self._p["words.bring_up"] * (0.5 + view.person.traits.openness))
        if uniform(at, "bring up") >= 1.0 - (1.0 - each) ** len(view.related):
            return ""
        other: Unit = pick(view.related, uniform(at, "which"))
        return around(phrases.say(uniform(at, "bring how"), "learner", "bring_up"), other.idea)

    def _manner(self, view: LearnerView, at: Address, phrases: TutoringPhrases) -> tuple[str, str]:
        """At most one remark before the answer and one behind it that show the speaker's personality."""
        shown = []
        for trait in TRAITS:
            value = getattr(view.person.traits, trait)
            far = abs(value - 0.5) * 2.0
            if uniform(at, f"show {trait}") < self._p["words.manner"] * far:
                end = "high" if value > 0.5 else "low"
                shown.append((trait, phrases.say(uniform(at, f"how {trait}"), "style", trait, end)))
        if not shown:
            return "", ""
        shown.sort(key=lambda one: uniform(at, f"order {one[0]}"))
        before = shown[0][1]
        after = shown[1][1] if len(shown) > 1 else ""
        return before, after

    def _follow(self, view: LearnerView, at: Address, phrases: TutoringPhrases) -> Replied:
        luck = draw_luck(at, "words")
        if (elsewhere := self._elsewhere(view, luck[0], at, phrases)) is not None:
            return elsewhere
        asked_openly = bool(view.dialogue) and any(sign in view.dialogue[-1].text for sign in "?？")
        said = phrases.say(luck[0], "learner", "wonder_unasked" if asked_openly else "follow")
        before, _ = self._manner(view, at, phrases)
        return Replied(phrases.join(before, said), "follow", False, 0.0)

    def _elsewhere(self, view: LearnerView, luck: float, at: Address, phrases: TutoringPhrases) -> Replied | None:
        """Answer a question about something else: with what the learner knows of that, or that they do not know."""
        if view.topic is None or not view.dialogue:
            return None
        *before, last = (utterance.text for utterance in view.dialogue)
        if not strays(last, view.topic.unit, before, view.language):
            return None
        question = questions_in(last)
        meant = max(view.related, key=lambda unit: share_said(unit.marks, question), default=None)
        manner, _ = self._manner(view, at, phrases)
        if meant is not None and share_said(meant.marks, question) >= _MEANT:
            known = around(phrases.say(luck, "learner", "bring_up"), meant.idea)
            return Replied(phrases.join(manner, known), "follow", False, 0.0)
        named = named_in(question, view.language)
        later = any(not named.isdisjoint(named_in(idea, view.language)) for idea in view.recollection.unknown)
        said = phrases.say(luck, "learner", "not_had" if later else "elsewhere")
        return Replied(phrases.join(manner, said), "dont_know", False, 0.0)


def _place(decision: Reply) -> Address:
    """Draws of a test go by the question, so that the order of questions does not matter."""
    at = decision.at
    if decision.view.exam and decision.view.asked is not None and decision.view.topic is not None:
        return at._replace(agent=f"{at.agent}\x1e{decision.view.topic.unit.id}\x1e{decision.view.asked.id}")
    return at


class Tried(NamedTuple):
    """One answer to a question of the unit."""

    item: Item
    rate: float
    told: bool
    """The tutor had said it before."""
    echo: bool
    """The tutor had just said it."""
    text: str


def consolidate(decision: Consolidate, p: Parameters) -> Consolidated:
    """An episode as the learner will remember it."""
    unit, dialogue = decision.units[0], decision.dialogue
    phrases = load_phrases(decision.language)
    tried = list(answers(unit, dialogue, decision.language))
    heard = max(
        (unit.told_in(one.text) for one in dialogue if one.speaker == "tutor"),
        default=0.0,
    )
    if not tried and heard < TOLD:
        return Consolidated("", "", 0.5, {})
    # Who could not answer has at least what mere listening leaves.
    weight = max(_shown(tried, p) if tried else 0.0, heard * _attention(decision.person, p))
    mastery = {unit.concept: _score(weight)}
    for concept in unit.also:
        mastery[concept] = _score(weight * p["consolidate.also"])
    for other in decision.units[1:]:
        if other.concept == unit.concept:
            continue  # what is known of another unit of the concept says nothing of this one
        if any(one.speaker == "learner" and share_said(other.marks, one.text) >= TOLD for one in dialogue):
            mastery[other.concept] = max(mastery.get(other.concept, 1), _score(p["consolidate.brought_up"]))
    best = max(tried, key=lambda one: one.rate, default=None)
    topic = next((concept.title for concept in decision.concepts if concept.id == unit.concept), unit.id).lower()
    how = "quiet" if best is None else "right" if weight > 0.6 else "partial" if weight > 0.3 else "wrong"
    summary = phrases.at("memory", f"summary_{how}").replace("{topic}", topic)
    understanding = {unit.concept: _content(best.text, phrases)} if best is not None and best.rate >= 0.5 else {}
    insight, emotion = _insight(tried, best, phrases.at("memory")), _emotion(decision, tried, p)
    return Consolidated(summary, insight, emotion, mastery, understanding)


def _content(text: str, phrases: TutoringPhrases) -> str:
    """Return what was said of the matter, without the remarks that only show the speaker's personality."""
    for ends in phrases.at("style").values():
        for remark in (*ends["high"], *ends["low"]):
            text = text.replace(remark, "")
    return " ".join(text.split())


def answers(unit: Unit, dialogue: Sequence[Utterance], language: str) -> list[Tried]:
    """The learner's answers to the unit's questions, each with a flag for one that had been given away; a reply to a
    question about something else, to silence, or that only goes along with what was said, is none."""
    item: Item | None = None
    heard: list[str] = []
    said: list[str] = []
    astray = False
    found = []
    for utterance in dialogue:
        if utterance.speaker == "tutor":
            item = unit.asked_by(utterance.text, heard) or item
            astray = not utterance.text or strays(utterance.text, unit, said, language)
            heard.append(utterance.text)
        elif item is not None and not astray and utterance.kind != "follow":
            told = [unit.told_in(one) >= TOLD or unit.gives_away(item, one) for one in heard]
            found.append(Tried(item, item.rate(utterance.text), any(told), told[-1], utterance.text))
        said.append(utterance.text)
    return found


def _shown(tried: Sequence[Tried], p: Parameters) -> float:
    """w: of each question the last answer counts most, the first one too. An answer that had been given away counts
    less, and one repeated after somebody who has just said it least."""
    worth: dict[str, list[float]] = {}
    for one in tried:
        counts = p["consolidate.echo"] if one.echo else p["consolidate.told"] if one.told else 1.0
        worth.setdefault(one.item.id, []).append(one.rate * counts)
    first = p["consolidate.first"]
    shares = [first * rates[0] + (1.0 - first) * rates[-1] for rates in worth.values()]
    return clamp(sum(shares) / len(shares))


def _attention(person: Learner, p: Parameters) -> float:
    """The share of things only told that reaches a learner: more if they are careful and want to know."""
    traits = person.traits
    drive = 1.0 + p["listen.conscientiousness"] * (traits.conscientiousness - 0.5)
    drive += p["listen.motivation"] * (person.motivation - 0.5)
    return clamp(p["listen.share"] * max(0.0, drive))


def _score(weight: float) -> int:
    return 1 + round(9 * clamp(weight))


def _insight(tried: Sequence[Tried], best: Tried | None, words: Mapping[str, str]) -> str:
    if best is None:
        return words["insight_quiet"]
    if best.rate < 0.2:
        return words["insight_lost"]
    slipped = next((one for one in tried if share_said(one.item.slips, one.text) > 0), None)
    if slipped is not None and tried[-1].rate < 0.75:
        return words["insight_confused"].replace("{}", slipped.item.ask)
    return words["insight_helped"] if best.told else words["insight_right"]


def _emotion(decision: Consolidate, tried: Sequence[Tried], p: Parameters) -> float:
    """Pleasant for learners who could answer, less so for the anxious (control-value appraisal: Pekrun 2006)."""
    traits = decision.person.traits
    mean = sum(one.rate for one in tried) / len(tried) if tried else 0.3
    return clamp(0.5 + p["emotion.success"] * (mean - 0.4) - p["emotion.neuroticism"] * (traits.neuroticism - 0.5))


def reflect(decision: Reflect, p: Parameters) -> Reflected:
    """The level moves up if learners mostly knew what they knew and did not know, and show it; it never moves down."""
    phrases = load_phrases(decision.language)
    kinds = [kind for glimpse in decision.glimpses for kind in glimpse.answers if kind != "follow"]
    place = METACOGNITION.index(decision.before)
    if kinds:
        # Knowing that one does not know, and knowing when one does, against wrong beliefs and blind guesses.
        aware = sum(kind in ("right", "dont_know") for kind in kinds) / len(kinds)
        mastery = sum(glimpse.mastery for glimpse in decision.glimpses) / len(decision.glimpses)
        careful = p["reflect.conscientiousness"] * (decision.person.traits.conscientiousness - 0.5)
        value = aware + p["reflect.mastery"] * (mastery - 0.5) + careful
        if value >= (p["reflect.developing"], p["reflect.expert"], 99.0)[place]:
            place += 1
    level = METACOGNITION[place]
    return Reflected(
        level,
        phrases.at("skills", "forethought")[level],
        phrases.at("skills", "performance")[level],
        phrases.at("skills", "reflection")[level],
    )
