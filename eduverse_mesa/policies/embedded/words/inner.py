"""What is thought but not said: plans, self-observation, resolutions, summaries and reasons.

These are made for every student at every step, so each costs one draw.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from eduverse_mesa.codes import OFF_TASK
from eduverse_mesa.policies.embedded.words.grammar import Grammar, capital
from eduverse_mesa.policies.embedded.words.luck import draw_luck
from eduverse_mesa.randomness import Address, uniform

if TYPE_CHECKING:
    from eduverse_mesa.decisions import Pace, Summarise

FACTORS = ("personality", "confidence", "relevance", "history", "closeness")
Five = tuple[str, str, str, str, str]

_LEARNED = 0.1
"""Growth of understanding from which on a lesson leaves something to name."""


def plan_sentence(grammar: Grammar, at: Address, behaviour: str, partner: str, keyword: str = "") -> str:
    """Why I do this now; `keyword` is what the step is about, in a word."""
    if not partner or partner == "group":
        partner = grammar.text("fallback.somebody")
    elif partner == "teacher":
        partner = grammar.text("fallback.the_teacher")
    slots = {"partner": partner, "keyword": keyword or grammar.text("fallback.matter")}
    return grammar.say(f"plan.{behaviour}", uniform(at, "words/plan"), slots)


def monitor_sentence(
    grammar: Grammar, at: Address, emotion: str, cognition: str, behaviour: str = "", keyword: str = ""
) -> str:
    """How it is going for me: what I feel, and what I can do with the matter, or that I am elsewhere."""
    luck = draw_luck(at, "words/monitor")
    feeling = capital(grammar.say(f"monitor.{emotion}", luck[0]))
    key = "monitor.away" if behaviour in OFF_TASK else f"monitor.{cognition}"
    slots = {"keyword": keyword or grammar.text("fallback.matter")}
    return feeling + grammar.clause + grammar.say(key, luck[1], slots)


def regulate_sentence(grammar: Grammar, at: Address, strategy: str, keyword: str = "") -> str:
    """What I will do differently."""
    slots = {"keyword": keyword or grammar.text("fallback.matter")}
    return grammar.say(f"regulate.{strategy}", uniform(at, "words/regulate"), slots)


def summary_sentences(grammar: Grammar, at: Address, decision: Summarise, strategy: str) -> tuple[str, str, str]:
    """The lesson for me and what I take from it; how I was; what I will do next time."""
    luck = draw_luck(at, "words/summary")
    off_task, positive = decision.behaviours.get("off_task", 0.0), decision.emotions.get("positive", 0.0)
    tone = "bad" if off_task > 0.4 else "good" if positive > 0.6 and off_task < 0.15 else "mixed"
    summary = grammar.say(f"summary.{tone}", luck[0])
    goals, understanding = decision.view.scene.lesson.goals, decision.view.mind.understanding
    growth = [now - before for now, before in zip(understanding, decision.started, strict=True)]
    best = max(range(len(growth)), key=growth.__getitem__, default=-1)
    if best >= 0 and growth[best] >= _LEARNED:
        slots = {"tone": summary, "goal": grammar.sentence(goals[best].text)}
        summary = grammar.say("summary.learned", luck[1], slots)
    slots = {
        "level": grammar.text(f"summary.level.{_most(decision.behaviours, 'passive')}"),
        "emotion": grammar.text(f"summary.emotion.{_most(decision.emotions, 'confused')}"),
    }
    portrait = grammar.say("summary.portrait", luck[2], slots)
    return summary, portrait, grammar.say(f"summary.regulation.{strategy}", luck[3])


def _most(shares: dict[str, float], otherwise: str) -> str:
    return max(shares, key=shares.__getitem__, default=otherwise)


def evaluation_sentence(
    grammar: Grammar,
    at: Address,
    student: str,
    rating: float,
    participation: float | None = None,
    quality: float | None = None,
) -> str:
    """What the teacher keeps in mind of a student; how it took part and spoke is said where it is known."""
    luck = draw_luck(at, f"words/evaluation/{student}")
    level = "high" if rating > 0.3 else "low" if rating < -0.1 else "middle"
    following = grammar.say(f"evaluation.next.{level}", luck[0])
    if participation is None:
        return grammar.say("evaluation.short", luck[1], {"name": student, "next": following})
    part = "high" if participation >= 0.6 else "middle" if participation >= 0.3 else "low"
    said = "silent" if quality is None else "good" if quality >= 0.65 else "mixed" if quality >= 0.35 else "weak"
    slots = {
        "name": student,
        "part": grammar.text(f"evaluation.part.{part}"),
        "said": grammar.text(f"evaluation.said.{said}"),
        "next": following,
    }
    return grammar.say("evaluation.line", luck[1], slots)


def pace_reason(grammar: Grammar, move: str, decision: Pace, readiness: float, ready: bool) -> str:
    """Why the teacher goes on or stays, with the number that decided it."""
    key = "leave" if move == "advance" and decision.completion >= 1 and not ready else move
    return grammar.say(f"pace.{key}", uniform(decision.at, "words/pace"), {"ready": f"{readiness:.2f}"})


def gate_reasons(grammar: Grammar, scores: Sequence[float] = (), weights: Sequence[float] = ()) -> Five:
    """A reason for each of the five scores, the weightiest marked; without scores, what each of them stands for."""
    if not scores:
        return _reasons(grammar, ("any",) * 5, -1)
    bands = tuple("high" if score >= 66 else "low" if score < 33 else "middle" for score in scores)
    return _reasons(grammar, bands, max(range(5), key=weights.__getitem__))


@lru_cache(maxsize=4096)
def _reasons(grammar: Grammar, bands: tuple[str, ...], most: int) -> Five:
    said = [grammar.text(f"gate.{factor}.{band}") for factor, band in zip(FACTORS, bands, strict=True)]
    if most >= 0:
        said[most] = grammar.say("gate.most", 0.0, {"reason": said[most]})
    first, second, third, fourth, fifth = said
    return first, second, third, fourth, fifth
