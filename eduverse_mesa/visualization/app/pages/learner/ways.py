"""Two ways from here: copies of a learner are taught differently, and what they have afterwards is compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.models.tutoring import Saved, Talk, TutoringModel
from eduverse_mesa.visualization.app.answering import Answering
from eduverse_mesa.visualization.app.pages.learner.school import School, alone, answered

MOST_DIALOGUES = 40
MOST_GAP = 60.0


class Way(NamedTuple):
    """So many dialogues about a unit (the tutor picks where none is named), so many days apart."""

    unit: str = ""
    dialogues: int = 3
    gap: float = 1.0


class Difference(NamedTuple):
    """One concept: mastery now, and after each way on the day on which the longer one ends."""

    concept: str
    now: float
    one: float
    other: float


@dataclass(frozen=True)
class Compared:
    """What came of two ways for a learner."""

    name: str
    ways: tuple[Way, Way]
    rows: tuple[Difference, ...]


def compare_ways(school: School, name: str, ways: tuple[Way, Way], answering: Answering) -> Compared:
    """Teach two copies of a learner, with the same luck; the learner itself stays as it is."""
    for way in ways:
        _check(way, school)
    start = school.learner(name)
    ends = start.day + max(way.dialogues * way.gap for way in ways)
    first, second = (_after(school, name, way, ends, answering) for way in ways)
    rows = [
        Difference(concept.id, start.knowing.mastered(concept.id, start.day), first[concept.id], second[concept.id])
        for concept in school.setup.curriculum.all_concepts()
    ]
    changed = [row for row in rows if max(row[1:]) > 0]
    return Compared(name, ways, tuple(sorted(changed, key=lambda row: -abs(row.one - row.other))))


def _after(school: School, name: str, way: Way, ends: float, answering: Answering) -> dict[str, float]:
    learner, kept = school.learner(name), school.keep(name)
    setup = answered(alone(school.setup, name), answering)
    agenda = tuple(
        Talk(learner.day + (number + 1) * way.gap, learner.grade, way.unit) for number in range(way.dialogues)
    )
    model = TutoringModel(
        setup,
        policy=answering.policy,
        seed=school.plan.seed,
        agenda=agenda,
        saved={name: Saved(kept.name, kept.memory, kept.notes, 1)},
    ).run()
    knowing = model.learners[0].knowing
    return {concept.id: knowing.mastered(concept.id, ends) for concept in setup.curriculum.all_concepts()}


def _check(way: Way, school: School) -> None:
    if way.unit and way.unit not in school.setup.curriculum.units:
        raise ScenarioError(f"the curriculum has no unit '{way.unit[:80]}'.", mend="Choose one of its units.")
    if not 1 <= way.dialogues <= MOST_DIALOGUES or not 0 <= way.gap <= MOST_GAP:
        raise ScenarioError(
            "a way is no way.",
            mend=f"Give 1 to {MOST_DIALOGUES} dialogues, 0 to {MOST_GAP:.0f} days apart.",
        )
