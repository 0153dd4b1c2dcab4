"""A mathematics problem for whoever teaches with it: how it works out, and where each misconception leads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from eduverse_mesa.scenarios.task_schema import TaskSchema, Worked, change, changed, fill, schema_of, work
from eduverse_mesa.scenarios.word_problem import Misconception, Option, WordProblem

_WIDTH = 100
_FLAWS = {
    "misread": "misread",
    "omitted": "left out",
    "miscount": "miscounted",
    "wrong_model": "wrong idea",
    "slip": "slip",
}


def render_text(problem: WordProblem) -> str:
    """Statement, solution, answers, options and misconceptions, in a terminal."""
    schema = schema_of(problem)
    worked = work(schema)
    parts = [
        [problem.title or problem.name, f"grade {problem.grade}, {problem.difficulty} ({problem.language})", ""],
        [*wrap(problem.statement, _WIDTH), ""],
        ["GIVEN", *_table(_givens(problem, schema)), ""],
        ["SOLUTION", *_table(_steps(problem, schema, worked)), ""],
        ["ANSWER", *_table(_answers(problem, schema, worked)), ""],
        ["OPTIONS", *_options(problem.choice.options), ""] if problem.choice else [],
        ["MISCONCEPTIONS"],
    ]
    parts += [[*_mistake(problem, schema, one), ""] for one in problem.misconceptions]
    return "\n".join(line for part in parts for line in part).rstrip()


def _givens(problem: WordProblem, schema: TaskSchema) -> list[tuple[str, ...]]:
    return [
        (given.name, schema.says(schema.givens[given.name], problem.language), given.phrase) for given in problem.givens
    ]


def _steps(problem: WordProblem, schema: TaskSchema, worked: Worked) -> list[tuple[str, ...]]:
    return [
        (
            step.variable,
            schema.says(worked.values[step.variable], problem.language),
            fill(step.how, worked.values, schema.units, problem.language),
        )
        for step in schema.steps
    ]


def _answers(problem: WordProblem, schema: TaskSchema, worked: Worked) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [
        (one.variable, schema.says(worked.values[one.variable], problem.language)) for one in problem.answers
    ]
    return [*rows, ("chosen", ", ".join(worked.chosen))] if problem.choice else rows


def _options(options: Sequence[Option]) -> Iterator[str]:
    for option in options:
        yield f"  {option.id}  {option.text}: {'right' if option.right else 'wrong'}"
        yield from _indented(option.why)


def _mistake(problem: WordProblem, right: TaskSchema, one: Misconception) -> Iterator[str]:
    """What somebody with this misconception thinks, and what comes of it."""
    wrong = change(right, one)
    yield f"  {one.id} ({_FLAWS[one.kind]})"
    yield from _indented(f'"{one.thinks}"')
    outcomes = [
        f"{name} {right.says(was, problem.language)} -> {wrong.says(now, problem.language)}"
        for name, (was, now) in changed(right, wrong).items()
    ]
    if problem.choice:
        outcomes.append(f"chosen {', '.join(work(wrong).chosen) or 'none'}")
    yield from _indented("leads to: " + "; ".join(outcomes))
    cue = fill(one.cue, work(right).values, right.units, problem.language)
    yield from _indented(f"against it: {cue}")


def _indented(text: str) -> list[str]:
    return wrap(text, _WIDTH, initial_indent="     ", subsequent_indent="       ")


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[index]) for row in rows) for index in range(len(rows[0]))]
    return [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
