"""A tutor, who sees a learner's words, and keeps notes of their own on what was taught and shown."""

from __future__ import annotations

from typing import Any

import mesa
import msgspec

from eduverse_mesa.agents.uptake import answered
from eduverse_mesa.decisions.tutoring import PickUnit, Teach, UnitNote, Utterance
from eduverse_mesa.randomness import Address
from eduverse_mesa.scenarios.curriculum import Curriculum, Unit, in_order


class Notes(msgspec.Struct):
    """The notes of a tutor, unit by unit."""

    taught: dict[str, int] = msgspec.field(default_factory=dict)
    shown: dict[str, float] = msgspec.field(default_factory=dict)
    last: dict[str, int] = msgspec.field(default_factory=dict)
    dialogues: int = 0


class TutorAgent(mesa.Agent):  # type: ignore[misc, unused-ignore]
    """The tutor of one learner. They know the curriculum, their notes and what is said; never the learner's state."""

    def __init__(
        self, model: Any, learner: str, curriculum: Curriculum, language: str, notes: Notes | None = None
    ) -> None:
        super().__init__(model)
        self.learner = learner
        self.name = f"tutor of {learner}"
        self.role = "tutor"
        self.curriculum = curriculum
        self.language = language
        self.notes = notes if notes is not None else Notes()
        self._of_grade: dict[int, tuple[Unit, ...]] = {}
        self._leading_to: dict[int, tuple[Unit, ...]] = {}

    def units_for(self, grade: int) -> tuple[Unit, ...]:
        """The units that fit a grade, each after what it builds on."""
        if grade not in self._of_grade:
            fitting = [unit for unit in self.curriculum.all_units() if unit.grade == grade]
            self._of_grade[grade] = in_order(fitting)
        return self._of_grade[grade]

    def leading_to(self, grade: int) -> tuple[Unit, ...]:
        """The units of lower grades that those of a grade or of a later one build on: what is still to be stood on."""
        if grade not in self._leading_to:
            later = (unit for unit in self.curriculum.all_units() if unit.grade >= grade)
            needed = {need for unit in later for need in unit.needs}
            units = [unit for unit in self.curriculum.all_units() if unit.id in needed and unit.grade < grade]
            self._leading_to[grade] = in_order(units)
        return self._leading_to[grade]

    def pick(self, at: Address, grade: int) -> PickUnit:
        """The question what to teach next: what fits the grade, or what was taught before and others build on."""
        again = [unit for unit in self.leading_to(grade) if unit.id in self.notes.taught]
        notes = tuple(self._noted(unit) for unit in (*self.units_for(grade), *again))
        return PickUnit(at, self.learner, grade, notes, self.language)

    def _noted(self, unit: Unit) -> UnitNote:
        book = self.notes
        since = book.dialogues - book.last[unit.id] if unit.id in book.last else -1
        return UnitNote(unit, book.taught.get(unit.id, 0), book.shown.get(unit.id, 0.0), since)

    def teach(
        self, at: Address, unit: Unit, grade: int, dialogue: tuple[Utterance, ...], turn: int, turns: int
    ) -> Teach:
        """The question what to say next. The kind of a reply is the learner's own: the tutor has only the words."""
        heard = tuple(one if one.speaker == "tutor" else Utterance(one.speaker, one.text) for one in dialogue)
        needs = tuple(self.curriculum.units[need] for need in unit.needs)
        before = self.notes.taught.get(unit.id, 0)
        return Teach(
            at=at,
            learner=self.learner,
            grade=grade,
            unit=unit,
            needs=needs,
            dialogue=heard,
            turn=turn,
            turns=turns,
            language=self.language,
            before=before,
        )

    def note(self, unit: Unit, dialogue: tuple[Utterance, ...]) -> None:
        """Write down what the learner could say alone: the first answer to each item, before there was help."""
        first: dict[str, float] = {}
        for place, utterance in enumerate(dialogue):
            asked = None
            if utterance.speaker == "learner":
                asked = answered(unit, dialogue[:place], self.language)
            if asked is not None:
                first.setdefault(asked.id, asked.rate(utterance.text))
        book = self.notes
        book.dialogues += 1
        book.taught[unit.id] = book.taught.get(unit.id, 0) + 1
        book.shown[unit.id] = sum(first.values()) / len(unit.items)
        book.last[unit.id] = book.dialogues
