"""A mathematics problem for whoever teaches with it: how it works out, and where each misconception leads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from rich.cells import cell_len

from eduverse_mesa.scenarios.task_schema import TaskSchema, Worked, change, changed, fill, schema_of, work
from eduverse_mesa.scenarios.word_problem import Misconception, Option, WordProblem
from eduverse_mesa.visualization.columns import left
from eduverse_mesa.visualization.words import Words, words_in

_WIDTH = 100


def render_text(problem: WordProblem) -> str:
    """Statement, solution, answers, options and misconceptions, in a terminal and in the problem's language."""
    t = words_in(problem.language)
    schema = schema_of(problem)
    worked = work(schema)
    parts = [
        [problem.title or problem.name, _about(problem, t), ""],
        [*wrap(problem.statement, _WIDTH), ""],
        [t("report.problem.given"), *_table(_givens(problem, schema)), ""],
        [t("report.problem.solution"), *_table(_steps(problem, schema, worked)), ""],
        [t("report.problem.answer"), *_table(_answers(problem, schema, worked, t)), ""],
        [t("report.problem.options"), *_options(problem.choice.options, t), ""] if problem.choice else [],
        [t("report.problem.misconceptions")],
    ]
    parts += [[*_mistake(problem, schema, one, t), ""] for one in problem.misconceptions]
    return "\n".join(line for part in parts for line in part).rstrip()


def _about(problem: WordProblem, t: Words) -> str:
    difficulty = t(f"groups.difficulty.{problem.difficulty}")
    return t("report.problem.about", grade=t.ordinal(problem.grade), difficulty=difficulty, language=problem.language)


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


def _answers(problem: WordProblem, schema: TaskSchema, worked: Worked, t: Words) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [
        (one.variable, schema.says(worked.values[one.variable], problem.language)) for one in problem.answers
    ]
    return [*rows, (t("report.problem.chosen"), ", ".join(worked.chosen))] if problem.choice else rows


def _options(options: Sequence[Option], t: Words) -> Iterator[str]:
    for option in options:
        verdict = t("report.problem.right" if option.right else "report.problem.wrong")
        yield f"  {option.id}  {option.text}: {verdict}"
        yield from _indented(option.why)


def _mistake(problem: WordProblem, right: TaskSchema, one: Misconception, t: Words) -> Iterator[str]:
    """What somebody with this misconception thinks, and what comes of it."""
    wrong = change(right, one)
    yield "  " + t("report.problem.mistake", name=one.id, flaw=t(f"report.problem.flaw.{one.kind}"))
    yield from _indented(t("report.problem.quote", text=one.thinks))
    outcomes = [
        f"{name} {right.says(was, problem.language)} -> {wrong.says(now, problem.language)}"
        for name, (was, now) in changed(right, wrong).items()
    ]
    if problem.choice:
        chosen = ", ".join(work(wrong).chosen) or t("report.problem.none")
        outcomes.append(f"{t('report.problem.chosen')} {chosen}")
    told = t("report.problem.semicolon").join(outcomes)
    yield from _indented(t("report.problem.leads_to", outcomes=told))
    cue = fill(one.cue, work(right).values, right.units, problem.language)
    yield from _indented(t("report.problem.against", cue=cue))


def _indented(text: str) -> list[str]:
    return wrap(text, _WIDTH, initial_indent="     ", subsequent_indent="       ")


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(cell_len(row[index]) for row in rows) for index in range(len(rows[0]))]
    return [
        "  " + "  ".join(left(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
