"""The design of the lessons that are played to be held against real ones.

Real lessons differ because teachers, plans, classes and rooms do. So each lesson has a class of its own, drawn anew;
each teacher, drawn too, gives several lessons, so that what lies between teachers can be told from what lies within;
plans are drawn among several of one subject, sooner one that suits the teacher's style; and layouts take turns.
Lessons in rows are given once more in the other layouts, by the same teacher to the same class with the same luck: what
a layout does is measured on such pairs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.experiments.realism.measures import OF_LESSON
from eduverse_mesa.experiments.trials import Trial, check_runs, trial_of
from eduverse_mesa.randomness import Address, choose_softmax, uniform
from eduverse_mesa.scenarios import Scenario, load_scenario
from eduverse_mesa.scenarios.layout import ArcPattern, Layout
from eduverse_mesa.scenarios.layout_rules import SeatRule
from eduverse_mesa.scenarios.loader import load_document
from eduverse_mesa.scenarios.people import ClassRoll, Sample, Teacher, TeacherStyle
from eduverse_mesa.scenarios.sampler import sample_class

ROWS, PODS, SEMICIRCLE = "rows", "pods", "semicircle"
LAYOUTS = (ROWS, PODS, SEMICIRCLE)
LARGEST = 30
"""Seats in rows and in the semicircle."""
_CLASS_SD = 0.08
"""About a fifth of the variance of what students bring along lies between classes (Hedges and Hedberg 2007)."""
_TEACHERS = 1_000_000
"""Teachers are drawn with seeds from here on, classes with small ones."""
PLANS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "mathematics": {},
        "mathematics_area": {"discussion": 1.0, "talkativeness": -0.5},
        "mathematics_chance": {"pressing": 1.0, "discussion": 0.5},
        "mathematics_fractions": {"revoicing": 0.5, "pressing": 0.5, "questioning": 0.5},
        "mathematics_functions": {"questioning": 1.0, "pressing": -0.5},
        "mathematics_integers": {"talkativeness": 1.0, "questioning": -1.0},
    }
)
"""Plans of mathematics, and the style of teacher that each suits: more of what is above zero, less of what is below."""
_SUITS = 9.0
"""How far style decides on the plan: one that suits a teacher by 0.1 more is drawn two and a half times as often.
Chosen: a teacher has a way of teaching, and yet not the same lesson every day."""


@dataclass(frozen=True)
class Design:
    """The number of lessons to play, and their properties."""

    lessons: int = 60
    smallest: int = 20
    largest: int = 30
    per_teacher: int = 5
    steps: int = 30
    lesson: str = ""
    """A name or a file; empty: each teacher draws among PLANS."""
    policy: str = ""
    seed: int = 1
    settings: Mapping[str, object] = field(default_factory=dict)
    """Values of the scenario that are changed in every lesson, by dotted keys."""

    def __post_init__(self) -> None:
        if self.lessons < 1:
            raise EduverseError("no lesson would be played.", where="lessons", mend="Give a number from 1 on.")
        if not 2 <= self.smallest <= self.largest <= LARGEST:
            raise EduverseError(
                f"classes of {self.smallest} to {self.largest} students cannot be played.",
                where="students",
                mend=f"Give a range from 2 to {LARGEST}, such as 20-30.",
            )
        check_runs(self.plays, "lessons")

    @property
    def teachers(self) -> int:
        """Number of teachers who give the lessons."""
        return -(-self.lessons // self.per_teacher)

    @property
    def taught(self) -> str:
        """The lessons that are taught, in words."""
        return self.lesson or f"{len(PLANS)} plans of mathematics, drawn by the teacher's style"

    @property
    def plays(self) -> int:
        """Number of lessons that are played, those of pairs included."""
        return self.lessons + 2 * -(-self.lessons // len(LAYOUTS))

    def trials(self) -> Iterator[Trial]:
        """Every lesson, and the pairs of those in rows."""
        for number in range(self.lessons):
            layout = LAYOUTS[number % len(LAYOUTS)]
            yield self._trial(number, layout, pair=False)
            if layout == ROWS:
                yield from (self._trial(number, other, pair=True) for other in LAYOUTS if other != ROWS)

    def _trial(self, number: int, layout: str, pair: bool) -> Trial:
        factors = {"class": number, "teacher": number // self.per_teacher, "layout": layout, "pair": pair}
        seed = self.seed * _TEACHERS + number
        return trial_of(self.scenario(number, layout), seed, policy=self.policy, measure=(OF_LESSON,), factors=factors)

    def scenario(self, number: int, layout: str) -> Scenario:
        """The lesson of this number in a layout."""
        at = Address(self.seed, 0, number, "realism")
        size = self.smallest + int(uniform(at, "size") * (self.largest - self.smallest + 1))
        first = self.seed * _TEACHERS
        whose = teacher(first + _TEACHERS // 2 + number // self.per_teacher)
        roll = ClassRoll(
            name=f"class_{number + 1}",
            teacher=whose,
            sample=_sample().model_copy(update={"size": size, "seed": first + number, "class_sd": _CLASS_SD}),
        )
        return load_scenario(
            "mathematics_30",
            layout=_layout(layout),
            lesson=self.lesson or draw_plan(at, whose.style),
            students=roll,
            steps=self.steps,
            settings=self.settings,
        )


def teacher(seed: int) -> Teacher:
    """A teacher drawn by the class's own distribution of styles."""
    drawn = sample_class(_sample().model_copy(update={"size": 1, "seed": seed}), "nobody").teacher
    assert drawn is not None
    return drawn


def draw_plan(at: Address, style: TeacherStyle) -> str:
    """The plan of one lesson: the better it suits the teacher, the sooner."""
    suits = [
        _SUITS * sum(weight * (getattr(style, part) - 0.5) for part, weight in plan.items()) for plan in PLANS.values()
    ]
    return choose_softmax(at, "plan", list(PLANS), suits)


def read_range(text: str) -> tuple[int, int]:
    """`20-30` or `25` as the smallest and the largest class."""
    match = re.fullmatch(r"\s*(\d{1,4})\s*(?:-\s*(\d{1,4})\s*)?", text)
    if match is None:
        raise EduverseError(f"'{text[:40]}' is no range.", where="students", mend="Write for example 20-30, or 25.")
    smallest = int(match[1])
    return smallest, int(match[2]) if match[2] else smallest


@cache
def _sample() -> Sample:
    """The distribution of the built-in class of thirty."""
    roll = load_document("class", "thirty")
    assert isinstance(roll, ClassRoll)
    assert roll.sample is not None
    return roll.sample


@cache
def _layout(name: str) -> Layout:
    if name == SEMICIRCLE:
        return semicircle()
    layout = load_document("layout", {ROWS: "rows_30", PODS: "pods_4"}[name])
    assert isinstance(layout, Layout)
    return layout


def semicircle() -> Layout:
    """The built-in semicircle with a second arc behind it: for thirty students instead of ten."""
    room = load_document("layout", "semicircle")
    assert isinstance(room, Layout)
    arcs = [(7, 12, 1, "a"), (10, 18, 2, "b")]
    patterns = tuple(
        ArcPattern(
            pattern="arc",
            prefix=prefix,
            centre=(14, 3),
            radius=radius,
            seats=seats,
            row=row,
            from_angle=12,
            to_angle=168,
        )
        for radius, seats, row, prefix in arcs
    )
    # Seats stand closer than in the small semicircle: neighbours on the arc are the next and the one after.
    links = (SeatRule(rule="distance", within=3.5), SeatRule(rule="same_row", do="keep"))
    return room.model_copy(
        update={"name": "semicircle_30", "title": "Semicircle of two arcs", "patterns": patterns, "seat_graph": links}
    )
