"""What units, concepts and numbers of a learner are called on the page."""

from __future__ import annotations

from eduverse_mesa.scenarios.curriculum import Curriculum
from eduverse_mesa.visualization.words import Words

_LONGEST = 76


def short(text: str, most: int = _LONGEST) -> str:
    """A text on one line, shortened."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def unit_name(curriculum: Curriculum, unit: str) -> str:
    """A unit by its core idea; one that the curriculum lacks by its id."""
    found = curriculum.units.get(unit)
    return short(found.idea if found is not None else unit)


def concept_name(curriculum: Curriculum, concept: str) -> str:
    """A concept by its title."""
    found = curriculum.concepts.get(concept)
    return short(found.title if found is not None else concept)


def subject_name(curriculum: Curriculum, subject: str) -> str:
    """A subject by its title."""
    found = next((one for one in curriculum.subjects if one.id == subject), None)
    return short((found.title if found is not None else "") or subject.replace("_", " "))


def unit_options(curriculum: Curriculum, grades: tuple[int, ...] = ()) -> list[list[str]]:
    """Units to choose from, each with its grade."""
    return [
        [unit.id, f"{unit.grade} · {unit_name(curriculum, unit.id)}"]
        for unit in sorted(curriculum.all_units(), key=lambda one: one.grade)
        if not grades or unit.grade in grades
    ]


def level(value: float, t: Words) -> str:
    """A number from 0 to 1 in words, with the number."""
    word = "low" if value < 0.35 else "high" if value > 0.65 else "middle"
    return t("learner.profile.level", word=t(f"learner.profile.{word}"), value=f"{value:.2f}")
