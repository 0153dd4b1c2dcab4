"""What is found wrong with a problem, and its place; and the questions that every part of the proof asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from eduverse_mesa.errors import FormulaError
from eduverse_mesa.formulas import (
    Formula,
    Quantity,
    Unit,
    Units,
    parse,
    read_quantity,
    say_quantity,
    say_unit,
    units_for,
)
from eduverse_mesa.scenarios.plain import Reading, Trail
from eduverse_mesa.scenarios.problems import Problem, suggest
from eduverse_mesa.scenarios.word_problem import WordProblem

_T = TypeVar("_T")


class Notes:
    """Goes through one problem, and notes what is wrong."""

    def __init__(self, problem: WordProblem, reading: Reading) -> None:
        self.problem, self.reading = problem, reading
        self.found: list[Problem] = []
        self.units: Units = self.attempt(
            ("nouns",), lambda: units_for(problem.nouns, problem.in_fractions)
        ) or units_for({})
        self.givens = tuple(given.name for given in problem.givens)
        self.names = (*self.givens, *(task.variable for task in problem.subtasks))
        """All variables, in the order in which they are known."""
        first = problem.choice.options[0].values if problem.choice else {}
        self.option_names = tuple(sorted(first))

    def note(self, trail: Trail, message: str, mend: str, code: str, **given: object) -> None:
        """Something is wrong at a place."""
        said = tuple((name, self.said(value)) for name, value in given.items())
        self.found.append(Problem(self.reading.spot(trail), trail, message, mend, code, said))

    def said(self, value: object) -> str:
        """What a message names, in the problem's language."""
        if isinstance(value, Quantity):
            return say_quantity(value, self.units, self.problem.language)
        if isinstance(value, Unit):
            return say_unit(value, self.units, self.problem.language)
        return str(value)

    def attempt(self, trail: Trail, do: Callable[[], _T]) -> _T | None:
        """What something comes to; where it cannot be done, that is noted."""
        try:
            return do()
        except FormulaError as error:
            where = f" ({error.where})" if error.where else ""
            self.note(trail, f"{error.message.rstrip('.')}{where}", error.mend, error.code, **error.given)
            return None

    def quantity(self, trail: Trail, text: str) -> Quantity | None:
        """The quantity that stands at a place."""
        return self.attempt(trail, lambda: read_quantity(text, self.units))

    def formula(self, trail: Trail, text: str, known: Sequence[str], later: Sequence[str] = ()) -> Formula | None:
        """The formula of a quantity that stands at a place, over names that are known there."""
        formula = self._parsed(trail, text, known, later)
        if formula is not None and formula.is_condition:
            self.note(
                trail, "this compares, where a quantity is wanted", "Write for example `path / steps`.", "compares"
            )
        return formula

    def condition(self, trail: Trail, text: str, known: Sequence[str]) -> Formula | None:
        """The condition that stands at a place, over names that are known there."""
        formula = self._parsed(trail, text, known, ())
        if formula is not None and not formula.is_condition:
            message, mend = "this is a quantity, where a condition is wanted", "Write for example `width <= limit`."
            self.note(trail, message, mend, "no_condition")
        return formula

    def _parsed(self, trail: Trail, text: str, known: Sequence[str], later: Sequence[str]) -> Formula | None:
        formula = self.attempt(trail, lambda: parse(text))
        for name in sorted(formula.names - set(known)) if formula else ():
            if name in later:
                mend = "Put the subtask that works it out first; if each needs the other, drop one."
                self.note(trail, f"'{name}' is needed before it is worked out", mend, "too_early", name=name)
            else:
                self.unknown(trail, name, known)
        return formula

    def unknown(self, trail: Trail, name: str, known: Sequence[str]) -> None:
        """A name stands where no variable is called so."""
        close, all_known = suggest(name, known), ", ".join(known) or "nothing"
        mend = f"{close}Known here: {all_known}."
        given = {"name": name, "known": all_known, "close": close.partition("'")[2].partition("'")[0]}
        self.note(trail, f"there is no variable '{name}'", mend, "unknown_close" if close else "unknown", **given)
