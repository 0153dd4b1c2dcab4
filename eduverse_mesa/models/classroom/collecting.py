"""What Mesa's data collector gathers after each step."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from eduverse_mesa.codes import BEHAVIOUR_LEVEL, COGNITION_LEVEL, EMOTIONS, LEVEL_NAMES

if TYPE_CHECKING:
    from eduverse_mesa.models.classroom.model import ClassroomModel

_UNKNOWN = float("nan")


def step_shares(model: ClassroomModel) -> dict[str, float]:
    """Shares of behaviour levels, emotions and higher-order cognition in this step, in one pass over the class."""
    levels, emotions = [0] * len(LEVEL_NAMES), dict.fromkeys(EMOTIONS, 0)
    acted = thought = high = 0
    understanding = 0.0
    for student in model.students:
        if student.acted:
            levels[BEHAVIOUR_LEVEL[student.acted]] += 1
            acted += 1
        if student.felt:
            emotions[student.felt] += 1
        if student.thought:
            high += COGNITION_LEVEL[student.thought]
            thought += 1
        understanding += student.understanding
    felt = sum(emotions.values())
    shares = {name: count / acted if acted else _UNKNOWN for name, count in zip(LEVEL_NAMES, levels, strict=True)}
    shares |= {name: count / felt if felt else _UNKNOWN for name, count in emotions.items()}
    shares["high_cognition"] = high / thought if thought else _UNKNOWN
    shares["understanding"] = understanding / len(model.students)
    return shares


def _share(name: str) -> Callable[[ClassroomModel], float]:
    return lambda model: model.shares[name]


MODEL_REPORTERS: dict[str, Any] = {
    "phase": lambda model: model.journal.teacher[-1].phase,
    "act": lambda model: model.teacher.behaviour,
    "tone": lambda model: model.teacher.emotion,
    **{name: _share(name) for name in (*LEVEL_NAMES, *reversed(EMOTIONS), "high_cognition", "understanding")},
    "exchanges": lambda model: sum(model.state.requests.exchanges.values()),
}

AGENT_REPORTERS: dict[str, Any] = {
    "name": "name",
    "role": "role",
    "behaviour": "behaviour",
    "emotion": "emotion",
    "cognition": "cognition",
    "attention": "attention",
    "confidence": "confidence",
    "affect": "affect",
    "understanding": "understanding",
}
