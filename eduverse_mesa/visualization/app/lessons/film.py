"""What was seen of a lesson so far, step by step: what a page shows, forwards and backwards."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.visualization.frames import Frame, frame, last_step, stage


class Shot(NamedTuple):
    """One step as it was."""

    lesson: int
    step: int
    frame: Frame
    drawn: dict[str, Any]
    """The same for a drawing."""


class Film:
    """Shots in order, each lesson beginning with the class before it. Written by one thread, read by many."""

    def __init__(self) -> None:
        self.shots: list[Shot] = []
        self.stages: dict[int, dict[str, Any]] = {}

    def take(self, model: ClassroomModel) -> None:
        """Take all steps of this lesson that are not on the film yet."""
        number = model.lesson_number
        taken = sum(1 for shot in self.shots if shot.lesson == number)
        for step in range(taken, last_step(model) + 1):
            self.stages[number] = msgspec.to_builtins(stage(model))
            seen = frame(model, step)
            self.shots.append(Shot(number, step, seen, msgspec.to_builtins(seen)))

    def __len__(self) -> int:
        return len(self.shots)
