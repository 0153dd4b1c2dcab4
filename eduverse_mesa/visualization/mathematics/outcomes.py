"""How a problem works out, and where each misconception leads, as tables: what a teacher looks at before a lesson."""

from __future__ import annotations

from eduverse_mesa.scenarios.task_schema import change, changed, fill, schema_of, work
from eduverse_mesa.scenarios.word_problem import Misconception, WordProblem
from eduverse_mesa.visualization.mathematics.asking import Ask
from eduverse_mesa.visualization.mathematics.markup import Markup, join, tag
from eduverse_mesa.visualization.mathematics.parts import table


def phrase_of(problem: WordProblem, variable: str) -> str:
    """What a variable is, in words."""
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
    """What there is to choose from, and what is right in it."""
    if problem.choice is None:
        return None
    rows: list[list[object]] = [
        [tag("b", one.id), one.text, ask.teach("right") if one.right else ask.teach("wrong"), one.why]
        for one in problem.choice.options
    ]
    return table(["", ask.teach("option"), "", ask.say("teach.why")], rows)


def leads_to(ask: Ask, problem: WordProblem, one: Misconception) -> str:
    """What somebody with this misconception arrives at, in one line: the answers, or what they choose."""
    right = schema_of(problem)
    wrong = change(right, one)
    came = work(wrong)
    goals = [answer.variable for answer in problem.answers]
    other = changed(right, wrong)
    said = [
        f"{phrase_of(problem, name)}: {wrong.says(came.values[name], problem.language)}"
        for name in goals
        if name in other
    ]
    if problem.choice is not None:
        said.append(ask.teach("chooses", options=", ".join(came.chosen) or "–"))
    return "; ".join(said)


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
            came.append(tag("li", ask.teach("chooses", options=", ".join(work(wrong).chosen) or "–")))
        thinks = fill(one.thinks, work(wrong).values, wrong.units, problem.language)
        cue = fill(one.cue, work(right).values, right.units, problem.language)
        kind = tag("span", ask.teach(f"flaw.{one.kind}"), class_="ev-chip")
        rows.append([join([tag("q", thinks), " ", kind]), tag("ul", *came), cue])
    return table([ask.teach("peer_thinks"), ask.teach("leads_to"), ask.teach("against_it")], rows)
