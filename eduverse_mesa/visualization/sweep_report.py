"""What a sweep shows, as text and as a page."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from eduverse_mesa.experiments.sweeps.report import ALL, SweepReport
from eduverse_mesa.visualization.charts.comparing import spoken
from eduverse_mesa.visualization.charts.frame import saying
from eduverse_mesa.visualization.charts.sweeps import means_by_level
from eduverse_mesa.visualization.page import Section, Table, plain_number, render_page
from eduverse_mesa.visualization.seeds_report import told_few
from eduverse_mesa.visualization.words import load_words

_HOW = (
    "Mean over runs and its 95 % interval (Student's t) over seeds. All points have the same seeds, so they are "
    "averaged within a seed first: the interval says what other luck would change, not what other points would. "
    "A level stands for all runs that have it, whatever their other factors."
)
_MOST_DRAWN = 40
"""Measures; the others are in the table."""


def render_text(report: SweepReport) -> str:
    """A block for each measure, a line for each level."""
    lines = [f"{name}: {value}" for name, value in _facts(report).items()]
    if warning := _warning(report):
        lines.append(f"note: {warning}")
    called = _measures(report)
    for measure, means in report.means.groupby("measure", sort=False):
        lines += ["", f"{called[str(measure)]:<46} {'mean':>9} {'interval':>20} {'seeds':>6}"]
        for row in means.to_dict("records"):
            level = ALL if row["factor"] == ALL else f"{row['factor']}: {row['level']}"
            interval = f"{plain_number(row['low'])} .. {plain_number(row['high'])}"
            lines.append(f"  {level:<44} {plain_number(row['mean']):>9} {interval:>20} {row['n']:>6}")
    return "\n".join([*lines, "", _HOW])


def render_page_of(report: SweepReport) -> str:
    """The page, in one file."""
    called = _measures(report)
    sections = [
        Section(called[str(measure)], _HOW if place == 0 else "", means_by_level(means, ALL))
        for place, (measure, means) in enumerate(report.means.groupby("measure", sort=False))
        if place < _MOST_DRAWN
    ]
    sections.append(Section("All means", _HOW if not sections else "", table=_table(report.means)))
    return render_page(report.title or report.name, _facts(report), sections, _warning(report))


def _measures(report: SweepReport) -> dict[str, str]:
    """Each measure in words, and as options and tables call it."""
    codes = [str(code) for code in report.means["measure"]]
    return {
        code: words if words == code else f"{words} ({code})" for code, words in spoken(codes, saying(None)).items()
    }


def _facts(report: SweepReport) -> dict[str, str]:
    status = report.status
    factors = [factor for factor in dict.fromkeys(report.means["factor"]) if factor != ALL]
    return {
        "sweep": report.name,
        "runs": f"{status.done:,}" if not status.left else f"{status.done:,} of {status.trials:,}",
        "factors": ", ".join(factors) or "none",
    }


def _warning(report: SweepReport) -> str:
    status = report.status
    parts = []
    if status.left:
        counted = (
            f"these are the seeds that have played every point ({report.whole:,})"
            if report.whole
            else "no seed has played every point yet, so points are compared that have not had the same luck"
        )
        parts.append(f"{status.left:,} of {status.trials:,} runs are not done: {counted}")
    if status.with_failed_answers:
        parts.append(f"{len(status.with_failed_answers):,} runs hold answers that failed")
    seeds = int(report.means["n"].max())
    if few := told_few(seeds, load_words("en")):
        parts.append(few.rstrip("."))
    return "; ".join(parts)


def _table(means: pd.DataFrame) -> Table:
    rows: list[Sequence[str | float]] = [
        (
            row["measure"],
            row["factor"],
            row["level"],
            float(row["mean"]),
            float(row["low"]),
            float(row["high"]),
            str(row["n"]),
        )
        for row in means.to_dict("records")
    ]
    return Table(("measure", "factor", "level", "mean", "low", "high", "seeds"), rows)
