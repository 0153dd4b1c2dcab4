"""What is on the agenda of a learner, in order: dialogues, tests and pauses, each on its day."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from eduverse_mesa.scenarios.curriculum import Curriculum
from eduverse_mesa.scenarios.tutoring import TutoringSettings

_YEAR = 365.0


class Talk(msgspec.Struct, frozen=True, tag="talk"):
    """A dialogue. The tutor picks the unit where none is named."""

    day: float
    grade: int
    unit: str = ""


class Question(msgspec.Struct, frozen=True):
    """One item of one unit."""

    unit: str
    item: str


class Exam(msgspec.Struct, frozen=True, tag="exam"):
    """A test: nobody helps, and nothing is learned by it."""

    day: float
    grade: int
    name: str
    questions: tuple[Question, ...]


class Pause(msgspec.Struct, frozen=True, tag="pause"):
    """A while until a day, in which the learner learns other things elsewhere: by one law of forgetting it is the days
    that make it forget, by the other these episodes."""

    day: float
    grade: int
    episodes: int = 0


Session = Talk | Exam | Pause
"""Written down, each says in its field `type` what it is."""


def school_years(curriculum: Curriculum, settings: TutoringSettings, *, tested: bool = False) -> tuple[Session, ...]:
    """Dialogues spread over the school days of each grade; a test on the whole curriculum closes a grade if wanted."""
    return tuple(_years(curriculum, settings, tested))


def _years(curriculum: Curriculum, settings: TutoringSettings, tested: bool) -> Iterator[Session]:
    first, last = settings.grades
    for grade in range(first, last + 1):
        start = (grade - first) * _YEAR
        dialogues = settings.visits * len(curriculum.units_of(grade))
        for number in range(dialogues):
            yield Talk(start + number * settings.school_days / dialogues, grade)
        if tested:
            yield Exam(start + settings.school_days, grade, f"end of grade {grade}", all_questions(curriculum))


def all_questions(curriculum: Curriculum, grades: tuple[int, ...] = ()) -> tuple[Question, ...]:
    """Every item of the curriculum, or of some grades of it."""
    return tuple(
        Question(unit.id, item.id)
        for unit in curriculum.all_units()
        if not grades or unit.grade in grades
        for item in unit.items
    )
