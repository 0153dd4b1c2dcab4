"""Classes of which it is known what seating does to them."""

from __future__ import annotations

from eduverse_mesa.scenarios import Scenario, load_scenario
from eduverse_mesa.scenarios.people import Student, Traits

PAIR = ("Zhang Jie", "Liu Li")
"""They sit side by side in the front row of `planted_pair`, and keep each other from the lesson."""
_STEPS = 12
# Neighbours count for more than usual, so that short lessons show what they do.
_CONTAGION = {"attention.neighbours": 3.0, "plan.chat.neighbours_off": 3.0}


def planted_pair() -> Scenario:
    """Six students in two rows: four who are alike and diligent, and a pair that is easily distracted."""
    return _class_of([_wild(student) if student.name in PAIR else _calm(student) for student in _students()])


def all_alike() -> Scenario:
    """Six students who differ in nothing but their names: no plan can be better than another."""
    return _class_of([_calm(student) for student in _students()])


def _class_of(students: list[Student]) -> Scenario:
    scenario = load_scenario("first_lesson", lesson="science", steps=_STEPS)
    roll = scenario.roll.model_copy(update={"students": tuple(students)})
    settings = scenario.settings.model_copy(update={"parameters": _CONTAGION})
    return scenario.model_copy(update={"roll": roll, "seating": {}, "settings": settings})


def _students() -> tuple[Student, ...]:
    return load_scenario("first_lesson").roll.students


def _calm(student: Student) -> Student:
    return Student(
        name=student.name, traits=Traits(conscientiousness=0.75, extraversion=0.3, neuroticism=0.4), motivation=0.75
    )


def _wild(student: Student) -> Student:
    return Student(
        name=student.name,
        traits=Traits(conscientiousness=0.1, extraversion=0.95, agreeableness=0.8, neuroticism=0.4),
        motivation=0.1,
        role="off_task",
        thinking="impulsive",
        cognitive_style="field_dependent",
    )
