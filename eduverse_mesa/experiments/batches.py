"""Classrooms for `mesa.batch_run`: any value of a scenario as a parameter."""

from __future__ import annotations

from typing import Any

from eduverse_mesa.models.classroom import ClassroomModel

_KEYWORDS = frozenset({"scenario", "layout", "lesson", "lessons", "students", "steps", "policy", "seed", "rng"})


def classroom(**parameters: Any) -> ClassroomModel:
    """A classroom of a batch's parameters: those of ClassroomModel, and dotted keys such as `gate.threshold`.

    It can be imported, and so used by processes that Mesa starts.
    """
    own = {name: value for name, value in parameters.items() if name in _KEYWORDS}
    settings = {name: value for name, value in parameters.items() if name not in _KEYWORDS}
    return ClassroomModel(**own, settings=settings or None)
