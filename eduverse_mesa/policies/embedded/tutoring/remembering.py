"""What stays of a dialogue by rule: the mastery that the learner's own words have shown, and a few words on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from eduverse_mesa.curves import clamp
from eduverse_mesa.decisions.tutoring import Consolidate, Consolidated, Reflect, Reflected, Utterance
from eduverse_mesa.marks import share_said
from eduverse_mesa.policies.embedded.tutoring.phrases import Phrases, load_phrases
from eduverse_mesa.scenarios.cohort import METACOGNITION, Learner
from eduverse_mesa.scenarios.curriculum import TOLD, Item, Unit
from eduverse_mesa.scenarios.straying import strays

Parameters = Mapping[str, float]


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
    """An episode as it will be remembered."""
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


def _content(text: str, phrases: Phrases) -> str:
    """What was said of the matter, without the remarks that only show what kind of person speaks."""
    for ends in phrases.at("style").values():
        for remark in (*ends["high"], *ends["low"]):
            text = text.replace(remark, "")
    return " ".join(text.split())


def answers(unit: Unit, dialogue: Sequence[Utterance], language: str) -> list[Tried]:
    """The learner's answers to the unit's questions, each with whether the answer had been given away; what is said to
    a question about something else, or to silence, is none."""
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
        elif item is not None and not astray:
            told = [unit.told_in(one) >= TOLD or unit.gives_away(item, one) for one in heard]
            found.append(Tried(item, item.rate(utterance.text), any(told), told[-1], utterance.text))
        said.append(utterance.text)
    return found


def _shown(tried: Sequence[Tried], p: Parameters) -> float:
    """w: of each question the last answer counts most, the first one too. What had been given away counts less, and
    least what is said after somebody who has just said it."""
    worth: dict[str, list[float]] = {}
    for one in tried:
        counts = p["consolidate.echo"] if one.echo else p["consolidate.told"] if one.told else 1.0
        worth.setdefault(one.item.id, []).append(one.rate * counts)
    first = p["consolidate.first"]
    shares = [first * rates[0] + (1.0 - first) * rates[-1] for rates in worth.values()]
    return clamp(sum(shares) / len(shares))


def _attention(person: Learner, p: Parameters) -> float:
    """How much of what is only told reaches a learner: more where one is careful and wants to know."""
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
    """Pleasant where one could answer, less so for the anxious (control-value appraisal: Pekrun 2006)."""
    traits = decision.person.traits
    mean = sum(one.rate for one in tried) / len(tried) if tried else 0.3
    return clamp(0.5 + p["emotion.success"] * (mean - 0.4) - p["emotion.neuroticism"] * (traits.neuroticism - 0.5))


def reflect(decision: Reflect, p: Parameters) -> Reflected:
    """The level moves up when one mostly knew whether one knew, and shows it; down it does not go."""
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
