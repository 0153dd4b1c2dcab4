"""Catalogue of the built-in documents with their facts, and the reading of a file of any kind of document."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.base import Document
from eduverse_mesa.scenarios.curriculum import Curriculum, Subject
from eduverse_mesa.scenarios.files import read_file
from eduverse_mesa.scenarios.groups import Collaboration
from eduverse_mesa.scenarios.layout import Layout, expand_seats
from eduverse_mesa.scenarios.lesson import Lesson
from eduverse_mesa.scenarios.library import KINDS, Kind, all_names, as_kind, list_names
from eduverse_mesa.scenarios.loader import load_document
from eduverse_mesa.scenarios.people import ClassRoll
from eduverse_mesa.scenarios.plain import Reading
from eduverse_mesa.scenarios.problems import found_at
from eduverse_mesa.scenarios.scenario import Scenario
from eduverse_mesa.scenarios.tutoring import Cohort, Tutoring
from eduverse_mesa.scenarios.word_problem import WordProblem

# A key that only documents of this kind have.
_SIGNS: dict[str, Kind] = {
    "lessons": "scenario",
    "sectors": "layout",
    "students": "class",
    "sample": "class",
    "phases": "lesson",
    "curriculum": "tutoring",
    "subjects": "curriculum",
    "units": "subject",
    "learners": "cohort",
    "subtasks": "problem",
    "peers": "collaboration",
}


class Row(NamedTuple):
    """A line of a list of documents."""

    name: str
    title: str
    facts: str


def describe(kind: str) -> tuple[Row, ...]:
    """The built-in documents of a kind, each under the name it is called by."""
    kind = as_kind(kind)
    rows = []
    for name in list_names(kind):
        document = load_document(kind, name)
        rows.append(Row(name, document.title, state_facts(document)))
    return tuple(rows)


def load_file(path: str | Path) -> Document:
    """Return the document that a file holds, of whichever kind."""
    path = Path(path)
    return load_document(_kind_of(path), path)


def name_file(path: str | Path, document: Document) -> str:
    """A valid file in a few words: its kind and its facts."""
    return f"a valid {_kind_of(Path(path))}, {state_facts(document)}"


def state_facts(document: Document) -> str:
    """The facts of a document that fit in one line."""
    if isinstance(document, Layout):
        seats = len(expand_seats(document))
        return f"{document.grid.width} x {document.grid.height} cells, {_count(seats, 'seat')}"
    if isinstance(document, ClassRoll):
        if document.sample:
            return f"{_count(document.sample.size, 'sampled student')}, seed {document.sample.seed}"
        return _count(len(document.students), "student")
    if isinstance(document, Lesson):
        parts = f"{_count(len(document.goals), 'goal')}, {_count(len(document.questions), 'question')}"
        return f"{document.subject}, {document.genre} ({document.language}): {parts}"
    if isinstance(document, Subject | Curriculum | Cohort | Tutoring):
        return _facts_of_tutoring(document)
    if isinstance(document, WordProblem):
        mistakes = _count(len(document.misconceptions), "misconception")
        steps = _count(len(document.subtasks), "step")
        return f"grade {document.grade}, {document.difficulty} ({document.language}): {steps}, {mistakes}"
    if isinstance(document, Collaboration):
        return f"{', '.join(document.members)}: {_count(len(document.problems), 'problem')}"
    assert isinstance(document, Scenario)
    lessons = _count(len(document.lessons), "lesson")
    students = _count(len(document.roll.students), "student")
    return (
        f"{lessons}, {students}, layout {document.layout.name}: {', '.join(lesson.name for lesson in document.lessons)}"
    )


def _facts_of_tutoring(document: Subject | Curriculum | Cohort | Tutoring) -> str:
    if isinstance(document, Subject):
        return f"{_count(len(document.concepts), 'concept')}, {_count(len(document.units), 'unit')}"
    if isinstance(document, Curriculum):
        first, last = document.grades[0], document.grades[-1]
        return (
            f"grades {first} to {last}, {_count(len(document.concepts), 'concept')}, "
            f"{_count(len(document.units), 'unit')}: {', '.join(subject.name for subject in document.subjects)}"
        )
    if isinstance(document, Cohort):
        if document.sample:
            return f"{_count(document.sample.size, 'sampled learner')}, seed {document.sample.seed}"
        return _count(len(document.learners), "learner")
    first, last = document.settings.grades
    learners = _count(len(document.cohort.learners), "learner")
    return f"{learners}, curriculum {document.curriculum.name}, grades {first} to {last}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _kind_of(path: Path) -> Kind:
    return kind_of(read_file(path, all_names()))


def kind_of(reading: Reading) -> Kind:
    """Return the kind of a document: the one that it names, or else the one that it looks like."""
    data = reading.data
    if isinstance(data, dict):
        if (said := data.get("kind")) in KINDS:
            return as_kind(str(said))
        for sign, kind in _SIGNS.items():
            if sign in data:
                return kind
    else:
        raise ScenarioError(
            f"expected YAML, `key: value` lines; found {found_at(reading, ())}.",
            where=reading.spot(()).label,
            mend="Save it as YAML: TOML, JSON lines and the like are not read.",
        )
    raise ScenarioError(
        "this is neither a scenario nor a layout, class or lesson.",
        where=reading.spot(()).label,
        mend=f"Say what it is: `kind: scenario` (or {', '.join(kind for kind in KINDS if kind != 'scenario')}).",
    )
