"""From whatever a user gives to one validated scenario."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.base import Document
from eduverse_mesa.scenarios.checks import check_lesson, check_roll, check_scenario
from eduverse_mesa.scenarios.cohort import Cohort
from eduverse_mesa.scenarios.curriculum import Curriculum, Subject
from eduverse_mesa.scenarios.gathering import load_collaboration
from eduverse_mesa.scenarios.includes import Include, Written, expect_kind, include_all, read_given
from eduverse_mesa.scenarios.item_keys import check_curriculum, check_subject
from eduverse_mesa.scenarios.layout import Layout
from eduverse_mesa.scenarios.layout_checks import check_layout
from eduverse_mesa.scenarios.lesson import Lesson
from eduverse_mesa.scenarios.library import Kind, find, is_path, list_names
from eduverse_mesa.scenarios.overrides import Override
from eduverse_mesa.scenarios.parameters import find_problems as check_parameters
from eduverse_mesa.scenarios.people import ClassRoll
from eduverse_mesa.scenarios.plain import Plain, Reading, Spot, Trail, exists, read_object, value_at
from eduverse_mesa.scenarios.posing import load_problem
from eduverse_mesa.scenarios.problems import Problem, refuse
from eduverse_mesa.scenarios.reading import read_file
from eduverse_mesa.scenarios.sampler import sample_class
from eduverse_mesa.scenarios.scenario import Scenario
from eduverse_mesa.scenarios.seats import expand_seats, rows_for
from eduverse_mesa.scenarios.teaching import check_cohort, load_tutoring
from eduverse_mesa.scenarios.validating import examine, validate

DEFAULT_SCENARIO = "first_lesson"
_MOST_SESSIONS = 1000
_DRAWN = (("students",), ("teacher",))
"""What there is of a sampled class only after it was drawn."""


def load_scenario(
    source: Include | Written | None = None,
    *,
    layout: Include | None = None,
    lesson: Include | None = None,
    lessons: Include | Sequence[Include] | None = None,
    students: Include | int | None = None,
    sessions: int | None = None,
    steps: int | None = None,
    settings: Mapping[str, object] | None = None,
) -> Scenario:
    """A scenario from the name of a built-in one, a path, a mapping, or the default, with parts of it exchanged.

    `layout`, `lesson` or `lessons`, and `students` (a class) are names, paths or mappings. A number of `students`
    samples a class of that size, under the scenario's own teacher if it has one; if no layout is given and the
    scenario's has too few seats, the class sits in rows made for it. `sessions` takes the first lessons of several; a
    single lesson is repeated. `settings` are dotted keys into the scenario (`class.students.Li Wei.seat`) or, shorter,
    into its settings (`gate.threshold`), with values as in a file: text is read as YAML. Every mistake is a
    ScenarioError.
    """
    if lesson is not None and lessons is not None:
        raise ScenarioError("both a lesson and lessons are given.", mend="Give one of the two.")
    reading, file = _open(source)
    label = reading.spot(()).label
    if layout is not None:
        _put_given(reading, "layout", layout, file)
    if (given := lessons if lesson is None else lesson) is not None:
        _put_lessons(reading, given, file)
    if students is not None and not isinstance(students, int):
        _put_given(reading, "class", students, file)
    include_all(reading, file)
    if isinstance(students, int):
        _put_sample(reading, students, fit=layout is None)
    if sessions is not None:
        _take_sessions(reading, sessions)
    if steps is not None:
        Override("steps", steps, "steps").apply(reading)
    return _finish(reading, [Override(str(key), value) for key, value in (settings or {}).items()], file, label)


_CHECKS: Mapping[type[Document], Callable[[Any, Reading], Iterable[Problem]]] = {
    Layout: check_layout,
    ClassRoll: check_roll,
    Cohort: check_cohort,
    Lesson: check_lesson,
    Subject: check_subject,
    Curriculum: check_curriculum,
}
"""Checks of a document whose values are valid one by one."""


def load_document(kind: Kind, source: Include) -> Document:
    """A document of any kind by itself, checked as far as it can be without the others."""
    if kind == "scenario":
        return load_scenario(source)
    if kind == "tutoring":
        return load_tutoring(source)
    if kind == "problem":
        return load_problem(source)
    if kind == "collaboration":
        return load_collaboration(source)
    reading = read_given(kind, source, kind, None)
    if kind == "curriculum":
        include_all(reading, None)
    label = reading.spot(()).label
    document: Document = validate(kind, reading, label)
    for model, check in _CHECKS.items():
        if isinstance(document, model):
            refuse(check(document, reading), label)
    return document


def _open(source: Include | Written | None) -> tuple[Reading, Path | None]:
    """The scenario as it was written, and its file if it is the user's own."""
    file: Path | None = None
    if isinstance(source, Written):
        reading, file = source.copied(), source.file
    elif source is None:
        reading = find("scenario", DEFAULT_SCENARIO).read()
    elif isinstance(source, Path) or (isinstance(source, str) and is_path(source)):
        file = Path(source)
        reading = read_file(file, list_names("scenario"))
    elif isinstance(source, str):
        reading = find("scenario", source).read()
    else:
        reading = read_object(source, "the scenario")
    expect_kind(reading, "scenario")
    return reading, file


def _put_given(reading: Reading, kind: Literal["layout", "class"], given: Include, file: Path | None) -> None:
    argument = {"layout": "layout", "class": "students"}[kind]
    reading.put((kind,), read_given(kind, given, argument, file))
    reading.keys[(kind,)] = Spot(f"{argument}={given}" if isinstance(given, str | Path) else argument)


def _put_lessons(reading: Reading, given: Include | Sequence[Include], file: Path | None) -> None:
    several = [given] if isinstance(given, str | Path | Mapping | BaseModel) else list(given)
    reading.put(("lessons",), Reading([None for _ in several], {(): Spot("lesson")}))
    for index, one in enumerate(several):
        reading.put(("lessons", index), read_given("lesson", one, "lesson", file))
        reading.keys["lessons", index] = Spot(f"lesson={one}" if isinstance(one, str | Path) else "lesson")


def _put_sample(reading: Reading, size: int, *, fit: bool) -> None:
    """A class of a size: the scenario's own sample if it has one, else one in the language of the first lesson."""
    label = f"students={size}"
    data = reading.data
    assert isinstance(data, dict)
    roll = data.get("class")
    roll = roll if isinstance(roll, dict) else {}
    sample = roll.get("sample")
    if not isinstance(sample, dict):
        sample = {"language": _language(data.get("lessons"))}
    sampled: Plain = {"name": f"sample_{size}", "sample": {**sample, "size": size}}
    if isinstance(sampled, dict) and "teacher" in roll:
        sampled["teacher"] = deepcopy(roll["teacher"])
    reading.put(("class",), Reading(sampled, {(): Spot(label)}))
    if fit and size > 0 and isinstance(data.get("layout"), dict):
        room = validate("layout", reading.part(("layout",)), reading.spot(("layout",)).label)
        refuse(check_layout(room, reading.part(("layout",))), reading.spot(("layout",)).label)
        if len(expand_seats(room)) < size:
            reading.put(("layout",), read_object(_rows(size, label), label))


def _rows(size: int, label: str) -> Layout:
    """Rows for a class, under another name than rows_for gives: a built-in layout of another room may have that."""
    try:
        return rows_for(size).model_copy(update={"name": f"rows_for_{size}"})
    except ScenarioError as error:
        raise ScenarioError(error.message, where=label, mend=error.mend) from None


def _language(lessons: Plain) -> str:
    first = lessons[0] if isinstance(lessons, list) and lessons else None
    language = first.get("language") if isinstance(first, dict) else None
    return language if isinstance(language, str) else "en"


def _take_sessions(reading: Reading, sessions: int) -> None:
    """The first lessons of several; one lesson is given again and again, under numbered names."""
    label = f"sessions={sessions}"[:80]
    data = reading.data
    assert isinstance(data, dict)
    lessons = data.get("lessons")
    if not isinstance(lessons, list) or not lessons or ("lessons", 0) in reading.missing:  # validation says so
        return
    if not isinstance(sessions, int) or isinstance(sessions, bool) or sessions < 1:
        raise ScenarioError(f"{sessions} lessons cannot be held.", where=label, mend="Give a number from 1 on.")
    if sessions > _MOST_SESSIONS:
        raise ScenarioError(f"{sessions} lessons are too many.", where=label, mend=f"{_MOST_SESSIONS} is the most.")
    if sessions > len(lessons) > 1:
        raise ScenarioError(
            f"the scenario has {len(lessons)} lessons.",
            where=label,
            mend=f"Give a number up to {len(lessons)}, or name more lessons. (Only a single lesson is repeated.)",
        )
    once = reading.part(("lessons", 0))
    del lessons[sessions:]
    for number in range(len(lessons) + 1, sessions + 1):
        lessons.append(None)
        again = Reading(deepcopy(once.data), once.values, once.keys)
        if isinstance(again.data, dict) and isinstance(again.data.get("name"), str):
            again.data["name"] = f"{again.data['name']} ({number})"
        reading.put(("lessons", number - 1), again)


def _finish(reading: Reading, overrides: list[Override], file: Path | None, label: str) -> Scenario:
    """Change single values, draw the class if it is a sample, and check how the parts fit together."""
    late: list[Override] = []
    for override in () if reading.missing else overrides:
        if _is_drawn(reading, override):
            late.append(override)
        else:
            override.apply(reading)
            include_all(reading, file)
    scenario: Scenario
    scenario, wrong = examine("scenario", reading)
    if wrong:
        refuse([*wrong, *_check_parts(reading)], label)
    if scenario.roll.sample:
        refuse(check_roll(scenario.roll, reading, ("class",)), label)
        reading.put(("class",), read_object(draw_class(scenario.roll), reading.spot(("class",)).label))
        for override in late:
            override.apply(reading)
        scenario = validate("scenario", reading, label)
    refuse(check_scenario(scenario, reading), label)
    return scenario


def _check_parts(reading: Reading) -> Iterator[Problem]:
    """What is wrong with each part that is valid by itself, where the whole is not: one mistake hides no other."""
    roll = _part("class", reading, ("class",))
    if roll is not None:
        yield from check_roll(roll, reading, ("class",))
        if (layout := _part("layout", reading, ("layout",))) is not None:
            groups = {student.group for student in roll.students if student.group is not None}
            yield from check_layout(layout, reading, ("layout",), groups)
    lessons = value_at(reading.data, ("lessons",)) if exists(reading.data, ("lessons",)) else None
    for index in range(len(lessons) if isinstance(lessons, list) else 0):
        if (lesson := _part("lesson", reading, ("lessons", index))) is not None:
            yield from check_lesson(lesson, reading, ("lessons", index))
    place: Trail = ("settings", "parameters")
    given = value_at(reading.data, place) if exists(reading.data, place) else None
    numbers = given.items() if isinstance(given, dict) else ()
    known = {name: float(one) for name, one in numbers if isinstance(one, int | float) and not isinstance(one, bool)}
    yield from check_parameters(known, reading)


def _part(kind: Kind, reading: Reading, trail: Trail) -> Any:
    """A part of a scenario, if it is there and valid by itself."""
    there = exists(reading.data, trail) and isinstance(value_at(reading.data, trail), dict)
    return examine(kind, reading.part(trail))[0] if there else None


def _is_drawn(reading: Reading, override: Override) -> bool:
    """Whether an override is about something that is there only when the class has been drawn."""
    roll = reading.data.get("class") if isinstance(reading.data, dict) else None
    sampled = isinstance(roll, dict) and "sample" in roll
    return sampled and override.segments[0] == "class" and override.segments[1:2] in _DRAWN


def draw_class(roll: ClassRoll) -> ClassRoll:
    """The class of a roll with a sample, under its own name, with its own teacher if it has one."""
    assert roll.sample is not None
    drawn = sample_class(roll.sample, roll.name)
    return drawn.model_copy(
        update={
            "teacher": roll.teacher or drawn.teacher,
            "title": roll.title or drawn.title,
            "description": f"{roll.description} {drawn.description}".strip(),
        }
    )
