"""What is thought but not said: plans, self-observation, resolutions, summaries and reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eduverse_mesa.policies.embedded.words.grammar import Grammar
from eduverse_mesa.randomness import Address

if TYPE_CHECKING:
    from eduverse_mesa.decisions import Pace, Summarise

_FACTORS = ("personality", "confidence", "relevance", "history", "closeness")


def plan_sentence(grammar: Grammar, at: Address, behaviour: str, partner: str) -> str:
    """Why I do this now."""
    return grammar.say(at, f"plan.{behaviour}", {"partner": partner})


def monitor_sentence(grammar: Grammar, at: Address, emotion: str, cognition: str) -> str:
    """How it is going for me."""
    separator = " " if grammar.sentence_end == "." else ""
    return grammar.say(at, f"monitor.{emotion}") + separator + grammar.say(at, f"monitor.{cognition}")


def regulate_sentence(grammar: Grammar, at: Address, strategy: str) -> str:
    """What I will do differently."""
    return grammar.say(at, f"regulate.{strategy}")


def summary_sentences(grammar: Grammar, at: Address, decision: Summarise, strategy: str) -> tuple[str, str, str]:
    """The lesson for me; how I was; what I will do next time."""
    off_task, positive = decision.behaviours.get("off_task", 0.0), decision.emotions.get("positive", 0.0)
    tone = "bad" if off_task > 0.4 else "good" if positive > 0.6 and off_task < 0.15 else "mixed"
    level = max(decision.behaviours, key=decision.behaviours.__getitem__)
    emotion = max(decision.emotions, key=decision.emotions.__getitem__)
    slots = {
        "level": grammar.say(at, f"summary.level.{level}"),
        "emotion": grammar.say(at, f"summary.emotion.{emotion}"),
    }
    return (
        grammar.say(at, f"summary.{tone}"),
        grammar.say(at, "summary.portrait", slots),
        grammar.say(at, f"summary.regulation.{strategy}"),
    )


def evaluation_sentence(grammar: Grammar, at: Address, student: str, rating: float) -> str:
    """What the teacher keeps in mind of a student."""
    level = "high" if rating > 0.3 else "low" if rating < -0.1 else "middle"
    return grammar.say(at, f"evaluation.{level}", {"name": student})


def pace_reason(grammar: Grammar, move: str, decision: Pace, readiness: float, ready: bool) -> str:
    """Why the teacher goes on or stays, with the number that decided it."""
    key = "leave" if move == "advance" and decision.completion >= 1 and not ready else move
    return f"{grammar.say(decision.at, f'pace.{key}')} ({readiness:.2f})"


def gate_reasons(grammar: Grammar) -> tuple[str, str, str, str, str]:
    """What each of the five factors stands for, in the student's words."""
    first, second, third, fourth, fifth = (grammar.only(f"gate.{factor}") for factor in _FACTORS)
    return first, second, third, fourth, fifth
