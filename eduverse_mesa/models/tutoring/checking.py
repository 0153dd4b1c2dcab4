"""Whether learners can begin: what is on the agenda is in the curriculum, and what they bring along belongs to it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence

from eduverse_mesa.errors import ScenarioError, StudyError
from eduverse_mesa.memory.conceptual import Grasp
from eduverse_mesa.memory.three_levels import Memory
from eduverse_mesa.models.tutoring.agenda import Exam, Pause, Session, Talk
from eduverse_mesa.models.tutoring.saving import Saved
from eduverse_mesa.scenarios.cohort import METACOGNITION
from eduverse_mesa.scenarios.curriculum import Curriculum

_MEND = "Save the learner again, and do not edit the file."


def check_agenda(agenda: Sequence[Session], curriculum: Curriculum) -> None:
    """Refuse an agenda with something on it that the curriculum does not have."""
    for number, session in enumerate(agenda, start=1):
        for message, mend in _session_problems(session, curriculum):
            raise ScenarioError(f"{message}.", where=f"agenda, session {number}", mend=mend)


def _session_problems(session: Session, curriculum: Curriculum) -> Iterator[tuple[str, str]]:
    if not math.isfinite(session.day):
        yield f"there is no day {session.day}", "Count days from 0."
    if isinstance(session, Talk):
        if session.unit and session.unit not in curriculum.units:
            yield f"'{curriculum.name}' has no unit '{session.unit[:80]}'", _units_of(session.grade, curriculum)
        elif not session.unit and session.grade not in curriculum.grades:
            grades = ", ".join(map(str, curriculum.grades))
            yield f"'{curriculum.name}' has no unit of grade {session.grade} to pick", f"It has grades {grades}."
    elif isinstance(session, Exam):
        for question in session.questions:
            unit = curriculum.units.get(question.unit)
            if unit is None:
                yield f"'{curriculum.name}' has no unit '{question.unit[:80]}'", _units_of(session.grade, curriculum)
            elif question.item not in (item.id for item in unit.items):
                items = ", ".join(item.id for item in unit.items)
                yield f"unit '{unit.id}' has no item '{question.item[:80]}'", f"It has {items}."
    elif isinstance(session, Pause) and session.episodes < 0:
        yield "a pause has no fewer than 0 episodes", "Give 0 or more."


def _units_of(grade: int, curriculum: Curriculum) -> str:
    there = ", ".join(unit.id for unit in curriculum.units_of(grade)[:10])
    return f"Units of grade {grade} are {there}." if there else ""


def check_saved(saved: Mapping[str, Saved], people: Collection[str], curriculum: Curriculum) -> None:
    """Refuse saved learners that are not in the cohort, or that have learned by another curriculum."""
    for name, one in saved.items():
        if name not in people:
            raise StudyError(
                f"nobody in the cohort is called '{name[:80]}'.", where="saved", mend="Save under a learner's name."
            )
        for problem in memory_problems(one, curriculum):
            raise StudyError(f"{problem}.", where=f"saved '{name[:80]}'", mend=_MEND)


def memory_problems(saved: Saved, curriculum: Curriculum) -> Iterator[str]:
    """What no learner of a curriculum can have saved, and a model could not go on with."""
    memory = saved.memory
    if saved.session < 1 or memory.lived < len(memory.episodes) or not 0 <= memory.confidence <= 1:
        yield "the numbers of the learner cannot be"
    yield from _concept_problems(memory, curriculum)
    yield from _episode_problems(memory, curriculum)
    subjects = {subject.id for subject in curriculum.subjects}
    for name, skill in memory.skills.items():
        if name not in subjects or skill.level not in METACOGNITION:
            yield f"the skills in '{name[:80]}' cannot be"
    if not curriculum.units.keys() >= {*saved.notes.taught, *saved.notes.shown, *saved.notes.last}:
        yield "the curriculum lacks a unit of the tutor's notes"


def _concept_problems(memory: Memory, curriculum: Curriculum) -> Iterator[str]:
    for name, node in memory.concepts.items():
        if name not in curriculum.concepts or node.concept != name:
            yield f"the curriculum has no concept '{name[:80]}'"
        if any(unit not in curriculum.units for unit in node.units):
            yield f"the curriculum lacks a unit that is remembered of '{name[:80]}'"
        if not all(_possible(grasp) for grasp in (node.grasp, *node.units.values())):
            yield f"the numbers of '{name[:80]}' cannot be"


def _episode_problems(memory: Memory, curriculum: Curriculum) -> Iterator[str]:
    before = 0
    for episode in memory.episodes:
        if not (math.isfinite(episode.day) and 0 <= episode.grade <= 13 and 0 <= episode.emotion <= 1):
            yield f"the numbers of episode {episode.number} cannot be"
        if not before < episode.number <= memory.lived:
            yield f"episode {episode.number} cannot come after {before} of {memory.lived}"
        if episode.unit not in curriculum.units:
            yield f"the curriculum lacks the unit of episode {episode.number}"
        before = episode.number


def _possible(grasp: Grasp) -> bool:
    return 0 <= grasp.mastery <= 1 and 0.5 <= grasp.strength <= 1000 and math.isfinite(grasp.day)
