"""SimLearner's studies as text and as a page: what was asked, what the paper says, and its numbers beside ours."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from eduverse_mesa import __version__
from eduverse_mesa.experiments.simlearner.cells import Cell, Cells
from eduverse_mesa.experiments.simlearner.designs import ARMS, DIALOGUES, Study
from eduverse_mesa.experiments.simlearner.forgetting import curves
from eduverse_mesa.experiments.simlearner.published import coverage_band, published
from eduverse_mesa.experiments.simlearner.running import Compared, Findings, remarks
from eduverse_mesa.experiments.simlearner.statements import VERDICTS, Check, Judged
from eduverse_mesa.measures.bounds import bounds_of
from eduverse_mesa.measures.intervals import Interval, mean_interval
from eduverse_mesa.scenarios.tutoring import Arm
from eduverse_mesa.visualization.charts.simlearner import (
    coverage_by_grade,
    forgetting_curves,
    mastery_by_grade,
    scores_by_grade,
    trajectories,
)
from eduverse_mesa.visualization.page import Section, Table, plain_number, render_page

ARM_NAMES: Mapping[Arm, str] = {"full": "with memory", "base": "base"}
_SAYS = (
    "Each check with its mean over seeds, Student's 95 % interval, and its bounds; 'more' means a difference above "
    "zero within seeds of the same luck. A statement holds where the whole interval of every check lies within the "
    "bounds; it is not certain where only the mean does. 'Single' is how often one experiment as large as the paper's "
    "lies within."
)
_BESIDE = "Ours is the mean over seeds with its interval; the paper shows one experiment with each language model."
_MARKS = {"holds": "yes", "fails": "no"}


def render_text(found: Findings) -> str:
    """Each study: its statements and its tables, in a terminal."""
    lines: list[str] = []
    for remark in remarks(found):
        lines += [f"!! {remark}", ""]
    for study in found.studies:
        compared, judged = found.of(study)
        lines += [f"{study.name}: {study.title}", study.question, ""]
        lines += [*_aligned(_statements(judged)), ""]
        if compared:
            lines += [*_aligned(_beside(compared)), ""]
        for _, table in _tables(found, study):
            lines += [*_aligned(table), ""]
    return "\n".join(lines).rstrip()


def render_page_of(found: Findings) -> str:
    """The page, in one file that needs no network."""
    facts = {
        "studies": ", ".join(str(study.number) for study in found.studies),
        "seeds": f"1–{found.seeds}" if found.seeds > 1 else "1",
        "policy": found.policy,
        "answers": f"{sum(found.answers.values()):,}",
        "version": __version__,
    }
    sections = [section for study in found.studies for section in _sections(found, study)]
    return render_page("SimLearner's studies", facts, sections, " ".join(remarks(found)))


def _sections(found: Findings, study: Study) -> Iterator[Section]:
    compared, judged = found.of(study)
    heading = f"{study.number}. {study.title}"
    yield Section(heading, study.question, _CHARTS[study.number](found.cells))
    yield Section(f"{study.title}: what the paper says", _SAYS, table=_statements(judged))
    if compared:
        yield Section(f"{study.title}: beside the paper", _BESIDE, table=_beside(compared))
    for title, table in _tables(found, study):
        yield Section(f"{study.title}: {title}", "", table=table)
    if study.number == 2:
        yield Section(
            "Concepts by grade",
            "Mean mastery at the end of each grade; framed is what the standard has taught by then.",
            _map_chart(found.cells),
        )
        yield Section(
            "How it is forgotten",
            "What is left of a trace over a year with a dialogue every four days, under both laws.",
            forgetting_curves(curves()),
        )


# --- tables ---


def _statements(judged: Iterable[Judged]) -> Table:
    rows: list[Sequence[str | float]] = []
    marks: list[str] = []
    for one in judged:
        rows.append((one.statement.text, "", "", "", "", VERDICTS[one.verdict]))
        marks.append(_MARKS.get(one.verdict, ""))
        for found in one.found:
            mean, low, high, _ = found.value
            single = f"{found.single:.0%}" if math.isfinite(found.single) else "-"
            shown = (plain_number(mean), _between(low, high), _bounds(found.check), single)
            rows.append((f"  {found.check.name}", *shown, VERDICTS[found.verdict]))
            marks.append("")
    return Table(("statement", "mean", "interval", "bounds", "single", "verdict"), rows, marks)


def _bounds(check: Check) -> str:
    if math.isfinite(check.most):
        return f"{check.least:g} .. {check.most:g}"
    return "more" if check.minus else f"at least {check.least:g}"


def _beside(compared: Iterable[Compared]) -> Table:
    rows: list[Sequence[str | float]] = []
    for row in compared:
        cell, low, high = row.published.cell, row.published.low, row.published.high
        what = f"{cell.measure}, grade {cell.grade}" if cell.grade else cell.measure
        paper = f"{low:g}" if low == high else f"{low:g} .. {high:g}"
        ours = (plain_number(row.ours.mean), _between(row.ours.low, row.ours.high))
        rows.append((what, ARM_NAMES[cell.arm], row.published.model, paper, *ours, _between(*row.single)))
    return Table(("number", "arm", "the paper's model", "paper", "ours", "interval", "single seeds"), rows)


def _between(low: float, high: float) -> str:
    return f"{low:.3f} .. {high:.3f}" if math.isfinite(low) else "-"


def _tables(found: Findings, study: Study) -> Iterator[tuple[str, Table]]:
    """What a study shows beyond the paper's numbers."""
    cells = found.cells
    if study.number == 1:
        yield "by grade", _by_grade(_means(cells, "first_grade", "score", ARMS))
    elif study.number == 2:
        yield "by grade", _by_grade(_means(cells, "years", "coverage", ARMS))
        yield "by learner", _by_grade(_of_learners(cells, "coverage"))
    elif study.number == 3:
        yield "by learner", _by_grade(_of_learners(cells, "mastery_of_expected"))
    elif study.number == 4:
        yield "dialogues read at once", _recovery(cells)
    else:
        yield "by definition", _alignments(cells)
        yield "by grade", _by_grade(_means(cells, "years", "alignment", ARMS))


def _by_grade(means: pd.DataFrame) -> Table:
    """A row a line, a column a grade."""
    if means.empty:
        return Table(("line",), [])
    [by] = [name for name in ("arm", "learner") if name in means.columns]
    grades = sorted(set(means["grade"]))
    rows = []
    for name, part in means.groupby(by, sort=False):
        known = {row["grade"]: row for row in part.to_dict("records")}
        shown = [_with_half(known[grade]) if grade in known else "-" for grade in grades]
        rows.append([str(name), *shown])
    return Table((by, *(f"grade {grade}" for grade in grades)), rows)


def _with_half(row: dict[Any, Any]) -> str:
    half = (row["high"] - row["low"]) / 2
    return f"{row['mean']:.3f}" + (f" ± {half:.3f}" if math.isfinite(half) else "")


def _interval(cells: Cells, cell: Cell) -> Interval:
    """The mean of a cell over seeds with its interval, which holds nothing that the measure cannot be."""
    return mean_interval(list(cells.of(cell).values()), bounds=bounds_of(cell.measure))


def _recovery(cells: Cells) -> Table:
    rows = []
    for arm, name in ARM_NAMES.items():
        for read in ("1", str(DIALOGUES)):
            for measure in ("recall", "precision", "f1"):
                mean, low, high, n = _interval(cells, Cell("people", measure, arm, key=read))
                if n:
                    rows.append((name, read, measure, plain_number(mean), _between(low, high)))
    return Table(("arm", "dialogues", "measure", "mean", "interval"), rows)


def _alignments(cells: Cells) -> Table:
    rows = []
    for arm, name in ARM_NAMES.items():
        for measure in ("alignment", "alignment_precision", "alignment_recall"):
            for cell in cells.measured("years", measure, arm):
                if cell.grade == 0:
                    mean, low, high, _ = _interval(cells, cell)
                    rows.append((name, measure.replace("_", ", "), plain_number(mean), _between(low, high)))
    return Table(("arm", "definition", "mean", "interval"), rows)


def _aligned(table: Table) -> Iterator[str]:
    """Columns side by side; a row with nothing but a text and a verdict stands alone."""
    cells = [[str(cell) for cell in row] for row in table.rows]
    alone = [len(row) > 2 and not any(row[1:-1]) for row in cells]
    short = [row for row, lonely in zip(cells, alone, strict=True) if not lonely]
    widths = [max(map(len, column)) for column in zip(list(table.columns), *short, strict=True)]
    yield "  ".join(f"{name:<{width}}" for name, width in zip(table.columns, widths, strict=True)).rstrip()
    for row, lonely in zip(cells, alone, strict=True):
        if lonely:
            yield f"{row[-1].upper()}: {row[0]}"
        else:
            yield "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


# --- charts ---


def _means(cells: Cells, part: Any, measure: str, arms: Sequence[Arm] = ARMS) -> pd.DataFrame:
    """Means over seeds of the whole cohort, by arm and grade."""
    rows = [
        (ARM_NAMES[arm], cell.grade, *_interval(cells, cell))
        for arm in arms
        for cell in sorted(cells.measured(part, measure, arm))
        if not cell.learner and cell.grade
    ]
    return pd.DataFrame(rows, columns=["arm", "grade", "mean", "low", "high", "n"])


def _of_learners(cells: Cells, measure: str) -> pd.DataFrame:
    rows = [
        (cell.learner, cell.grade, *_interval(cells, cell))
        for cell in sorted(cells.measured("years", measure))
        if cell.learner
    ]
    return pd.DataFrame(rows, columns=["learner", "grade", "mean", "low", "high", "n"])


def _scores_chart(cells: Cells) -> Any:
    papers = {row.cell.grade: row.low for row in published() if row.cell.measure == "score"}
    return scores_by_grade(_means(cells, "first_grade", "score", ARMS), papers)


def _coverage_chart(cells: Cells) -> Any:
    return coverage_by_grade(_means(cells, "years", "coverage", ARMS), coverage_band())


def _trajectories_chart(cells: Cells) -> Any:
    return trajectories(_of_learners(cells, "mastery_of_expected"))


def _map_chart(cells: Cells) -> Any:
    rows = []
    for arm in ARMS:
        for cell in cells.measured("years", "mastery", arm):
            mean = _interval(cells, cell).mean
            expected = max(cells.of(cell._replace(measure="expected")).values(), default=0.0)
            rows.append((ARM_NAMES[arm], cell.key, cell.grade, mean, expected))
    return mastery_by_grade(pd.DataFrame(rows, columns=["arm", "concept", "grade", "mastery", "expected"]))


def _nothing(cells: Cells) -> None:
    """A study whose tables say it all."""
    del cells


_CHARTS: dict[int, Callable[[Cells], Any]] = {
    1: _scores_chart,
    2: _coverage_chart,
    3: _trajectories_chart,
    4: _nothing,
    5: _nothing,
}
