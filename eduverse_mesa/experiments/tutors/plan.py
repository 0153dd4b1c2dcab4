"""What every learner of an evaluation goes through: a test, dialogues on some units, a test, and one much later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.models.tutoring import Exam, Pause, Question, Session, Talk
from eduverse_mesa.scenarios.curriculum import Curriculum, in_order

UNITS = 4
"""Units that are taught where nobody says which."""
_MOST_VISITS = 100
_MOST_DAYS = 36_500
_MOST_EPISODES = 1000


@dataclass(frozen=True)
class TutorPlan:
    """The same for all learners and all tutors: what differs then is the tutor."""

    grade: int
    units: tuple[str, ...]
    questions: tuple[Question, ...]
    visits: int = 3
    """Dialogues on each unit, in rounds: first all units once, then all of them again."""
    days_between: float = 1.0
    """From one dialogue to the next."""
    delay: float = 30.0
    """Days from the test after the dialogues to the delayed one."""
    episodes_a_day: float = 1.0
    """What else the learner lives through in these days: by one law of forgetting it is this that makes it forget."""

    def agenda(self) -> tuple[Session, ...]:
        """The sessions of a learner."""
        talks = [unit for _ in range(self.visits) for unit in self.units]
        days = [1.0 + place * self.days_between for place in range(len(talks))]
        after = days[-1] + 1.0
        return (
            Exam(0.0, self.grade, "pre", self.questions),
            *(Talk(day, self.grade, unit) for day, unit in zip(days, talks, strict=True)),
            Exam(after, self.grade, "post", self.questions),
            Pause(after + self.delay, self.grade, round(self.delay * self.episodes_a_day)),
            Exam(after + self.delay, self.grade, "delayed", self.questions),
        )


def make_plan(
    curriculum: Curriculum,
    grade: int,
    units: Sequence[str] = (),
    *,
    visits: int = 3,
    days_between: float = 1.0,
    delay: float = 30.0,
    episodes_a_day: float = 1.0,
) -> TutorPlan:
    """A plan for a grade; `units` are ids, or none for the first few of the grade. The tests ask all their items."""
    chosen = tuple(units) or tuple(unit.id for unit in in_order(curriculum.units_of(grade))[:UNITS])
    if not chosen:
        raise ScenarioError(
            f"there are no units of grade {grade} in '{curriculum.name}'.",
            where="grade",
            mend=f"It has units for grades {', '.join(map(str, curriculum.grades))}.",
        )
    for unit in chosen:
        if unit not in curriculum.units:
            there = ", ".join(one.id for one in curriculum.units_of(grade)[:10])
            raise ScenarioError(
                f"there is no unit '{unit}' in '{curriculum.name}'.",
                where="units",
                mend=f"Units of grade {grade} are {there}." if there else "",
            )
    if len(set(chosen)) < len(chosen):
        raise ScenarioError("a unit is named twice.", where="units", mend="Name it once; visits say how often.")
    if not 1 <= visits <= _MOST_VISITS:
        raise ScenarioError(
            f"{visits} dialogues on each unit cannot be played.", where="visits", mend=f"Give 1 to {_MOST_VISITS}."
        )
    for where, days in (("delay", delay), ("days_between", days_between)):
        if not 0 <= days <= _MOST_DAYS:
            raise ScenarioError(f"{days:g} days cannot be played.", where=where, mend=f"Give 0 to {_MOST_DAYS}.")
    if not 0 <= episodes_a_day <= _MOST_EPISODES:
        raise ScenarioError(
            f"{episodes_a_day:g} episodes a day cannot be played.",
            where="episodes_a_day",
            mend=f"Give 0 to {_MOST_EPISODES}.",
        )
    asked = tuple(Question(unit, item.id) for unit in chosen for item in curriculum.units[unit].items)
    return TutorPlan(grade, chosen, asked, visits, days_between, delay, episodes_a_day)
