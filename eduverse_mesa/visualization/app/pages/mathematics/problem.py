"""A problem for whoever tries it: how it works out, and where each of its usual mistakes leads."""

from __future__ import annotations

from eduverse_mesa.scenarios.task_schema import TaskSchema, change, changed, fill, schema_of, work
from eduverse_mesa.scenarios.word_problem import Misconception, WordProblem
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words

_LONGEST = 90


def short(text: str, most: int = _LONGEST) -> str:
    """A text on one line, shortened."""
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"


def problem_tree(problem: WordProblem, t: Words) -> Tree:
    """The statement, and folded below it what only a teacher sees."""
    options: list[Tree] = [
        ["li", {"dir": "auto"}, ["b", {}, one.id], f" {one.text}"]
        for one in (problem.choice.options if problem.choice else ())
    ]
    about = t(
        "groups.problem.about", grade=t.ordinal(problem.grade), difficulty=t(f"groups.difficulty.{problem.difficulty}")
    )
    return [
        "div",
        {"class": "ev-problem"},
        ["p", {"dir": "auto", "class": "ev-quote"}, problem.statement],
        *([["ul", {"class": "ev-ways"}, *options]] if options else []),
        ["p", {"class": "ev-muted ev-small"}, about],
        ["div", {"class": "ev-asides"},
         ["details", {"key": f"solution-{problem.name}"}, ["summary", {}, t("groups.problem.solution")],
          _solution(problem, t)],
         ["details", {"key": f"mistakes-{problem.name}"}, ["summary", {}, t("groups.problem.mistakes")],
          _mistakes(problem, t)]],
    ]  # fmt: skip


def table(columns: list[str], rows: list[list[Tree]], label: str) -> Tree:
    """Rows under heads, in a box that scrolls by itself."""
    head = ["thead", {}, ["tr", {}, *(["th", {"scope": "col"}, one] for one in columns)]]
    region = {"class": "ev-scroll", "tabindex": "0", "role": "region", "aria-label": label}
    return ["div", region, ["table", {"class": "ev-schema"}, head, ["tbody", {}, *rows]]]


def _solution(problem: WordProblem, t: Words) -> Tree:
    schema = schema_of(problem)
    worked = work(schema)
    known: list[list[Tree]] = [
        [one.phrase, schema.says(worked.values[one.name], problem.language), t("groups.problem.given")]
        for one in problem.givens
    ]
    steps: list[list[Tree]] = [
        [
            task.phrase,
            schema.says(worked.values[task.variable], problem.language),
            fill(task.how, worked.values, schema.units, problem.language),
        ]
        for task in problem.subtasks
    ]
    chosen: list[list[Tree]] = [[problem.choice.ask, ", ".join(worked.chosen), ""]] if problem.choice else []
    rows: list[list[Tree]] = [["tr", {}, *(["td", {"dir": "auto"}, cell] for cell in row)] for row in known + steps]
    rows += [["tr", {}, *(["td", {"dir": "auto"}, cell] for cell in row)] for row in chosen]
    columns = [t(f"groups.column.{name}") for name in ("quantity", "true", "how")]
    return table(columns, rows, t("groups.problem.solution"))


def _mistakes(problem: WordProblem, t: Words) -> Tree:
    right = schema_of(problem)
    rows: list[list[Tree]] = [_mistake(problem, right, one, t) for one in problem.misconceptions]
    columns = [t(f"groups.column.{name}") for name in ("thinks", "leads_to", "against")]
    return table(columns, rows, t("groups.problem.mistakes"))


def _mistake(problem: WordProblem, right: TaskSchema, one: Misconception, t: Words) -> list[Tree]:
    wrong = change(right, one)
    phrases = {given.name: given.phrase for given in problem.givens}
    phrases |= {task.variable: task.phrase for task in problem.subtasks}
    outcomes = [
        t(
            "groups.problem.instead",
            what=phrases[name],
            wrong=wrong.says(now, problem.language),
            right=right.says(was, problem.language),
        )
        for name, (was, now) in changed(right, wrong).items()
    ]
    if problem.choice:
        outcomes.append(t("groups.problem.chosen", options=", ".join(work(wrong).chosen) or "–"))
    cue = fill(one.cue, work(right).values, right.units, problem.language)
    thinks = fill(one.thinks, work(wrong).values, wrong.units, problem.language)
    return [
        "tr",
        {},
        ["td", {"dir": "auto"}, thinks],
        ["td", {}, ["ul", {}, *(["li", {"dir": "auto"}, line] for line in outcomes)]],
        ["td", {"dir": "auto"}, cue],
    ]
