"""A scenario while it is being written: a plain document that may be wrong for a while, with the examination of its
faults and a history in which every step is undoable."""

from __future__ import annotations

import json
from collections.abc import Iterator
from threading import RLock
from typing import Any, NamedTuple, Self, cast

from pydantic import ValidationError

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.base import Document
from eduverse_mesa.scenarios.checks import check_layout, check_lessons, check_roll, check_scenario
from eduverse_mesa.scenarios.drafts.documents import (
    Step,
    append,
    drop,
    entries,
    get,
    plain,
    put,
    records,
    said,
    try_read,
    write_yaml,
)
from eduverse_mesa.scenarios.drafts.lessons import LessonEdits, settle
from eduverse_mesa.scenarios.drafts.origin import draw, read_built_in, read_text, write_out
from eduverse_mesa.scenarios.drafts.people import PeopleEdits
from eduverse_mesa.scenarios.drafts.placement import Sitting, forget_lost, place_students, read_rules, read_seats
from eduverse_mesa.scenarios.drafts.room import AreaEdits, RoomEdits
from eduverse_mesa.scenarios.drafts.rule_edits import RuleEdits
from eduverse_mesa.scenarios.layout import Layout, Seat
from eduverse_mesa.scenarios.layout_rules import SeatRule
from eduverse_mesa.scenarios.lesson import Lesson
from eduverse_mesa.scenarios.library import Kind
from eduverse_mesa.scenarios.loader import DEFAULT_SCENARIO
from eduverse_mesa.scenarios.people import ClassRoll
from eduverse_mesa.scenarios.plain import Plain, Trail, read_object
from eduverse_mesa.scenarios.problems import Problem, explain
from eduverse_mesa.scenarios.scenario import Scenario

LABEL = "the draft"


class Finding(NamedTuple):
    """One thing that is wrong: where in the document, what, and what to do about it."""

    trail: Trail
    message: str
    mend: str


class Examination(NamedTuple):
    """The scenario if the document is one, and else what is wrong with it."""

    scenario: Scenario | None
    findings: tuple[Finding, ...]


def examine(document: Plain) -> Examination:
    """Look at a document as loading does. While values are wrong, parts that are valid are still looked at."""
    reading = read_object(document, LABEL)
    scenario: Scenario | None = None
    try:
        # A sample stays in a draft only while it cannot be drawn, so nothing has to be drawn first.
        scenario = Scenario.model_validate_json(json.dumps(document), strict=True)
        problems = list(check_scenario(scenario, reading))
    except ValidationError as error:
        problems = [*explain(error, "scenario", reading), *_parts(document, reading)]
    findings = tuple(dict.fromkeys(Finding(found.trail, found.message, found.mend) for found in problems))
    return Examination(None if findings else scenario, findings)


def _parts(document: Plain, reading: Any) -> Iterator[Problem]:
    layout = try_read(Layout, get(document, ("layout",)))
    if layout is not None:
        groups = {group for _, student in records(document, ("class", "students")) if (group := said(student, "group"))}
        yield from check_layout(layout, reading, ("layout",), groups)
    roll = try_read(ClassRoll, get(document, ("class",)))
    if roll is not None:
        yield from check_roll(roll, reading, ("class",))
    lessons = [try_read(Lesson, lesson) for lesson in entries(document, ("lessons",))]
    if lessons and None not in lessons:
        yield from check_lessons(cast("list[Lesson]", lessons), reading, ("lessons",))


MOST_STEPS = 1000


class History:
    """A line of documents with a mark on one of them."""

    def __init__(self, first: Plain) -> None:
        self._lock = RLock()
        self.document = first
        self._past: list[tuple[Plain, Step]] = []
        self._future: list[tuple[Plain, Step]] = []
        self._merging: object = None

    def push(self, document: Plain, step: Step, merge: object = None) -> None:
        """Go on to a new document. Edits of one thing in a row (`merge` names it) are one step."""
        with self._lock:
            if document == self.document:
                return
            if merge is None or merge != self._merging or self._future or not self._past:
                self._past.append((self.document, step))
                del self._past[:-MOST_STEPS]
            self._merging = merge
            self._future.clear()
            self.document = document

    def undo(self) -> Step | None:
        """Back to the document before; what was taken back, or None at the start."""
        with self._lock:
            return self._turn(self._past, self._future)

    def redo(self) -> Step | None:
        """Forward again; what was done again, or None at the end."""
        with self._lock:
            return self._turn(self._future, self._past)

    def _turn(self, away: list[tuple[Plain, Step]], onto: list[tuple[Plain, Step]]) -> Step | None:
        if not away:
            return None
        document, step = away.pop()
        onto.append((self.document, step))
        self.document, self._merging = document, None
        return step

    @property
    def last(self) -> Step | None:
        """Step that undo would take back."""
        return self._past[-1][1] if self._past else None

    @property
    def next(self) -> Step | None:
        """Step that redo would do again."""
        return self._future[-1][1] if self._future else None

    @property
    def length(self) -> int:
        """Number of steps that can be taken back."""
        return len(self._past)


_PARTS: dict[str, Trail] = {"layout": ("layout",), "class": ("class",)}


class Draft:
    """A scenario being edited.

    `room`, `areas`, `people`, `rules` and `lessons` hold the edits that have to keep parts together; `set`, `add` and
    `remove` serve everything else. An edit that cannot be made raises an EditError (or another ScenarioError) and
    changes nothing; one that leaves the document wrong shows in `problems`.
    """

    def __init__(self, document: Plain) -> None:
        self.history = History(document)
        self._looked_at: tuple[Plain, Examination] | None = None
        self._placed: tuple[Plain, dict[str, Sitting]] | None = None
        self.room = RoomEdits(self)
        self.areas = AreaEdits(self)
        self.people = PeopleEdits(self)
        self.rules = RuleEdits(self)
        self.lessons = LessonEdits(self)

    # --- beginnings and endings ---

    @classmethod
    def of_name(cls, name: str = DEFAULT_SCENARIO) -> Self:
        """A draft of a built-in scenario."""
        return cls(read_built_in("scenario", name))

    @classmethod
    def of_text(cls, content: bytes | str, label: str = "the file") -> Self:
        """A draft of what a file holds; a layout, class or lesson takes its place in the default scenario."""
        kind, document = read_text(content, label)
        if kind == "scenario":
            return cls(document)
        draft = cls.of_name()
        draft.take(kind, document)
        return cls(draft.document)

    @classmethod
    def of_scenario(cls, scenario: Scenario) -> Self:
        """A draft of a scenario that is at hand."""
        return cls(write_out(scenario))

    def open(self, content: bytes | str, label: str = "the file") -> Kind:
        """Take in what a file holds, as one step: a whole scenario, or the part that it is. Says which."""
        kind, document = read_text(content, label)
        self.take(kind, document)
        return kind

    def choose(self, kind: Kind, name: str) -> None:
        """Take in something built in: a scenario, a layout, a class, or a lesson in the place of all lessons."""
        self.take(kind, read_built_in(kind, name))

    def take(self, kind: Kind, part: Plain | Document) -> None:
        """Put a part in its place; wishes about seats that are not there any more are forgotten."""
        document = draw(write_out(part) if isinstance(part, Document) else plain(part))
        if kind == "scenario":
            self.change(document, "open", kind=kind)
            return
        if kind == "lesson":
            self.change(put(self.document, ("lessons",), [document]), "open", kind=kind)
            return
        changed = put(self.document, _PARTS[kind], document)
        self.change(forget_lost(changed), "open", kind=kind)

    def dump(self) -> str:
        """The document as one YAML file, valid or not; a valid one is read again as the same scenario."""
        return write_yaml(self.document)

    # --- what it is now ---

    @property
    def document(self) -> Plain:
        """The document as plain data. Not to be changed: edits make new ones."""
        return self.history.document

    @property
    def examination(self) -> Examination:
        """The scenario, or what is wrong."""
        document = self.document
        if self._looked_at is None or self._looked_at[0] is not document:
            self._looked_at = (document, examine(document))
        return self._looked_at[1]

    @property
    def scenario(self) -> Scenario | None:
        """The scenario, if the document is one."""
        return self.examination.scenario

    @property
    def problems(self) -> tuple[Finding, ...]:
        """Faults of the document, each with its place."""
        return self.examination.findings

    def problems_at(self, *trail: str | int) -> tuple[Finding, ...]:
        """Return the faults at a place of the document or inside of it."""
        return tuple(found for found in self.problems if found.trail[: len(trail)] == trail)

    @property
    def sitting(self) -> dict[str, Sitting]:
        """Students with the seats they take, as far as these can be told."""
        document = self.document
        if self._placed is None or self._placed[0] is not document:
            self._placed = (document, place_students(document))
        return self._placed[1]

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats that are valid by themselves."""
        return read_seats(self.document)

    @property
    def linking(self) -> tuple[dict[str, Seat], tuple[SeatRule, ...]]:
        """Return the seats and rules that `space.student_graph` makes the seat graph of, while other parts may be
        wrong."""
        return {name: sitting.seat for name, sitting in self.sitting.items()}, read_rules(self.document)

    def get(self, *trail: str | int) -> Plain:
        """Return the value at a place, or None."""
        return get(self.document, trail)

    # --- steps ---

    def change(self, document: Plain, code: str, merge: object = None, **values: object) -> None:
        """Go on to another document. All edits come through here."""
        self.history.push(document, Step(code, values), merge)

    def set(self, trail: Trail, value: object) -> None:
        """Another value at a place; None takes it away, so that the default holds. Edits of one place are one step."""
        if not trail:
            raise ScenarioError("the place of the value is missing.")
        document = drop(self.document, trail) if value is None else put(self.document, trail, plain(value))
        self.change(settle(document, trail), "set", merge=trail, key=str(trail[-1]))

    def add(self, trail: Trail, value: object) -> None:
        """An entry at the end of a list."""
        self.change(append(self.document, trail, plain(value)), "add", key=str(trail[-1]))

    def remove(self, trail: Trail) -> None:
        """Take an entry or a key away."""
        key = next(str(step) for step in reversed(trail) if isinstance(step, str))
        self.change(drop(self.document, trail), "remove", key=key)

    def undo(self) -> Step | None:
        """Take the last step back."""
        return self.history.undo()

    def redo(self) -> Step | None:
        """Do it again."""
        return self.history.redo()
