"""Reports of groups and of the problems that they solve."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd

from eduverse_mesa.experiments.papers.mathvc import ARMS, Findings
from eduverse_mesa.experiments.papers.mathvc.findings import Cell as Place
from eduverse_mesa.experiments.papers.mathvc.findings import Compared, basis_of_statement, paper_of
from eduverse_mesa.experiments.papers.statements import VERDICTS
from eduverse_mesa.measures.intervals import Interval
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
from eduverse_mesa.visualization.charts.comparison import means_by_level
from eduverse_mesa.visualization.charts.frame import saying
from eduverse_mesa.visualization.reports.document import (
    NUMBER,
    Cell,
    Figure,
    Report,
    Section,
    Table,
    columns,
    write,
)
from eduverse_mesa.visualization.words import Words, words_in

_MARKS = {"holds": "yes", "uncertain": "unsure", "fails": "no", "unknown": ""}
_REMARK = (
    "full: all virtual, with stages and schemas; vanilla: without; student: with a script in a student's seat, which "
    "thinks like a peer without a mistake and speaks whenever it may. The paper's groups had a real student. "
    "A difference is full minus vanilla; it is certain where the whole interval is, for which two seeds seldom do. "
    "Beside a number of the paper stands whether a parameter was fitted to it: that ours is near is no finding then."
)
_HOW = (
    "Means over dialogues, with 95 % intervals (Student's t) over seeds: the problems of a seed are averaged first. "
    "A statement holds where the whole interval does; the difference is full minus vanilla. "
    "What holds by construction could not have come out in another way: the embedded policy's plain chat says the "
    "solution, says it again, and closes."
)
_DRAWN = ("turns", "words per message", "introduced", "acts")


def groups_report(found: Findings) -> Report:
    """Return the statements first, then the numbers."""
    bad = {status: number for status, number in found.answers.items() if status != "ok"}
    parts = ", ".join(f"{number:,} {status}" for status, number in bad.items())
    warning = f"Of {sum(found.answers.values()):,} answers {parts}."
    drawn = [
        Section(_called(name).capitalize(), [Figure(partial(means_by_level, _means(found, name), ""))])
        for name in _DRAWN
    ]
    sections = [
        Section("What has to show", [_HOW, _statements(found)]),
        *drawn,
        Section("All numbers", [_REMARK, _numbers(found)]),
    ]
    facts = {"dialogues": f"{len(found.table):,}", "seeds": str(found.seeds), "policy": found.policy}
    return Report("MathVC's groups", sections, facts, [warning] if bad else [])


def _means(found: Findings, measure: str) -> pd.DataFrame:
    rows = [("arm", arm, *found.numbers[Place(arm, measure)].value) for arm in ARMS]
    return pd.DataFrame(rows, columns=["factor", "level", *Interval._fields])


def _statements(found: Findings) -> Table:
    rows = []
    for one in found.judged:
        [part] = one.found
        paper = paper_of(part.check)
        ours = (interval_text(part.value), "" if paper is None else write(paper, NUMBER))
        told = (VERDICTS[one.verdict], basis_of_statement(one.statement.id, found.policy))
        rows.append((one.statement.text, _called_in(part.check.name), *ours, *told))
    heads = columns("statement", "measure", "ours", ("paper", NUMBER), "verdict", "basis")
    return Table(heads, rows, [_MARKS[one.verdict] for one in found.judged])


def _numbers(found: Findings) -> Table:
    measures = dict.fromkeys(place.measure for place in found.numbers)
    rows = [(_called(name), *(_beside(found.numbers[Place(arm, name)]) for arm in ARMS)) for name in measures]
    return Table(columns("measure", *ARMS), rows)


def _called_in(measure: str) -> str:
    """A measure and its arm in words."""
    name, bracket, arm = measure.rpartition(" (")
    return f"{_called(name)}{bracket}{arm}"


def _called(measure: str) -> str:
    """A measure in words."""
    key = f"dialogue_{measure.replace(' ', '_')}"
    words = saying(None)(key)
    return measure if words in (key, key.replace("_", " ")) else words


def _beside(one: Compared) -> str:
    """Our number, and the paper's where it reports one."""
    ours, (_, paper, basis) = interval_text(one.value), one.published
    return ours if paper is None else f"{ours}; paper {write(paper, NUMBER)}, {basis}"


def interval_text(ours: Interval) -> str:
    """A mean with its interval: "18.2 (17.9 … 18.5)"."""
    mean = write(ours.mean, NUMBER)
    return mean if ours.n < 2 or ours.low == ours.high else f"{mean} ({write(ours, NUMBER)})"


# --- problems ---


def problem_report(problem: WordProblem) -> Report:
    """Return the statement, solution, answers, options and misconceptions, in the problem's language."""
    t, language = words_in(problem.language), problem.language
    schema = schema_of(problem)
    worked = work(schema)
    given = [(one.name, schema.says(schema.givens[one.name], language), one.phrase) for one in problem.givens]
    steps = [
        (
            step.variable,
            schema.says(worked.values[step.variable], language),
            fill(step.how, worked.values, schema.units, language),
        )
        for step in schema.steps
    ]
    answers = [(one.variable, schema.says(worked.values[one.variable], language)) for one in problem.answers]
    options: list[tuple[str, ...]] = []
    if problem.choice:
        answers.append((t("report.problem.chosen"), t.names(worked.chosen)))
        said = {right: t(f"report.problem.{'right' if right else 'wrong'}") for right in (True, False)}
        options = [(one.id, one.text, said[one.right], one.why) for one in problem.choice.options]
    difficulty = t(f"groups.difficulty.{problem.difficulty}")
    about = t("report.problem.about", grade=t.ordinal(problem.grade), difficulty=difficulty, language=language)
    sections = [
        Section("", [about]),
        Section("", [problem.statement]),
        _part("given", ("name", "value", "phrase"), given, t),
        _part("solution", ("name", "value", "how"), steps, t),
        _part("answer", ("name", "value"), answers, t),
        *([_part("options", ("option", "text", "verdict", "why"), options, t)] if options else []),
        *(_mistake(problem, schema, one, t) for one in problem.misconceptions),
    ]
    return Report(problem.title or problem.name, sections, language=t.language)


def _part(name: str, heads: Sequence[str], rows: Sequence[Sequence[Cell]], t: Words) -> Section:
    return Section(
        t(f"report.problem.{name}"), [Table(columns(*(t(f"report.problem.{head}") for head in heads)), rows)]
    )


def _mistake(problem: WordProblem, right: TaskSchema, one: Misconception, t: Words) -> Section:
    """Return the thoughts of somebody with this misconception, and their consequences."""
    wrong = change(right, one)
    outcomes = [
        f"{name} {right.says(was, problem.language)} -> {wrong.says(now, problem.language)}"
        for name, (was, now) in changed(right, wrong).items()
    ]
    if problem.choice:
        chosen = t.names(work(wrong).chosen) or t("report.problem.none")
        outcomes.append(f"{t('report.problem.chosen')} {chosen}")
    blocks = [
        t("report.problem.quote", text=one.thinks),
        t("report.problem.leads_to", outcomes=t.clauses(outcomes)),
        t("report.problem.against", cue=fill(one.cue, work(right).values, right.units, problem.language)),
    ]
    return Section(t("report.problem.mistake", name=one.id, flaw=t(f"report.problem.flaw.{one.kind}")), blocks)
