"""What stands side by side: an arm, the run of it that is shown, and the steps that all of them share."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from eduverse_mesa.models.classroom import Intervention
from eduverse_mesa.runs.comparing import Arm, Measured
from eduverse_mesa.runs.play import Run
from eduverse_mesa.visualization.app.lessons.film import Film, Shot
from eduverse_mesa.visualization.words import Words

Place = tuple[int, int]
"""Lesson and step."""

MOST_SIDES = 4
_KEPT_RUNS = 6
"""Runs of a side that stay in memory; the others are played again when they are to be seen."""


@dataclass(frozen=True, slots=True)
class Forked:
    """What was changed, where, and what differed first in the run that is shown."""

    change: Intervention
    first: tuple[int, int, str, str] | None
    """Lesson, step, agent and kind of the first answer that is not the same."""
    without: int = 0
    """Runs that were over before the change came."""
    people: tuple[str, ...] = ()
    """Who was answered for by a person, and cannot be any more: both runs go on without."""
    refused: str = ""
    """Why the change was not made in the run that is shown; empty where it was."""
    afresh: bool = False
    """Both were played from the beginning with nobody in a seat."""


@dataclass(eq=False)
class Side:
    """An arm, with the run that is shown of it."""

    arm: Arm
    again: Callable[[int], Run]
    """Plays, or reads, the run of a seed once more."""
    cheap: bool = True
    """Playing again costs nothing but a moment; otherwise every run is kept."""
    runs: dict[int, Run] = field(default_factory=dict)
    shown: Run | None = None
    film: Film = field(default_factory=Film)
    forked: Forked | None = None
    """How it came from the side before it."""

    @property
    def name(self) -> str:
        """How it is called."""
        return self.arm.name

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of all its runs, also of those that are left out of the numbers."""
        return self.arm.with_left_out().seeds

    def add(self, run: Run) -> None:
        """One run more; the first is shown."""
        self.arm = self.arm.with_run(Measured.of(run))
        if len(self.runs) < _KEPT_RUNS or not self.cheap:
            self.runs[run.spec.seed] = run
        if self.shown is None:
            self.show(run)

    def run_of(self, seed: int) -> Run | None:
        """The run of a seed; None where this side has none of it."""
        if seed not in self.seeds:
            return None
        return self.runs.get(seed) or self.again(seed)

    def show(self, run: Run) -> None:
        """Show this run."""
        film = Film()
        for lesson in run.lessons:
            film.take(lesson.model)
        self.film, self.shown = film, run

    def shot(self, place: Place) -> Shot | None:
        """What was to be seen at a place; where this run was over by then, its end."""
        shots = self.film.shots
        at = bisect_right(shots, place, key=lambda shot: (shot.lesson, shot.step))
        return shots[max(at - 1, 0)] if shots else None


def places_of(sides: Iterable[Side]) -> list[Place]:
    """The steps that any of them has, in order."""
    return sorted({(shot.lesson, shot.step) for side in sides for shot in side.film.shots})


def unlike(one: Shot, other: Shot) -> list[str]:
    """The students of both who do or feel something else."""
    before = {student.name: (student.behaviour, student.emotion) for student in one.frame.students}
    return [
        student.name
        for student in other.frame.students
        if student.name in before and before[student.name] != (student.behaviour, student.emotion)
    ]


def distinct(names: Sequence[str]) -> list[str]:
    """The same names, each with a number where it comes again."""
    made: list[str] = []
    for name in names:
        number, free = 2, name
        while free in made:
            free, number = f"{name} ({number})", number + 1
        made.append(free)
    return made


def told_place(lesson: int, step: int, several: bool, t: Words) -> str:
    """A step, with its lesson where there are several."""
    if several:
        return t("compare.rooms.at_lesson", lesson=lesson, step=step)
    return t("compare.rooms.at", step=step) if step else t("classroom.transport.before")
