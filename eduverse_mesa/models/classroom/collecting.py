"""What Mesa's data collector gathers after each step."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from eduverse_mesa.codes import BEHAVIOUR_LEVEL, COGNITION_LEVEL

if TYPE_CHECKING:
    from eduverse_mesa.models.classroom.model import ClassroomModel


def _share_of_level(level: int) -> Callable[[ClassroomModel], float]:
    def share(model: ClassroomModel) -> float:
        levels = [BEHAVIOUR_LEVEL[student.acted] for student in model.students if student.acted]
        return levels.count(level) / len(levels) if levels else float("nan")

    return share


def _share_of_emotion(emotion: str) -> Callable[[ClassroomModel], float]:
    def share(model: ClassroomModel) -> float:
        felt = [student.felt for student in model.students if student.felt]
        return felt.count(emotion) / len(felt) if felt else float("nan")

    return share


def _high_cognition(model: ClassroomModel) -> float:
    thought = [COGNITION_LEVEL[student.thought] for student in model.students if student.thought]
    return sum(thought) / len(thought) if thought else float("nan")


def _understanding(model: ClassroomModel) -> float:
    return sum(student.understanding for student in model.students) / len(model.students)


def _exchanges(model: ClassroomModel) -> int:
    return sum(model.state.requests.exchanges.values())


MODEL_REPORTERS: dict[str, Any] = {
    "phase": lambda model: model.journal.teacher[-1].phase,
    "act": lambda model: model.teacher.behaviour,
    "tone": lambda model: model.teacher.emotion,
    "off_task": _share_of_level(0),
    "passive": _share_of_level(1),
    "active": _share_of_level(2),
    "interactive": _share_of_level(3),
    "positive": _share_of_emotion("positive"),
    "confused": _share_of_emotion("confused"),
    "negative": _share_of_emotion("negative"),
    "high_cognition": _high_cognition,
    "understanding": _understanding,
    "exchanges": _exchanges,
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
