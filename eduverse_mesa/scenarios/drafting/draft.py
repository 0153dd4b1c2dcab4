"""A scenario while it is being written: a plain document that may be wrong for a while, with every step undoable."""

from __future__ import annotations

from typing import Self

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.base import Document
from eduverse_mesa.scenarios.drafting.areas import AreaEdits
from eduverse_mesa.scenarios.drafting.confirmation import settle
from eduverse_mesa.scenarios.drafting.documents import append, drop, get, plain, put
from eduverse_mesa.scenarios.drafting.errors import Step
from eduverse_mesa.scenarios.drafting.examination import Examination, Finding, examine
from eduverse_mesa.scenarios.drafting.history import History
from eduverse_mesa.scenarios.drafting.lessons import LessonEdits
from eduverse_mesa.scenarios.drafting.opening import draw, read_built_in, read_text, write_out
from eduverse_mesa.scenarios.drafting.people import PeopleEdits
from eduverse_mesa.scenarios.drafting.room import RoomEdits
from eduverse_mesa.scenarios.drafting.rules import RuleEdits
from eduverse_mesa.scenarios.drafting.seating import Sitting, forget_lost, place_students, read_rules, read_seats
from eduverse_mesa.scenarios.drafting.writing import write_yaml
from eduverse_mesa.scenarios.layout import Seat, SeatRule
from eduverse_mesa.scenarios.library import Kind
from eduverse_mesa.scenarios.loading import DEFAULT_SCENARIO
from eduverse_mesa.scenarios.plain import Plain, Trail
from eduverse_mesa.scenarios.scenario import Scenario

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
        """What is wrong, each thing with its place."""
        return self.examination.findings

    def problems_at(self, *trail: str | int) -> tuple[Finding, ...]:
        """What is wrong at a place of the document or inside of it."""
        return tuple(found for found in self.problems if found.trail[: len(trail)] == trail)

    @property
    def sitting(self) -> dict[str, Sitting]:
        """Who sits where, as far as it can be told."""
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
        """What `space.student_graph` makes the seat graph of, while other parts may be wrong."""
        return {name: sitting.seat for name, sitting in self.sitting.items()}, read_rules(self.document)

    def get(self, *trail: str | int) -> Plain:
        """What stands at a place, or None."""
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
