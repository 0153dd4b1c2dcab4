"""Checks across the parts of a document: layouts, names, seats, lessons that build on one another, and curricula."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.marks import says
from eduverse_mesa.scenarios.base import Place
from eduverse_mesa.scenarios.curriculum import Curriculum, Item, Subject
from eduverse_mesa.scenarios.layout import Arena, Layout, Seat, Thing, expand_seats
from eduverse_mesa.scenarios.layout_rules import SeatRule
from eduverse_mesa.scenarios.lesson import Goal, Lesson
from eduverse_mesa.scenarios.library import find, list_names
from eduverse_mesa.scenarios.parameters import find_problems as check_parameters
from eduverse_mesa.scenarios.people import ADD_TEACHER, NO_TEACHER, ClassRoll
from eduverse_mesa.scenarios.plain import Reading, Trail
from eduverse_mesa.scenarios.problems import Problem, show, suggest
from eduverse_mesa.scenarios.sampler import find_mistakes
from eduverse_mesa.scenarios.scenario import Scenario

_MANY = 12


def check_layout(layout: Layout, reading: Reading, at: Trail = (), groups: Iterable[str] = ()) -> Iterator[Problem]:
    """Problems of a layout that stands at a trail; `groups` are those that students bring along."""
    cells = [*_check_cells(layout, reading, at), *_check_ids(layout, reading, at)]
    yield from cells
    yield from _check_arenas(layout, reading, at)
    seats = _all_seats(layout)
    if seats:
        yield from _check_opposites(layout, seats, reading, at)
        yield from _check_rules(layout, seats, set(groups), reading, at)
    elif seats is not None:
        mend = "List `seats` or give `patterns` (rows, circle, arc)."
        yield Problem(reading.spot(at), at, "there are no seats", mend)
    elif not cells:
        yield _pattern_problem(layout, reading, at)


def list_some(names: Iterable[str]) -> str:
    """Names for a message, not too many of them."""
    known = list(names)
    return ", ".join(known[:_MANY]) + (f" ... ({len(known)} in all)" if len(known) > _MANY else "")


def on_grid(cell: Place, layout: Layout) -> bool:
    """Return True if a cell is in the room; the first cell is (0, 0)."""
    return 0 <= cell[0] < layout.grid.width and 0 <= cell[1] < layout.grid.height


def off_grid_message(layout: Layout) -> str:
    """Return the message for a cell outside the room."""
    return f"this is off the grid, whose cells go from [0, 0] to [{layout.grid.width - 1}, {layout.grid.height - 1}]"


def _things(layout: Layout) -> Iterator[tuple[Trail, Arena, Thing]]:
    for s, sector in enumerate(layout.sectors):
        for a, arena in enumerate(sector.arenas):
            for o, thing in enumerate(arena.objects):
                yield ("sectors", s, "arenas", a, "objects", o), arena, thing


def _check_cells(layout: Layout, reading: Reading, at: Trail) -> Iterator[Problem]:
    """One thing per cell (Table A3): objects, the teacher, and the seats that are listed."""
    taken: dict[Place, str] = {}
    things: list[tuple[Trail, str, Place]] = [
        ((*trail, "at"), f"the object '{thing.name}'", thing.at) for trail, _, thing in _things(layout)
    ]
    things.append((("teacher",), "the teacher", layout.teacher))
    things += [(("seats", index, "at"), f"the seat '{seat.id}'", seat.at) for index, seat in enumerate(layout.seats)]
    for trail, what, cell in things:
        place = (*at, *trail)
        if not on_grid(cell, layout):
            yield Problem(reading.spot(place), place, off_grid_message(layout), "Move it, or enlarge the grid.")
        elif cell in taken:
            message = f"{what} is in cell {list(cell)}, where {taken[cell]} is already"
            yield Problem(reading.spot(place), place, message, "Move one of the two: a cell holds one thing.")
        else:
            taken[cell] = what


def _check_arenas(layout: Layout, reading: Reading, at: Trail) -> Iterator[Problem]:
    names: set[str] = set()
    for s, sector in enumerate(layout.sectors):
        for a, arena in enumerate(sector.arenas):
            left, top, right, bottom = arena.area
            inside = (
                left <= right and top <= bottom and on_grid((left, top), layout) and on_grid((right, bottom), layout)
            )
            if not inside:
                place = (*at, "sectors", s, "arenas", a, "area")
                message = (
                    f"{list(arena.area)} is no part of the grid of {layout.grid.width} x {layout.grid.height} cells"
                )
                yield Problem(
                    reading.spot(place), place, message, "Give left, top, right and bottom cell in this order."
                )
    for trail, arena, thing in _things(layout):
        left, top, right, bottom = arena.area
        if thing.name in names:
            place = (*at, *trail, "name")
            yield Problem(reading.spot(place), place, f"a second object is called '{thing.name}'", "Rename one.")
        names.add(thing.name)
        inside = left <= thing.at[0] <= right and top <= thing.at[1] <= bottom
        if not inside and left <= right and top <= bottom and on_grid(thing.at, layout):
            place = (*at, *trail, "at")
            message = f"the object '{thing.name}' is outside the area {list(arena.area)} of its arena '{arena.name}'"
            yield Problem(
                reading.spot(place), place, message, "Move it, enlarge the area, or list it in another arena."
            )


def _all_seats(layout: Layout) -> tuple[Seat, ...] | None:
    """All seats with those of patterns; None where they cannot be."""
    try:
        return expand_seats(_without_opposites(layout))
    except ScenarioError:
        return None


def _without_opposites(layout: Layout) -> Layout:
    """The layout with listed seats that face nobody: whom they face is looked at when all seats are known."""
    seats = tuple(seat.model_copy(update={"opposite": None}) for seat in layout.seats)
    return layout.model_copy(update={"seats": seats})


def _pattern_problem(layout: Layout, reading: Reading, at: Trail) -> Problem:
    """Return the problem that keeps the seats from being there: the first pattern that cannot be added to the seats
    before it."""
    bare = _without_opposites(layout)
    for count in range(len(layout.patterns) + 1):
        try:
            expand_seats(bare.model_copy(update={"patterns": layout.patterns[:count]}))
        except ScenarioError as error:
            place = (*at, "patterns", count - 1) if count else (*at, "seats")
            seat = error.where.rpartition(", ")[2]
            return Problem(reading.spot(place), place, f"{seat}: {error.message.rstrip('.')}", error.mend)
    raise AssertionError("the seats of a layout depend on more than its patterns")


def _check_ids(layout: Layout, reading: Reading, at: Trail) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for index, seat in enumerate(layout.seats):
        if first.setdefault(seat.id, index) != index:
            place = (*at, "seats", index, "id")
            yield Problem(reading.spot(place), place, f"a second seat is called '{seat.id}'", "Rename one.")


def _check_opposites(layout: Layout, seats: Iterable[Seat], reading: Reading, at: Trail) -> Iterator[Problem]:
    known = {seat.id for seat in seats}
    for index, seat in enumerate(layout.seats):
        if seat.opposite is not None and seat.opposite not in known - {seat.id}:
            place = (*at, "seats", index, "opposite")
            yield Problem(reading.spot(place), place, *_no_seat(seat.opposite, sorted(known - {seat.id})))


def _no_seat(name: str, known: Iterable[str]) -> tuple[str, str]:
    listed = list(known)
    return f"there is no other seat '{name}'", f"{suggest(name, listed)}Seats: {list_some(listed)}."


def _check_rules(
    layout: Layout, seats: Iterable[Seat], groups: set[str], reading: Reading, at: Trail
) -> Iterator[Problem]:
    seats = tuple(seats)
    known = [seat.id for seat in seats]
    groups = groups | {seat.group for seat in seats if seat.group is not None}
    for index, rule in enumerate(layout.seat_graph):
        place = (*at, "seat_graph", index)
        if index == 0 and rule.do != "add":
            message = f"the first rule says `do: {rule.do}`, but nobody is linked yet"
            yield Problem(reading.spot((*place, "do")), place, message, "Start with a rule that adds links.")
        if bool(rule.pairs) != (rule.rule == "pairs"):
            message = "a rule `pairs` lists pairs of seats, and no other rule does"
            mend = "Write `rule: pairs` with `pairs: [[SEAT, SEAT], ...]`."
            yield Problem(reading.spot(place), place, message, mend)
        yield from _check_names(rule, known, groups, reading, place)


def _check_names(rule: SeatRule, seats: list[str], groups: set[str], reading: Reading, at: Trail) -> Iterator[Problem]:
    for number, group in enumerate(rule.groups):
        if group not in groups:
            place = (*at, "groups", number)
            mend = f"{suggest(group, groups)}Groups: {list_some(sorted(groups)) or 'none'}."
            yield Problem(reading.spot(place), place, f"no seat and no student is of a group '{group}'", mend)
    for number, pair in enumerate(rule.pairs):
        for side, seat in enumerate(pair):
            if seat not in seats:
                place = (*at, "pairs", number, side)
                yield Problem(reading.spot(place), place, *_no_seat(seat, seats))
        if pair[0] == pair[1]:
            place = (*at, "pairs", number)
            yield Problem(reading.spot(place), place, f"seat '{pair[0]}' is paired with itself", "Name two seats.")


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
    """Yield parts that nobody has confirmed, answers that are missing, and goals that need one another in a circle.
    Needs from an earlier lesson are checked in a course only."""
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
    """Return the place that each student is to sit at by the seating, or else by the class."""
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


WRONG_AT_MOST = 0.3
"""Highest score of a wrong answer by its key: it may share a word with the right one, and no more."""


def check_curriculum(curriculum: Curriculum, reading: Reading, at: Trail = ()) -> Iterator[Problem]:
    """The items of all subjects that fail their own key."""
    for index, subject in enumerate(curriculum.subjects):
        yield from check_subject(subject, reading, (*at, "subjects", index))


def check_subject(subject: Subject, reading: Reading, at: Trail = ()) -> Iterator[Problem]:
    """The items of a subject that fail their own key."""
    for place, unit in enumerate(subject.units):
        for number, item in enumerate(unit.items):
            yield from _check_item(item, reading, (*at, "units", place, "items", number))


def _check_item(item: Item, reading: Reading, at: Trail) -> Iterator[Problem]:
    right, wrong = item.rate(item.right), item.rate(item.wrong)
    if right < 1:
        trail = (*at, "right")
        missing = [mark for mark in item.marks if not says(mark, item.right)]
        slipped = [mark for mark in item.slips if says(mark, item.right)]
        message = f"the right answer of item '{item.id}' scores {right:.2f} by its own key, not 1"
        yield Problem(reading.spot(trail), trail, message + _held(slipped, "slips"), _mend_right(missing, slipped))
    if wrong > WRONG_AT_MOST:
        trail = (*at, "wrong")
        held = [mark for mark in item.marks if says(mark, item.wrong)]
        message = (
            f"the wrong answer of item '{item.id}' scores {wrong:.2f} by its own key, and {WRONG_AT_MOST} is the most"
        )
        mend = f"Say it without {_listed(held)}, choose marks that only a right answer holds, or add slips."
        yield Problem(reading.spot(trail), trail, message + _held(held, "marks"), mend)


def _held(marks: list[str], of: str) -> str:
    return f": of its {of} it holds {_listed(marks)}" if marks else ""


def _mend_right(missing: list[str], slipped: list[str]) -> str:
    parts = []
    if missing:
        parts.append(f"Put {_listed(missing)} into it, or take the mark out of `marks`.")
    if slipped:
        parts.append(f"Say it without {_listed(slipped)}, or choose slips that no right answer holds.")
    return " ".join(parts)


def _listed(marks: list[str]) -> str:
    return ", ".join(f"'{mark}'" for mark in marks)
