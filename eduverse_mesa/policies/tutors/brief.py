"""The briefing of a tutor from outside, and the reading of the tutor's words. Such a tutor gets no more than the
built-in one: the unit and the words that were said, and nothing that goes on inside a learner."""

from __future__ import annotations

from typing import Any

from eduverse_mesa.decisions import Answer
from eduverse_mesa.decisions.tutoring import LONGEST, Taught, Teach
from eduverse_mesa.policies.safe_text import clean

END = "[end]"
"""A text that ends with this ends the dialogue; the learner does not hear it."""
SILENT = "it said nothing"
"""Reason for no answer of a tutor who keeps silent: the effect of that can be measured, too."""

_HELLO = {
    "en": "Hello! I am in grade {grade}. We are to learn this: {outcome}",
    "zh": "你好！我上{grade}年级。我们要学的是：{outcome}",
}


def history_of(decision: Teach) -> list[dict[str, str]]:
    """The dialogue so far, oldest first, as new plain data: a tutor that changes it harms nobody.

    It begins with a line of the learner's that says what is to be learned. It is the same for all learners.
    """
    language = decision.language.replace("_", "-").split("-")[0].casefold()
    hello = _HELLO.get(language, _HELLO["en"])
    opening = hello.replace("{grade}", str(decision.grade)).replace("{outcome}", decision.unit.outcome)
    said = [{"role": one.speaker, "text": one.text} for one in decision.dialogue]
    return [{"role": "learner", "text": opening}, *said]


def task_of(decision: Teach) -> dict[str, Any]:
    """Return the unit to be taught and its circumstances, as plain data."""
    unit = decision.unit
    return {
        "learner": decision.learner,
        "grade": decision.grade,
        "unit": unit.id,
        "outcome": unit.outcome,
        "idea": unit.idea,
        "hint": unit.hint,
        "questions": [item.ask for item in unit.items],
        "builds_on": [need.idea for need in decision.needs],
        "turn": decision.turn,
        "turns_left": decision.turns - decision.turn,
        "language": decision.language,
    }


def read_said(said: str, source: str, attempts: int = 1) -> Answer:
    """Return a tutor's text as an answer: text that a learner can hear, or a failure with its reason."""
    text = said.strip()
    done = text.endswith(END)
    text = text.removesuffix(END)
    if len(text) > LONGEST:  # before it is looked at: a book takes half a second to clean
        return Answer.failed(source, f"it said more than {LONGEST} characters", attempts)
    text = clean(text)
    if not text:
        return Answer.failed(source, SILENT, attempts)
    return Answer(Taught(text, "other", done), source, attempts=attempts)
