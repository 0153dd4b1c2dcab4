"""What a student can bring up about the matter at hand, drawn from what it has understood."""

from __future__ import annotations

from eduverse_mesa.agents.cognition import Parameters
from eduverse_mesa.decisions import Focus, Mind, Recall
from eduverse_mesa.randomness import Address, uniform
from eduverse_mesa.scenarios.lesson import Idea, Question

NOTHING = Recall("none")


def recall(
    at: Address, mind: Mind, focus: Focus, idea: Idea | None, question: Question | None, p: Parameters
) -> Recall:
    """Full, partial, misconception or none: the better understood, the more comes to mind.

    Of those who do not know, a fixed share has the idea's likely misconception: 58 % of wrong answers in mathematics
    show a nameable one, and one misconception per item carries three quarters of those (real_classes).
    """
    if idea is None:
        return NOTHING
    known = mind.understanding[focus.goal]
    strength = known + p["recall.spread"] * (uniform(at, f"recall/{idea.id}") - 0.5)
    if strength >= p["recall.full"]:
        if question is None:
            return Recall("full", idea.text, idea.because, idea.keywords[0])
        return Recall("full", question.answer, idea.because, question.short_answer)
    if strength >= p["recall.partial"]:
        return Recall("partial", idea.partial, "", idea.keywords[0])
    if idea.misconception and uniform(at, f"misconception/{idea.id}") < p["recall.misconception"]:
        return Recall("misconception", idea.misconception, "", "")
    return NOTHING
