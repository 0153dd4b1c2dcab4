"""Which numbers of a person's message say how much something is, and of what: the rest are in calculations, name a
choice, or are said not to be it."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

from eduverse_mesa.decisions.collaboration import Sheet, Task, Understand
from eduverse_mesa.decisions.meanings import Claim
from eduverse_mesa.errors import FormulaError
from eduverse_mesa.formulas import Quantity, Units
from eduverse_mesa.formulas.comparing import alike
from eduverse_mesa.marks import count_words, says
from eduverse_mesa.policies.embedded.collaboration.hearing import Ear, pattern
from eduverse_mesa.policies.embedded.collaboration.numbers import Found, Shown

_FEW = 3
"""With so few words around it, a number is the message."""
_PERCENT = "percent"
_WORKED_WITH = re.compile(r"\s*(?:[-+*]|\s/)\s*[$(]*\d")
_WORKED_BEFORE = re.compile(r"\d[^\d.,;:!?]{0,10}?(?:[-+*]|/\s)\s*[$(]*$")
"""Beside a number: it is calculated with, and is no result."""


def spoken_of(sheet: Sheet, *texts: str) -> list[Task]:
    """The subtasks that are spoken of, by their marks."""
    return [task for task in sheet.tasks if any(says(mark, text) for mark in task.marks for text in texts)]


class Claimer:
    """The quantities of one message."""

    def __init__(
        self, decision: Understand, ear: Ear, units: Units, text: str, tasks: Sequence[Task], labels: Sequence[str]
    ) -> None:
        self.decision, self.sheet, self.ear, self.units = decision, decision.sheet, ear, units
        self.text = text
        self.tasks = list(tasks)
        self.labels = labels
        """The choices that are spoken of."""
        self.refused = self._refused()

    def claims(self, shown: Sequence[Shown]) -> tuple[Claim, ...]:
        """What is said to be how much: the result of a calculation, or what stands behind "is"."""
        every = self.ear.numbers.quantities(self.text, self.units)
        found = [one for one in every if not self._is_refused(one) and not self._is_wanted(one)]
        inside = {one.start for one in found if any(each.start <= one.start < each.end for each in shown)}
        claims: dict[str, Claim] = {}
        for one in found:
            given = self._given(one) or self._corrected(one)
            if given is not None:
                claims[given.about] = given
        results = [one for one in found if any(one.start >= each.end and one.start - each.end < 3 for each in shown)]
        results = results or [
            one for one in found if one.start not in inside and self._is_said(one) and not self._is_part(one)
        ]
        results = [one for one in results if self._counts(one, shown)]
        for one in results:
            claim = self._claim(one, len(results) == 1, claims)
            claims[claim.about] = claim
        return tuple(claims.values())

    def _counts(self, one: Found, shown: Sequence[Shown]) -> bool:
        given = self._given(one) is not None or self._corrected(one) is not None
        return not given and not self._checks(one, shown) and not (one.bare and str(one.quantity.value) in self.labels)

    def _refused(self) -> list[tuple[int, int]]:
        """Where numbers stand that are said not to be it: "20 and not 12"."""
        return [
            match.span("no")
            for kind in ("not_but", "but_not")
            for one in self.ear.patterns(kind)
            for match in pattern(one).finditer(self.text)
        ]

    def _is_refused(self, one: Found) -> bool:
        inside = any(start <= one.start < end for start, end in self.refused)
        return inside or self.ear.hears("rejected", self.text[: one.start])

    def _is_wanted(self, one: Found) -> bool:
        """Whether it stands in a question for how much something is: "what is 60 divided by 20"."""
        return any(
            match.start() <= one.start < match.end()
            for each in self.ear.patterns("wanted")
            for match in pattern(each).finditer(self.text)
        )

    def _is_part(self, one: Found) -> bool:
        """Whether it is calculated with, and nobody says what comes out."""
        after, before = self.text[one.end :], self.text[: one.start]
        return _WORKED_WITH.match(after) is not None or _WORKED_BEFORE.search(before) is not None

    def _corrected(self, one: Found) -> Claim | None:
        """A bare number of the statement that is set against another: "no, it's 20 not 12"."""
        if not one.bare or not any(
            match.start("yes") <= one.start < match.end("yes")
            for kind in ("not_but", "but_not")
            for each in self.ear.patterns(kind)
            for match in pattern(each).finditer(self.text)
        ):
            return None
        same = [given for given in self.sheet.givens if given.value.partition(" ")[0] == str(one.quantity.value)]
        return Claim(same[0].variable, same[0].value) if len(same) == 1 else None

    def _checks(self, one: Found, shown: Sequence[Shown]) -> bool:
        """Whether a calculation only comes back to a number of the statement: it checks, it claims nothing."""
        if not shown or not one.bare:
            return False
        return any(given.value.partition(" ")[0] == str(one.quantity.value) for given in self.sheet.givens)

    def _is_said(self, one: Found) -> bool:
        """A number behind "is" or "get", or one that is all there is."""
        before = self.text[: one.start]
        if pattern(self.ear.patterns("about")[0]).search(before) or (self.tasks and not one.bare):
            return True
        start, end = self._clause(one)
        if self.tasks and count_words(self.text[start:end]) <= _FEW + 2:
            return True
        rest = (before + self.text[one.end :]).strip(" .!?,")
        return not rest or self.ear.hears("agree", rest) or count_words(rest) <= _FEW

    def _given(self, one: Found) -> Claim | None:
        """A number of the statement, said with its unit."""
        if one.bare:
            return None
        for given in self.sheet.givens:
            value, _, unit = given.value.partition(" ")
            if unit == one.quantity.unit and value == str(one.quantity.value) and not self._is_asked(one):
                return Claim(given.variable, given.value)
        return None

    def _is_asked(self, one: Found) -> bool:
        """Whether it may be the result that is talked about, which is as much as something in the statement."""
        task = next((task for task in self.sheet.tasks if task.variable == self._asked_for()), None)
        return task is not None and task.unit == one.quantity.unit and self._is_likely(one, task)

    def _named(self, one: Found, alone: bool) -> list[Task]:
        """The subtasks that are named with a number: in its own clause; in the whole message if it is the only one."""
        start, end = self._clause(one)
        near = spoken_of(self.sheet, self.text[start:end])
        return near or (self.tasks if alone else [])

    def _clause(self, one: Found) -> tuple[int, int]:
        start, end = 0, len(self.text)
        for match in pattern(self.ear.patterns("clauses")[0]).finditer(self.text):
            if match.end() <= one.start:
                start = match.end()
            elif match.start() >= one.end:
                return start, match.start()
        return start, end

    def _asked_for(self) -> str:
        """The subtask whose result is on the table: one that somebody asks for, or has just said."""
        for one in reversed(self.decision.dialogue):
            if one.meaning.topic and (one.meaning.asks or one.meaning.claims or one.stage in ("execute", "validate")):
                return one.meaning.topic
        return ""

    def _claim(self, one: Found, alone: bool, claimed: Container[str]) -> Claim:
        """What the number says; each in a row of numbers says something else."""
        named = self._named(one, alone)
        named = [*(task for task in named if self._is_likely(one, task)), *named]
        latest = [task for task in self.sheet.tasks if task.variable == self._asked_for()]
        by_unit = [task for task in self.sheet.tasks if not one.bare and task.unit == one.quantity.unit]
        goals = [task for task in self.sheet.tasks if task.variable in self.sheet.goals]
        goals = goals if len(goals) == 1 or not one.bare else []
        likely = [task for task in (*latest, *goals, *self.sheet.tasks) if self._is_likely(one, task)]
        every = (*named, *likely, *(by_unit if len(by_unit) == 1 else ()), *latest, *goals, *by_unit)
        for task in sorted(every, key=lambda task: task.variable in claimed and not self._is_likely(one, task)):
            value = self._in_unit(one, task)
            if value is not None:
                return Claim(task.variable, value)
        return Claim("", str(one.quantity))

    def _is_likely(self, one: Found, task: Task) -> bool:
        """Whether somebody could come to this value for the subtask."""
        value = self._in_unit(one, task)
        likely = dict(self.decision.likely).get(task.variable, ())
        return value is not None and any(alike(value, other) for other in likely)

    def _in_unit(self, one: Found, task: Task) -> str | None:
        """The quantity in the unit of a subtask; who says feet where it is feet per step is understood, too."""
        if one.bare:
            return str(Quantity(one.quantity.value, task.unit))
        above = task.unit.partition("/")[0]
        said = one.quantity
        if said.unit.startswith("/"):  # "0.2 for one mile"
            return str(Quantity(said.value, task.unit)) if task.unit.endswith(said.unit) else None
        for quantity in (said, self.units.amount(said)):  # "60 square miles a day", where it is asked for one day
            for unit in (task.unit, above) if above else (task.unit,):
                try:
                    return str(Quantity(self.units.convert(quantity, unit).value, task.unit))
                except FormulaError:
                    continue
        likely = dict(self.decision.likely).get(task.variable, ())
        if not task.unit and any(alike(str(one.quantity.value), other) for other in likely):
            return str(
                one.quantity.value
            )  # "for each cup of yellow 1 2/3 cups of blue", where it is asked for a number
        if one.quantity.unit == _PERCENT and task.unit:  # "37.5% of a yard"
            return str(Quantity(one.quantity.value / 100, task.unit))
        return None


def strange(text: str) -> str:
    """A text without its signs: what is left where nothing was said in letters or digits."""
    return re.sub(r"[\W_]", "", text)
