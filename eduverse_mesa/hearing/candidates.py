"""The candidates of a unit, a problem or a lesson: everything that talk about it may be about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from eduverse_mesa.decisions.hearing import Candidate
from eduverse_mesa.errors import FormulaError
from eduverse_mesa.formulas import Quantity, Units, say_quantity
from eduverse_mesa.scenarios.curriculum import Unit
from eduverse_mesa.scenarios.lesson import Lesson
from eduverse_mesa.scenarios.word_problem import (
    Misconception,
    TaskSchema,
    WordProblem,
    change,
    changed,
    fill,
    schema_of,
    work,
)

IDEA = "idea"
"""The id of a unit's core idea among its candidates."""


def of_unit(unit: Unit) -> tuple[Candidate, ...]:
    """The core idea of a unit, and its questions."""
    idea = Candidate(IDEA, "idea", says=(unit.idea, unit.because, unit.hint, unit.outcome))
    questions = (
        Candidate(item.id, "question", says=(item.right, item.partial), wrong=(item.wrong,), asks=(item.ask,), of=IDEA)
        for item in unit.items
    )
    return (idea, *questions)


def of_lesson(lesson: Lesson) -> tuple[Candidate, ...]:
    """The ideas of a lesson, and its questions."""
    ideas = (
        Candidate(one.id, "idea", says=(one.text, one.because, one.partial), wrong=_texts(one.misconception))
        for one in lesson.ideas
    )
    questions = (
        Candidate(one.id, "question", says=_texts(one.answer, one.short_answer), asks=(one.ask,), of=one.idea)
        for one in lesson.questions
    )
    return (*ideas, *questions)


def of_problem(problem: WordProblem) -> tuple[Candidate, ...]:
    """The quantities of a problem, its choices, and its usual mistakes."""
    return _of_problem(problem.model_dump_json())


@lru_cache(maxsize=64)
def _of_problem(written: str) -> tuple[Candidate, ...]:
    problem = WordProblem.model_validate_json(written)
    schema = schema_of(problem)
    values = work(schema).values
    say = _Saying(values, schema.units, problem.language)
    amiss = {name: tuple(map(say.amount, found)) for name, found in _mistaken(problem, schema).items()}
    givens = (
        Candidate(
            one.name,
            "quantity",
            says=(one.phrase,),
            values=(say.amount(values[one.name]),),
            amiss=amiss.get(one.name, ()),
        )
        for one in problem.givens
    )
    tasks = (
        Candidate(
            one.variable,
            "quantity",
            says=(one.phrase, say(one.how), say(one.says), say(one.why)),
            asks=(one.ask,),
            values=(say.amount(values[one.variable]),),
            amiss=amiss.get(one.variable, ()),
        )
        for one in problem.subtasks
    )
    return (*givens, *tasks, *_choices(problem, say), *(_mistake(one, say) for one in problem.misconceptions))


class _Saying:
    """Says phrases and quantities of a problem as it is solved rightly."""

    def __init__(self, values: Mapping[str, Quantity], units: Units, language: str) -> None:
        self._values, self._units, self._language = values, units, language

    def __call__(self, phrase: str) -> str:
        return fill(phrase, self._values, self._units, self._language)

    def amount(self, quantity: Quantity) -> str:
        return say_quantity(quantity, self._units, self._language)


def _choices(problem: WordProblem, say: _Saying) -> Iterator[Candidate]:
    for one in problem.choice.options if problem.choice is not None else ():
        said = (one.text, say(one.why))
        yield Candidate(
            one.id,
            "choice",
            says=said if one.right else (one.text,),
            wrong=() if one.right else (say(one.why),),
            values=(one.id,),
            right=one.right,
        )


def _mistake(one: Misconception, say: _Saying) -> Candidate:
    touched = next((each.of for each in one.changes), "")
    return Candidate(one.id, "mistake", says=(say(one.cue), say(one.notice)), wrong=(one.thinks,), of=touched)


def _mistaken(problem: WordProblem, schema: TaskSchema) -> dict[str, list[Quantity]]:
    """The values to which the usual mistakes lead, by variable. A mistake that does not work out leads nowhere."""
    found: dict[str, list[Quantity]] = {}
    for one in problem.misconceptions:
        try:
            differing = changed(schema, change(schema, one))
        except FormulaError:
            continue
        for name, (_, wrong) in differing.items():
            found.setdefault(name, []).append(wrong)
    return found


def _texts(*texts: str) -> tuple[str, ...]:
    return tuple(text for text in texts if text)
