"""What a learner answers: right, half right, wrong in the usual way, guessed, or not at all, and in its own manner.

How good an answer is follows from how far the learner understands; whether a gap is hidden or owned up to follows from
what it knows of its own knowing; how it sounds follows from who it is.
"""

from __future__ import annotations

from collections.abc import Mapping

from eduverse_mesa.curves import clamp, logistic
from eduverse_mesa.decisions.tutoring import TRAITS, LearnerView, Replied, Reply
from eduverse_mesa.marks import share_said
from eduverse_mesa.policies.embedded.linear import choose_ordered
from eduverse_mesa.policies.embedded.tutoring.phrases import Phrases, around, load_phrases
from eduverse_mesa.policies.embedded.words.luck import draw_luck, pick
from eduverse_mesa.randomness import Address, uniform
from eduverse_mesa.scenarios.cohort import METACOGNITION
from eduverse_mesa.scenarios.curriculum import Item, Unit, questions_in
from eduverse_mesa.scenarios.straying import named_in, strays

Parameters = Mapping[str, float]
_GOOD = ("none", "misconception", "partial", "right")
_LEVELS: tuple[str, ...] = METACOGNITION
_MEANT = 0.34
"""The share of a unit's marks in a question that is about it."""


class Answerer:
    """Answers for a learner."""

    def __init__(self, p: Parameters) -> None:
        self._p = p
        self._cuts = (p["answer.cut_wrong"], p["answer.cut_partial"], p["answer.cut_right"])

    def reply(self, decision: Reply) -> Replied:
        """What the learner says to what was said last."""
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
        """Whoever does not know guesses when outgoing and bold; whoever knows its own knowing says so."""
        p, traits = self._p, view.person.traits
        drive = p["guess.base"] + p["guess.extraversion"] * (traits.extraversion - 0.5)
        drive += p["guess.openness"] * (traits.openness - 0.5) - p["guess.neuroticism"] * (traits.neuroticism - 0.5)
        drive -= p["guess.metacognition"] * _LEVELS.index(view.recollection.level)
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
        """A guess needs something to go by: the more is understood, the luckier, up to what everyday life shows."""
        return self._p["guess.lucky"] * min(1.0, grasp / max(self._p["grasp.everyday"], 1e-9))

    def _hedges(self, view: LearnerView, kind: str, at: Address) -> bool:
        """Doubt is heard where there is little grasp, more from the anxious, less from the outgoing; the experienced
        doubt where they have reason to."""
        if kind in ("dont_know", "follow"):
            return False
        p, traits = self._p, view.person.traits
        drive = p["hedge.base"] + p["hedge.neuroticism"] * (traits.neuroticism - 0.5)
        drive -= p["hedge.extraversion"] * (traits.extraversion - 0.5)
        doubt = 0.5 - view.grasp if kind != "right" else 0.3 - view.grasp
        drive += p["hedge.grasp"] * doubt * (1.0 + p["hedge.metacognition"] * _LEVELS.index(view.recollection.level))
        drive += p["hedge.confidence"] * (0.5 - view.confidence)
        if kind == "guess":
            drive += p["hedge.guess"]
        return uniform(at, "hedge") < logistic(drive)

    def _confidence(self, view: LearnerView, kind: str) -> float:
        if kind in ("dont_know", "follow"):
            return 0.0
        return clamp(0.5 * view.confidence + 0.5 * view.grasp)

    # --- how ---

    def _word(self, view: LearnerView, kind: str, content: str, hedged: bool, at: Address, phrases: Phrases) -> str:
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

    def _bring_up(self, view: LearnerView, kind: str, at: Address, phrases: Phrases) -> str:
        """Who has answered well may add what else it knows."""
        if view.exam or kind not in ("right", "partial") or not view.related:
            return ""
        drive = self._p["words.bring_up"] * (0.5 + view.person.traits.openness)
        if uniform(at, "bring up") >= drive:
            return ""
        other: Unit = pick(view.related, uniform(at, "which"))
        return around(phrases.say(uniform(at, "bring how"), "learner", "bring_up"), other.idea)

    def _manner(self, view: LearnerView, at: Address, phrases: Phrases) -> tuple[str, str]:
        """At most one remark before the answer and one behind it that show what kind of person speaks."""
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

    def _follow(self, view: LearnerView, at: Address, phrases: Phrases) -> Replied:
        luck = draw_luck(at, "words")
        if (elsewhere := self._elsewhere(view, luck[0], at, phrases)) is not None:
            return elsewhere
        asked_openly = bool(view.dialogue) and any(sign in view.dialogue[-1].text for sign in "?？")
        said = phrases.say(luck[0], "learner", "wonder_unasked" if asked_openly else "follow")
        before, _ = self._manner(view, at, phrases)
        return Replied(phrases.join(before, said), "follow", False, 0.0)

    def _elsewhere(self, view: LearnerView, luck: float, at: Address, phrases: Phrases) -> Replied | None:
        """To a question about something else: what it has learned of that, or that it does not know."""
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
