"""Film of a lesson as seen so far, step by step, the place of it that is looked at, and the roller that plays it on."""

from __future__ import annotations

import threading
from collections.abc import Callable
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


class Playhead:
    """The place that is looked at of something that grows. Whoever looks at the end goes along with it."""

    _place: int | None = None
    """None: the end, wherever that is."""

    @property
    def last(self) -> int:
        """The last place there is."""
        raise NotImplementedError

    @property
    def at(self) -> int:
        """The place that is looked at."""
        place, last = self._place, self.last
        return last if place is None else min(place, last)

    def look_at(self, place: int) -> None:
        """Look at another place."""
        self._place = max(0, place) if place < self.last else None

    def look_at_end(self) -> None:
        """Look at the end, and go along with it."""
        self._place = None


class Roller:
    """Does something again and again until it is stopped, or there is no more to do. One roll at a time."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._door = threading.RLock()
        self._going: threading.Event | None = None

    @property
    def going(self) -> bool:
        """It is rolling."""
        return self._going is not None

    def start(
        self, step: Callable[[], bool], pause: Callable[[], float], ended: Callable[[], None] = lambda: None
    ) -> bool:
        """Rest for `pause()` seconds, then `step()`, for as long as that is true; then `ended()`.

        False, and nothing is begun, while it is rolling already.
        """
        with self._door:
            if self._going is not None:
                return False
            # Each roll has an event of its own: one that was stopped would find a shared one cleared by the next.
            over = self._going = threading.Event()

        def roll() -> None:
            more = True
            while more and not over.wait(pause()):
                with self._door:
                    if over.is_set():
                        return
                    more = step()
            with self._door:
                if over.is_set():
                    return
                over.set()
                self._going = None
                ended()

        threading.Thread(target=roll, name=self._name, daemon=True).start()
        return True

    def stop(self) -> bool:
        """Stop; True where it was rolling. No step is begun after this."""
        with self._door:
            over, self._going = self._going, None
        if over is not None:
            over.set()
        return over is not None
