"""Reports of groups and of the problems that they solve."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

import pandas as pd
from rich.cells import cell_len

from eduverse_mesa.experiments.papers.mathvc import ARMS, Findings, Number
from eduverse_mesa.measures.intervals import Interval
from eduverse_mesa.scenarios.word_problem import (
    Misconception,
    Option,
    TaskSchema,
    WordProblem,
    Worked,
    change,
    changed,
    fill,
    schema_of,
    work,
)
from eduverse_mesa.visualization.charts.comparison import means_by_level
from eduverse_mesa.visualization.charts.frame import saying
from eduverse_mesa.visualization.reports.page import Section, Table, left, plain_number, render_page
from eduverse_mesa.visualization.words import Words, words_in

_SAYS = {"holds": "holds", "uncertain": "not certain", "fails": "does not hold", "unknown": "cannot be told"}
_REMARK = (
    "full: all virtual, with stages and schemas; vanilla: without; student: with a script in a student's seat, which\n"
    "thinks like a peer without a mistake and speaks whenever it may. The paper's groups had a real student.\n"
    "A difference is full minus vanilla; it is certain where the whole interval is, for which two seeds seldom do.\n"
    "Beside a number of the paper stands whether a parameter was fitted to it: that ours is near is no finding then."
)


def render_text(found: Findings) -> str:
    """Statements first, then the numbers."""
    lines = [f"MathVC's groups: {len(found.by_dialogue)} dialogues, {_seeds(found.seeds)}", _REMARK, ""]
    lines += [*_aligned([_JUDGED, *_statements(found)]), "", *_aligned([_NUMBERED, *_numbers(found)])]
    return "\n".join(lines)


def render_report(found: Findings) -> str:
    """The page, in one file."""
    facts = {"dialogues": f"{len(found.by_dialogue):,}", "seeds": str(found.seeds), "policy": found.policy}
    marks = [_MARKS[one.verdict] for one in found.judged]
    sections = [
        Section("What has to show", _HOW, table=Table(_JUDGED, _statements(found), marks)),
        *(Section(_called(name).capitalize(), "", means_by_level(_means(found, name), "")) for name in _DRAWN),
        Section("All numbers", _REMARK, table=Table(_NUMBERED, _numbers(found))),
    ]
    return render_page("MathVC's groups", facts, sections, _warning(found))


_JUDGED = ("statement", "measure", "ours", "paper", "verdict", "basis")
_NUMBERED = ("measure", *ARMS)
_DRAWN = ("turns", "words per message", "introduced", "acts")
_MARKS = {"holds": "yes", "uncertain": "unsure", "fails": "no", "unknown": ""}
_HOW = (
    "Means over dialogues, with 95 % intervals (Student's t) over seeds: the problems of a seed are averaged first. "
    "A statement holds where the whole interval does; the difference is full minus vanilla. "
    "What holds by construction could not have come out in another way: the embedded policy's plain chat says the "
    "solution, says it again, and closes."
)


def _warning(found: Findings) -> str:
    bad = {status: number for status, number in found.answers.items() if status != "ok"}
    parts = ", ".join(f"{number:,} {status}" for status, number in bad.items())
    return f"Of {sum(found.answers.values()):,} answers {parts}." if bad else ""


def _seeds(number: int) -> str:
    return f"{number} seed{'s' * (number != 1)}"


def _means(found: Findings, measure: str) -> pd.DataFrame:
    rows = [("arm", one.arm, *one.ours) for one in found.numbers if one.measure == measure]
    return pd.DataFrame(rows, columns=["factor", "level", *Interval._fields])


def _statements(found: Findings) -> list[tuple[str, ...]]:
    return [
        (
            one.text,
            _called_in(one.measure),
            interval_text(one.ours),
            _of_paper(one.paper),
            _SAYS[one.verdict],
            one.basis,
        )
        for one in found.judged
    ]


def _numbers(found: Findings) -> list[tuple[str, ...]]:
    by_place = {(one.arm, one.measure): one for one in found.numbers}
    measures = list(dict.fromkeys(one.measure for one in found.numbers))
    return [(_called(name), *(_beside(by_place[arm, name]) for arm in ARMS)) for name in measures]


def _called_in(measure: str) -> str:
    """A measure and its arm in words."""
    name, bracket, arm = measure.rpartition(" (")
    return f"{_called(name)}{bracket}{arm}"


def _called(measure: str) -> str:
    """A measure in words."""
    key = f"dialogue_{measure.replace(' ', '_')}"
    words = saying(None)(key)
    return measure if words in (key, key.replace("_", " ")) else words


def _beside(one: Number) -> str:
    """Our number, and the paper's where it reports one."""
    ours = interval_text(one.ours)
    return ours if one.paper is None else f"{ours}; paper {_of_paper(one.paper)}, {one.basis}"


def _of_paper(paper: float | None) -> str:
    return "" if paper is None else plain_number(paper)


def interval_text(ours: Interval) -> str:
    """A mean with its interval: "18.2 (17.9 to 18.5)"."""
    if ours.mean != ours.mean:
        return "–"
    if ours.n < 2 or ours.low == ours.high:
        return plain_number(ours.mean)
    return f"{plain_number(ours.mean)} ({plain_number(ours.low)} to {plain_number(ours.high)})"


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


_WIDTH = 100


def render_problem(problem: WordProblem) -> str:
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
    return [*rows, (t("report.problem.chosen"), t.names(worked.chosen))] if problem.choice else rows


def _options(options: Sequence[Option], t: Words) -> Iterator[str]:
    for option in options:
        verdict = t("report.problem.right" if option.right else "report.problem.wrong")
        yield f"  {option.id}  {option.text}: {verdict}"
        yield from _indented(option.why)


def _mistake(problem: WordProblem, right: TaskSchema, one: Misconception, t: Words) -> Iterator[str]:
    """Yield the thoughts of somebody with this misconception, and their consequences."""
    wrong = change(right, one)
    yield "  " + t("report.problem.mistake", name=one.id, flaw=t(f"report.problem.flaw.{one.kind}"))
    yield from _indented(t("report.problem.quote", text=one.thinks))
    outcomes = [
        f"{name} {right.says(was, problem.language)} -> {wrong.says(now, problem.language)}"
        for name, (was, now) in changed(right, wrong).items()
    ]
    if problem.choice:
        chosen = t.names(work(wrong).chosen) or t("report.problem.none")
        outcomes.append(f"{t('report.problem.chosen')} {chosen}")
    told = t.clauses(outcomes)
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
