"""How a problem works out, and where each misconception leads, as tables: what a teacher looks at before a lesson."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from eduverse_mesa.pupils.markup import Markup, join, tag
from eduverse_mesa.pupils.request import Ask
from eduverse_mesa.pupils.teacher.parts import table
from eduverse_mesa.scenarios.word_problem import WordProblem, change, changed, fill, schema_of, work


def phrase_of(problem: WordProblem, variable: str) -> str:
    """Return the words for a variable."""
    return next(
        (one.phrase for one in problem.givens if one.name == variable),
        next((one.phrase for one in problem.subtasks if one.variable == variable), variable.replace("_", " ")),
    )


def solution(ask: Ask, problem: WordProblem) -> Markup:
    """Givens, steps and answers as they rightly are."""
    schema = schema_of(problem)
    worked = work(schema)
    given: list[list[object]] = [
        [one.phrase, schema.says(schema.givens[one.name], problem.language), ""] for one in problem.givens
    ]
    goals = {one.variable for one in problem.answers}
    steps: list[list[object]] = []
    for step in problem.subtasks:
        said: object = schema.says(worked.values[step.variable], problem.language)
        said = tag("b", said) if step.variable in goals else said
        steps.append([step.phrase, said, fill(step.how, worked.values, schema.units, problem.language)])
    heads = [ask.say("teach.quantity"), ask.teach("value"), ask.teach("how")]
    return join([table(heads, [*given, *steps]), options(ask, problem)])


def options(ask: Ask, problem: WordProblem) -> Markup | None:
    """Return the table of the options to choose from, with the right ones marked; None where there is no choice."""
    if problem.choice is None:
        return None
    rows: list[list[object]] = [
        [tag("b", one.id), one.text, ask.teach("right") if one.right else ask.teach("wrong"), one.why]
        for one in problem.choice.options
    ]
    return table(["", ask.teach("option"), "", ask.say("teach.why")], rows)


class Reached(NamedTuple):
    """Outcome of a misconception: its thought, the answers it changes, and the options it chooses."""

    thinks: str
    """The thought, with the quantities as people have them who think so."""
    answers: tuple[tuple[str, str], ...]
    """Each answer that comes out otherwise: its words and its value."""
    chosen: tuple[str, ...]


def reached(problem: WordProblem) -> dict[str, Reached]:
    """Return the outcome of each misconception of a problem, by its id."""
    return _reached(problem.model_dump_json(by_alias=True))


@lru_cache(maxsize=200)
def _reached(document: str) -> dict[str, Reached]:
    """Worked out once for each problem: the form of a set shows all there are."""
    problem = WordProblem.model_validate_json(document)
    right = schema_of(problem)
    found = {}
    for one in problem.misconceptions:
        wrong = change(right, one)
        came = work(wrong)
        other = changed(right, wrong)
        answers = tuple(
            (phrase_of(problem, answer.variable), wrong.says(came.values[answer.variable], problem.language))
            for answer in problem.answers
            if answer.variable in other
        )
        thinks = fill(one.thinks, came.values, wrong.units, problem.language)
        found[one.id] = Reached(thinks, answers, came.chosen)
    return found


def leads_to(ask: Ask, problem: WordProblem, one: Reached) -> str:
    """Return one line with the outcome of a misconception: the answers, or the options chosen."""
    said = [f"{phrase}: {value}" for phrase, value in one.answers]
    if problem.choice is not None:
        said.append(ask.teach("chooses", options=ask.t.names(one.chosen) or "–"))
    return ask.t.clauses(said)


def mistakes(ask: Ask, problem: WordProblem) -> Markup:
    """Each misconception: what is thought, everything that comes out otherwise, and what can be said against it."""
    right = schema_of(problem)
    rows: list[list[object]] = []
    for one in problem.misconceptions:
        wrong = change(right, one)
        came = [
            tag(
                "li",
                f"{phrase_of(problem, name)}: ",
                tag("del", right.says(was, problem.language)),
                " → ",
                tag("b", right.says(now, problem.language)),
            )
            for name, (was, now) in changed(right, wrong).items()
        ]
        if problem.choice is not None:
            came.append(tag("li", ask.teach("chooses", options=ask.t.names(work(wrong).chosen) or "–")))
        thinks = fill(one.thinks, work(wrong).values, wrong.units, problem.language)
        cue = fill(one.cue, work(right).values, right.units, problem.language)
        kind = tag("span", ask.teach(f"flaw.{one.kind}"), class_="ev-chip")
        rows.append([join([tag("q", thinks), " ", kind]), tag("ul", *came), cue])
    return table([ask.teach("peer_thinks"), ask.teach("leads_to"), ask.teach("against_it")], rows)
