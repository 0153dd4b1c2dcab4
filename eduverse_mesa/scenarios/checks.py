"""What only shows when the parts of a scenario meet: names, seats, and lessons that build on one another."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.base import Place
from eduverse_mesa.scenarios.layout import Layout
from eduverse_mesa.scenarios.layout_checks import check_layout, list_some, off_grid_message, on_grid
from eduverse_mesa.scenarios.lesson import Goal, Lesson
from eduverse_mesa.scenarios.library import find, list_names
from eduverse_mesa.scenarios.parameters import find_problems as check_parameters
from eduverse_mesa.scenarios.people import ADD_TEACHER, NO_TEACHER, ClassRoll
from eduverse_mesa.scenarios.plain import Reading, Trail
from eduverse_mesa.scenarios.problems import Problem, show, suggest
from eduverse_mesa.scenarios.sampler import find_mistakes
from eduverse_mesa.scenarios.scenario import Scenario
from eduverse_mesa.scenarios.seats import expand_seats

_TURNING = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
_ADDRESSEES = frozenset({"class", "teacher", "group"})
"""Words that stand for somebody else wherever a student's name could stand."""


def check_scenario(scenario: Scenario, reading: Reading) -> Iterator[Problem]:
    """All problems of a scenario whose values are valid one by one."""
    groups = {student.group for student in scenario.roll.students if student.group is not None}
    yield from check_layout(scenario.layout, reading, ("layout",), groups)
    yield from check_roll(scenario.roll, reading, ("class",))
    yield from _check_seating(scenario, reading)
    yield from check_lessons(scenario.lessons, reading, ("lessons",))
    yield from check_parameters(scenario.settings.parameters, reading)


def check_roll(roll: ClassRoll, reading: Reading, at: Trail = ()) -> Iterator[Problem]:
    """A class without a teacher, names that could be mixed up, and samples that cannot be drawn."""
    if roll.teacher is None and roll.sample is None:
        yield Problem(reading.spot(at), at, NO_TEACHER, ADD_TEACHER)
    teacher = {fold(roll.teacher.name): "the teacher"} if roll.teacher else {}
    taken = {**{word: f"the word '{word}'" for word in _ADDRESSEES}, **teacher}
    for index, student in enumerate(roll.students):
        place = (*at, "students", index, "name")
        folded = fold(student.name)
        if folded in taken:
            message = f"the name '{student.name}' cannot be told from {taken[folded]}"
            yield Problem(reading.spot(place), place, message, "Rename one: people are spoken to by their names.")
        if len(student.name.splitlines()) > 1:
            yield Problem(reading.spot(place), place, "the name goes over several lines", "Write it in one line.")
        taken.setdefault(folded, f"student {index + 1}, '{student.name}'")
    if roll.sample:
        for trail, message, mend in find_mistakes(roll.sample):
            place = (*at, "sample", *trail)
            yield Problem(reading.spot(place), place, message, mend)


def fold(name: str) -> str:
    """A name without the differences that a reader does not see or hear."""
    seen = "".join(character for character in name if unicodedata.category(character) != "Cf")  # zero-width and such
    return " ".join(unicodedata.normalize("NFKC", seen).casefold().split())


def turning_sign(name: str) -> str:
    """A sign in a name that nobody sees, and that turns round what stands behind it, also on pages and in tables."""
    return next((f"U+{ord(sign):04X}" for sign in name if unicodedata.bidirectional(sign) in _TURNING), "")


def check_lessons(lessons: Iterable[Lesson], reading: Reading, at: Trail) -> Iterator[Problem]:
    """Lessons of one name, and goals that need what is taught too late or nowhere."""
    names: dict[str, int] = {}
    taught: set[str] = set()
    course = list(lessons)
    anywhere = {goal.id for lesson in course for goal in lesson.goals}
    for index, lesson in enumerate(course):
        first = names.setdefault(fold(lesson.name), index)
        if first != index:
            place = (*at, index, "name")
            message = f"lesson {index + 1} is called '{lesson.name}' like lesson {first + 1}"
            mend = "Rename one of the two, or leave one out."
            yield Problem(reading.key_spot((*at, index)), place, message, mend)
        taught |= {goal.id for goal in lesson.goals}
        yield from _check_needs(lesson, taught, anywhere, reading, (*at, index))


def check_lesson(lesson: Lesson, reading: Reading, at: Trail = ()) -> Iterator[Problem]:
    """What nobody has confirmed, answers that are missing, and goals that need one another in a circle. What an earlier
    lesson has to teach shows only in a course."""
    for mark in lesson.unconfirmed:
        trail = (*at, *(lesson.place_of(mark) or ()))
        if text := _at(lesson, mark):
            what = (
                f"this was made up or guessed when the outline was imported, and nobody has confirmed it: {show(text)}"
            )
            mend = f"Read it, change it if need be, and take '{mark}' out of `unconfirmed`."
        else:
            what = "the imported outline does not say this, and nobody has confirmed it: it is empty"
            may = ", or leave it empty," if mark.endswith(".misconception") else ""
            mend = f"Fill it in{may} and take '{mark}' out of `unconfirmed`."
        yield Problem(reading.spot(trail), trail, what, mend, "unconfirmed")
    for number, question in enumerate(lesson.questions):
        for key in ("answer", "short_answer"):
            if not getattr(question, key) and f"{question.id}.{key}" not in lesson.unconfirmed:
                trail = (*at, "questions", number, key)
                yield Problem(reading.spot(trail), trail, "this is empty", "Write what a student answers who knows it.")
    if circle := _circle({goal.id: goal for goal in lesson.goals}):
        trail = (*at, "goals")
        message = f"goals need one another in a circle: {' needs '.join(circle)}"
        yield Problem(reading.spot(trail), trail, message, "Take one of these needs out.")


def _at(lesson: Lesson, mark: str) -> str:
    place = lesson.place_of(mark) or ()
    value: object = lesson
    for step in place:
        value = value[step] if isinstance(step, int) and isinstance(value, tuple) else getattr(value, str(step))
    return str(value)


def _check_needs(
    lesson: Lesson, taught: set[str], anywhere: set[str], reading: Reading, at: Trail
) -> Iterator[Problem]:
    for number, goal in enumerate(lesson.goals):
        for place, need in enumerate(goal.needs):
            trail = (*at, "goals", number, "needs", place)
            # A second lesson may be run by itself: the class then comes without what the first one would have given.
            by_itself = lesson.series is not None and need not in anywhere and not suggest(need, taught)
            if need not in taught and not by_itself:
                message = f"goal '{goal.id}' needs '{need}', which is no goal of this or an earlier lesson"
                taught_by = ", ".join(f"'{name}'" for name in _lessons_with(need)) or "that has it"
                mend = f"{suggest(need, taught)}Put the lesson {taught_by} first, or take the need out."
                yield Problem(reading.spot(trail), trail, message, mend)
    yield from check_lesson(lesson, reading, at)


def _lessons_with(goal: str) -> list[str]:
    """The built-in lessons that have a goal of this id."""
    return [name for name in list_names("lesson") if goal in _goals_of(name)]


@cache
def _goals_of(lesson: str) -> frozenset[str]:
    data = find("lesson", lesson).read().data
    goals = data.get("goals") if isinstance(data, dict) else None
    named = (goal.get("id") for goal in goals or () if isinstance(goal, dict)) if isinstance(goals, list) else ()
    return frozenset(name for name in named if isinstance(name, str))


def _circle(goals: Mapping[str, Goal]) -> list[str]:
    """A goal that needs itself by way of others, with the way; empty if there is none."""
    open_needs = {name: [need for need in goal.needs if need in goals] for name, goal in goals.items()}
    while free := [name for name, needs in open_needs.items() if not any(need in open_needs for need in needs)]:
        for name in free:
            del open_needs[name]
    if not open_needs:
        return []
    way = [next(iter(open_needs))]
    while way[-1] not in way[:-1]:
        way.append(next(need for need in open_needs[way[-1]] if need in open_needs))
    return way[way.index(way[-1]) :]


def _check_seating(scenario: Scenario, reading: Reading) -> Iterator[Problem]:
    layout, students = scenario.layout, scenario.roll.students
    try:
        seats = {seat.id: seat.at for seat in expand_seats(layout)}
    except ScenarioError:  # check_layout says why
        return
    names = {student.name for student in students}
    for name in scenario.seating:
        if name not in names:
            place = ("seating", name)
            mend = f"{suggest(name, names)}Students: {list_some(sorted(names))}. The setting `seating={{}}` empties it."
            yield Problem(reading.key_spot(place), place, f"there is no student '{name}'", mend)
    wishes = _wishes(scenario)
    furniture = _furniture(layout)
    sitting: dict[Place, str] = {}
    for name, (trail, wish) in wishes.items():
        spot = reading.spot(trail)
        if isinstance(wish, str) and wish not in seats:
            mend = f"{suggest(wish, seats)}Seats: {list_some(seats)}."
            yield Problem(spot, trail, f"the layout '{layout.name}' has no seat '{wish}'", mend)
            continue
        cell = seats[wish] if isinstance(wish, str) else wish
        if not on_grid(cell, layout):
            yield Problem(spot, trail, off_grid_message(layout), "Choose another cell.")
        elif cell in furniture:
            yield Problem(spot, trail, f"in cell {list(cell)} is {furniture[cell]}", "Choose another cell.")
        elif cell in sitting:
            yield Problem(spot, trail, f"{name} would sit where {sitting[cell]} sits", "Give one of them another seat.")
        sitting.setdefault(cell, name)
    free, waiting = set(seats.values()) - set(sitting), len(students) - len(wishes)
    if waiting > len(free):
        yield _too_few(scenario, len(seats), reading)


def _wishes(scenario: Scenario) -> dict[str, tuple[Trail, str | Place]]:
    """Who is to sit where by the seating, or else by the class."""
    wishes: dict[str, tuple[Trail, str | Place]] = {}
    for index, student in enumerate(scenario.roll.students):
        if student.name in scenario.seating:
            wishes[student.name] = (("seating", student.name), scenario.seating[student.name])
        elif student.seat is not None:
            wishes[student.name] = (("class", "students", index, "seat"), student.seat)
    return wishes


def _furniture(layout: Layout) -> dict[Place, str]:
    objects = (thing for sector in layout.sectors for arena in sector.arenas for thing in arena.objects)
    return {thing.at: f"the object '{thing.name}'" for thing in objects} | {layout.teacher: "the teacher"}


def _too_few(scenario: Scenario, seats: int, reading: Reading) -> Problem:
    count = len(scenario.roll.students)
    message = f"the layout '{scenario.layout.name}' has {seats} seats for {count} students"
    mend = (
        "Choose a layout with more seats (`eduverse list layouts` shows how many) or a smaller class; "
        "a class given by number without a layout gets rows that fit."
    )
    return Problem(reading.key_spot(("layout",)), ("layout",), message, mend)
