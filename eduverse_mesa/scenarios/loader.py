"""From whatever a user gives to one validated document: a scenario, a problem, a collaboration or a tutoring
document."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.base import Document
from eduverse_mesa.scenarios.checks import (
    check_curriculum,
    check_layout,
    check_lesson,
    check_roll,
    check_scenario,
    check_subject,
    fold,
    turning_sign,
)
from eduverse_mesa.scenarios.curriculum import Curriculum, Subject
from eduverse_mesa.scenarios.files import read_file
from eduverse_mesa.scenarios.groups import Collaboration
from eduverse_mesa.scenarios.includes import Include, Written, expect_kind, include_all, read_given
from eduverse_mesa.scenarios.layout import Layout, expand_seats, rows_for
from eduverse_mesa.scenarios.lesson import Lesson
from eduverse_mesa.scenarios.library import Kind, find, is_path, list_names
from eduverse_mesa.scenarios.overrides import Override
from eduverse_mesa.scenarios.parameters import LEARNER_BOOK, PEER_BOOK, find_problems
from eduverse_mesa.scenarios.parameters import find_problems as check_parameters
from eduverse_mesa.scenarios.people import ClassRoll
from eduverse_mesa.scenarios.plain import Plain, Reading, Spot, Trail, exists, read_object, value_at
from eduverse_mesa.scenarios.problems import MODELS, Problem, explain, refuse
from eduverse_mesa.scenarios.proof import check_kept_problem, check_word_problem
from eduverse_mesa.scenarios.sampler import find_mistakes, sample_class
from eduverse_mesa.scenarios.scenario import Scenario
from eduverse_mesa.scenarios.tutoring import EVERY_GRADE, Cohort, Learner, Tutoring
from eduverse_mesa.scenarios.word_problem import DIFFICULTIES, WordProblem


def validate(kind: Kind, reading: Reading, label: str) -> Any:
    """The document that plain data are; strictly, as in JSON: no number stands for text, no text for a number."""
    document, wrong = examine(kind, reading)
    refuse(wrong, label)
    return document


def examine(kind: Kind, reading: Reading) -> tuple[Any, list[Problem]]:
    """The same, with all that is wrong instead of an error: parts that are missing, and values that are not valid."""
    wrong = [_absent(reading.spot(trail), error) for trail, error in reading.missing.items()]
    try:
        return MODELS[kind].model_validate_json(json.dumps(reading.data), strict=True), wrong
    except ValidationError as error:
        found = explain(error, kind, reading)
    inside = [one for one in found if not any(one.trail[: len(at)] == at for at in reading.missing)]
    return None, [*wrong, *inside]


def _absent(spot: Spot, error: ScenarioError) -> Problem:
    """A part that is missing; where it is there and cannot be read, the place is its own."""
    where = spot if error.where == str(spot) else Spot(error.where)
    return Problem(where, (), error.message.removesuffix("."), error.mend)


def load_problem(source: Include) -> WordProblem:
    """A problem by its name, a path or a mapping. Every mistake is a ScenarioError that says where and how to mend."""
    reading = read_given("problem", source, "problem", None)
    label = reading.spot(()).label
    problem: WordProblem = validate("problem", reading, label)
    refuse(check_word_problem(problem, reading), label)
    return problem


def built_in_problems(language: str = "en") -> tuple[WordProblem, ...]:
    """The built-in problems of a language, by grade and then from easy to hard."""
    return tuple(
        sorted(
            (problem for problem in _all_built_in() if problem.language == language),
            key=lambda problem: (problem.grade, DIFFICULTIES.index(problem.difficulty), problem.name),
        )
    )


@cache
def _all_built_in() -> tuple[WordProblem, ...]:
    return tuple(load_problem(name) for name in list_names("problem"))


DEFAULT_COLLABORATION = "alice_and_bob"
_IN_LANGUAGES = {"zh": "xiaoyu_and_xiaohang"}
Prove = Callable[[WordProblem, Reading], list[Problem]]
COLLABORATION = tuple(Collaboration.model_fields)


def load_collaboration(
    source: Include | Written | None = None,
    *,
    problem: Include | None = None,
    arm: str | None = None,
    seats: Sequence[str] | None = None,
    settings: Mapping[str, object] | None = None,
) -> Collaboration:
    """A collaboration from the name of a built-in one, a path, a mapping, or the default: two peers, nine problems.

    `problem` is the name of one of its problems, or of a built-in one, a path or a mapping: the group works on this
    one. `arm` and `settings` (dotted keys) change the rules, `seats` names who of flesh and blood is there.
    """
    changes: dict[str, object] = dict(settings or {})
    if arm is not None:
        changes["settings.arm"] = arm
    if isinstance(source, Collaboration):
        found = source
    elif source is None:
        found = _default(_language_of(problem))
    else:
        found, changes, seats = _read(source, changes, seats), {}, None
    if changes or seats is not None:
        found = _read(found.model_dump(mode="json"), changes, seats)
    return _with_problem(found, problem)


def kept_collaboration(document: Mapping[str, object]) -> Collaboration:
    """A collaboration that a study keeps. Its problems were proved when they were given."""
    return _read(document, {}, None, prove=check_kept_problem)


def _language_of(problem: Include | None) -> str:
    """The language in which a group talks that nobody has named: that of its problem."""
    if isinstance(problem, WordProblem):
        return problem.language
    if problem is None or any(one.name == problem for one in _default("en").problems):
        return "en"
    return load_problem(problem).language.replace("_", "-").split("-")[0]


@lru_cache(maxsize=4)
def _default(language: str) -> Collaboration:
    """The built-in one, read once: its problems are proved each time they are read."""
    return _read(_IN_LANGUAGES.get(language, DEFAULT_COLLABORATION), {}, None)


def _read(
    source: Include | Written,
    settings: Mapping[str, object],
    seats: Sequence[str] | None,
    *,
    prove: Prove = check_word_problem,
) -> Collaboration:
    file: Path | None = None
    if isinstance(source, Written):
        reading, file = source.reading.copied(), source.file
    elif isinstance(source, Path) or (isinstance(source, str) and is_path(source)):
        file = Path(source)
        reading = read_file(file, list_names("collaboration"))
    elif isinstance(source, str):
        reading = find("collaboration", source).read()
    else:
        reading = read_object(source, "the collaboration")
    expect_kind(reading, "collaboration")
    if seats is not None:
        Override("seats", list(seats), "seats", top=COLLABORATION).apply(reading)
    for key, value in settings.items():
        Override(str(key), value, top=COLLABORATION).apply(reading)
    include_all(reading, file)
    label = reading.spot(()).label
    found: Collaboration = validate("collaboration", reading, label)
    refuse(_check(found, reading, prove), label)
    return found


def _check(found: Collaboration, reading: Reading, prove: Prove) -> Iterator[Problem]:
    names = [one.name for one in found.problems]
    known = {mistake.id for one in found.problems for mistake in one.misconceptions}
    for index, one in enumerate(found.problems):
        place: Trail = ("problems", index)
        yield from prove(one, reading.part(place))
        if names.index(one.name) < index:
            yield Problem(reading.spot(place), place, f"the problem '{one.name}' is there twice", "Keep one of them.")
    for index, peer in enumerate(found.peers):
        if peer.misconception is not None and peer.misconception not in known:
            place = ("peers", index, "misconception")
            message = f"'{peer.misconception}' is no misconception of these problems"
            yield Problem(reading.spot(place), place, message, f"Known: {', '.join(sorted(known))}.")
    yield from find_problems(found.settings.parameters, reading, PEER_BOOK)


def _with_problem(found: Collaboration, problem: Include | None) -> Collaboration:
    if problem is None:
        return found
    chosen = problem if isinstance(problem, WordProblem) else None
    chosen = chosen or next((one for one in found.problems if one.name == problem), None)
    return found.model_copy(update={"problems": (chosen or load_problem(problem),)})


DEFAULT_TUTORING = "growing_up"


def load_tutoring(
    source: Include | Written | None = None,
    *,
    curriculum: Include | None = None,
    cohort: Include | None = None,
    learners: int | None = None,
    settings: Mapping[str, object] | None = None,
) -> Tutoring:
    """A tutoring document from the name of a built-in one, a path, a mapping, or the default, with parts exchanged.

    `curriculum` and `cohort` are names, paths or mappings; a number of `learners` samples that many. `settings` are
    dotted keys into the document or, shorter, into its settings (`memory.law`). Every mistake is a ScenarioError.
    """
    reading, file = _tutoring_open(source)
    label = reading.spot(()).label
    if curriculum is not None:
        reading.put(("curriculum",), read_given("curriculum", curriculum, "curriculum", file))
    if cohort is not None:
        reading.put(("cohort",), read_given("cohort", cohort, "cohort", file))
    include_all(reading, file)
    if learners is not None:
        _tutoring_put_sample(reading, learners)
    for key, value in (settings or {}).items():
        Override(str(key), value, top=TUTORING).apply(reading)
        include_all(reading, file)
    found: Tutoring = validate("tutoring", reading, label)
    refuse(_tutoring_check(found, reading), label)
    if found.cohort.sample is None:
        return found
    return found.model_copy(update={"cohort": draw_cohort(found.cohort)})


TUTORING = tuple(Tutoring.model_fields)


def draw_cohort(cohort: Cohort) -> Cohort:
    """The cohort of a sample: the same traits as a sampled class, without what only a classroom has."""
    assert cohort.sample is not None
    drawn = sample_class(cohort.sample, cohort.name)
    learners = tuple(
        Learner(
            name=student.name,
            gender=student.gender,
            traits=student.traits,
            ability=student.ability,
            motivation=student.motivation,
        )
        for student in drawn.students
    )
    return cohort.model_copy(update={"learners": learners, "sample": None, "title": cohort.title or drawn.title})


def _tutoring_open(source: Include | Written | None) -> tuple[Reading, Path | None]:
    file: Path | None = None
    if isinstance(source, Written):
        reading, file = source.reading.copied(), source.file
    elif isinstance(source, Path) or (isinstance(source, str) and is_path(source)):
        file = Path(source)
        reading = read_file(file, list_names("tutoring"))
    elif source is None or isinstance(source, str):
        reading = find("tutoring", source or DEFAULT_TUTORING).read()
    else:
        reading = read_object(source, "the tutoring document")
    expect_kind(reading, "tutoring")
    return reading, file


def _tutoring_put_sample(reading: Reading, size: int) -> None:
    """A cohort of a size, as the document samples it if it does."""
    data = reading.data
    assert isinstance(data, dict)
    cohort = data.get("cohort")
    sample = cohort.get("sample") if isinstance(cohort, dict) else None
    given = {**(sample if isinstance(sample, dict) else {}), "size": size}
    reading.put(("cohort",), Reading({"name": f"sample_{size}", "sample": given}, {(): Spot(f"learners={size}")}))


def _tutoring_check(found: Tutoring, reading: Reading) -> Iterator[Problem]:
    yield from check_cohort(found.cohort, reading, ("cohort",))
    yield from check_curriculum(found.curriculum, reading, ("curriculum",))
    first, last = found.settings.grades
    place: Trail = ("settings", "grades")
    grades = found.curriculum.grades
    beyond = [grade for grade in (first, last) if not grades[0] <= grade <= grades[-1]]
    nothing = not any(first <= grade <= last for grade in grades)
    # Grades that nobody has named are those that the curriculum has of the usual ones.
    named = "grades" in found.settings.model_fields_set and found.settings.grades != EVERY_GRADE
    if nothing or (beyond and named):
        taught = ", ".join(map(str, grades))
        missing = f"grades {first} to {last}" if nothing else " and ".join(f"grade {grade}" for grade in beyond)
        message = f"the curriculum '{found.curriculum.name}' has nothing for {missing}"
        yield Problem(reading.spot(place), place, message, f"It has units for grades {taught}.")
    yield from find_problems(found.settings.parameters, reading, LEARNER_BOOK)


def check_cohort(cohort: Cohort, reading: Reading, at: Trail = ()) -> Iterator[Problem]:
    """Names that could be mixed up, and samples that cannot be drawn."""
    taken: dict[str, str] = {}
    for index, learner in enumerate(cohort.learners):
        place: Trail = (*at, "learners", index, "name")
        folded = fold(learner.name)
        if folded in taken:
            message = f"the name '{learner.name}' cannot be told from {taken[folded]}"
            yield Problem(reading.spot(place), place, message, "Rename one: learners are spoken to by their names.")
        if len(learner.name.splitlines()) > 1:
            yield Problem(reading.spot(place), place, "the name goes over several lines", "Write it in one line.")
        if turning := turning_sign(learner.name):
            yield Problem(
                reading.spot(place), place, f"the name holds {turning}, which turns words round", "Remove it."
            )
        taken.setdefault(folded, f"learner {index + 1}, '{learner.name}'")
    if cohort.sample is not None:
        for trail, message, mend in find_mistakes(cohort.sample):
            place = (*at, "sample", *trail)
            yield Problem(reading.spot(place), place, message, mend)


DEFAULT_SCENARIO = "first_lesson"
_MOST_SESSIONS = 1000
_DRAWN = (("students",), ("teacher",))
"""Parts of a sampled class that exist only after it was drawn."""


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
        reading, file = source.reading.copied(), source.file
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
    """Yield the problems of each part that is valid by itself, where the whole is not: one mistake hides no other."""
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
    """Return True if an override is about something that is there only when the class has been drawn."""
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
