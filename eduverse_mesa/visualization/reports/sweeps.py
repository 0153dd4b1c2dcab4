"""Reports of sweeps, of sensitivity and of seating advice, as text and as a page."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from eduverse_mesa.experiments.seating import GOALS, Advice
from eduverse_mesa.experiments.sensitivity import Sensitivity
from eduverse_mesa.experiments.sweeps.report import ALL, SweepReport
from eduverse_mesa.measures.intervals import Interval
from eduverse_mesa.visualization.charts.comparison import means_by_level, spoken
from eduverse_mesa.visualization.charts.frame import saying
from eduverse_mesa.visualization.charts.studies import effects, effects_of_all, interplay
from eduverse_mesa.visualization.reports.page import Section, Table, plain_number, render_page
from eduverse_mesa.visualization.reports.run import told_few
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


_SHOWN = 10
"""Inputs of a measure at most in the text; --json and the page have all."""
_LEAST = 0.0005
_LEADS = {
    "morris": "mu*: how much the measure changes, on average, when the input goes through its whole range. sigma: how "
    "much that depends on where the others are. chance: the mu* of luck alone, had the points not the same.",
    "sobol": "S1: share of the measure's variance that the input explains alone; ST: with all it does together with "
    "others. 95 % intervals by resampling; where they are wide, take more samples.",
}


_COLUMNS = {
    "morris": {"mu*": "mu_star", "+/-": "mu_star_conf", "sigma": "sigma", "mu": "mu"},
    "sobol": {"ST": "ST", "ST +/-": "ST_conf", "S1": "S1", "S1 +/-": "S1_conf"},
}
"""Columns of the indices that are shown, each by its head, first the one by which inputs are ranked."""


def render_sensitivity(found: Sensitivity) -> str:
    """The inputs of each measure, the most important first; what does nothing is told in a line."""
    study = found.study
    lines = [f"{name}: {value}" for name, value in _sensitivity_facts(found).items()]
    called = _sensitivity_measures(found)
    columns = _COLUMNS[study.method.name]
    first, still = next(iter(columns.values())), []
    for spread in found.spread.to_dict("records"):
        name = str(spread["measure"])
        if spread["least"] == spread["most"]:
            still.append(called[name])
            continue
        ranked = _ranked(found, name)
        felt = ranked[~(ranked[first] == 0)]
        lines += ["", called[name]]
        lines.append(f"from {spread['least']:.3f} to {spread['most']:.3f}, chance {_shown(spread['chance'])}")
        lines.append(f"  {'input':<38} " + " ".join(f"{head:>10}" for head in columns))
        for row in felt.head(_SHOWN).to_dict("records"):
            numbers = " ".join(f"{_shown(row[column]):>10}" for column in columns.values())
            lines.append(f"  {row['input']:<38} {numbers}")
        if len(felt) < len(ranked):
            lines.append(f"  without any effect: {_some(ranked[ranked[first] == 0]['input'].tolist())}")
    if still:
        lines += ["", f"The same at every point: {'; '.join(still)}."]
    return "\n".join([*lines, "", _LEADS[study.method.name]])


def _sensitivity_measures(found: Sensitivity) -> dict[str, str]:
    """Each measure in words, and as options and tables call it."""
    codes = [str(code) for code in found.spread["measure"]]
    return {
        code: words if words == code else f"{words} ({code})" for code, words in spoken(codes, saying(None)).items()
    }


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}"


def render_sensitivity_page(found: Sensitivity) -> str:
    """The page, in one file."""
    method = found.study.method.name
    sections = [
        Section("At a glance", "What each measure depends on most.", effects_of_all(found.indices, method)),
        Section("What was varied", "From where to where.", table=_inputs(found)),
    ]
    called = _sensitivity_measures(found)
    for spread in found.spread.to_dict("records"):
        name, title = str(spread["measure"]), called[str(spread["measure"])]
        ranked = _ranked(found, name)
        chance = float(spread["chance"]) if method == "morris" else None
        lead = f"From {spread['least']:.3f} to {spread['most']:.3f} over all points. {_LEADS[method]}"
        sections.append(Section(title, lead, effects(ranked, method, chance), _indices(ranked, method)))
        if method == "morris":
            sections.append(Section(f"{title}: interplay", "Far right matters; high up depends.", interplay(ranked)))
    return render_page("What matters", _sensitivity_facts(found), sections)


def _ranked(found: Sensitivity, measure: str) -> pd.DataFrame:
    return found.indices[found.indices["measure"] == measure].sort_values("rank", kind="stable")


def _sensitivity_facts(found: Sensitivity) -> dict[str, str]:
    study = found.study
    return {
        "method": f"{study.method.name}, {study.method.size} {study.method.unit}",
        "inputs": str(len(study.inputs)),
        "seeds": f"{study.seeds}, the same at every point",
        "runs": str(found.runs),
        "policy": study.policy or "as the scenario says",
    }


def _inputs(found: Sensitivity) -> Table:
    rows: list[tuple[str | float, ...]] = [(one.name, one.kind, one.low, one.high) for one in found.study.inputs]
    return Table(("input", "kind", "from", "to"), rows)


def _indices(ranked: pd.DataFrame, method: str) -> Table:
    columns = _COLUMNS[method]
    rows: list[tuple[str | float, ...]] = [
        (str(row["input"]), *(float(row[column]) for column in columns.values())) for row in ranked.to_dict("records")
    ]
    return Table(("input", *columns), rows)


def _shown(value: float) -> str:
    """A number; one that three digits would call nothing is told by its size."""
    number = float(value)
    return f"{number:.0e}" if 0 < abs(number) < _LEAST else plain_number(number)


_SAID = {
    "better": "A better plan was found.",
    "not better": "No plan was found to be better than the present one.",
    "as asked": "A plan was found that keeps what was asked. It is not shown to be better otherwise.",
}


def render_advice(advice: Advice) -> str:
    """The verdict, what is gained, and who moves."""
    request = advice.request
    lines = [_SAID[advice.verdict], f"  objective: {request.objective}"]
    lines += [f"  kept: {constraint}" for constraint in request.constraints]
    lines += [f"  the present plan does not keep: {constraint}" for constraint in advice.broken]
    lines += [f"  layout {name} was not tried: {why}" for name, why in advice.left_out.items()]
    lines += ["", f"{'':<14} {'present':>8} {'found':>8} {'gain':>8}   95 % interval"]
    for goal in GOALS:
        before, after = advice.levels[goal]
        lines.append(f"{goal:<14} {before:>8.3f} {after:>8.3f} {_gain(advice.gains[goal])}")
    if len(request.objective.weights) > 1:
        lines.append(f"{'objective':<14} {'':>8} {'':>8} {_gain(advice.gain)}")
    lines += [
        "",
        f"Judged on {request.seeds} pairs of runs of the same luck, which the search had not seen; {advice.played} "
        "runs in all.",
    ]
    if advice.adopted:
        lines += ["", f"Layout {advice.plan.layout}. Who moves:"]
        lines += [f"  {move.student:<24} {move.before!s:<10} -> {move.after}" for move in advice.moves]
    return "\n".join(lines)


def _gain(interval: Interval) -> str:
    return f"{interval.mean:>+8.3f}   {interval.low:+.3f} .. {interval.high:+.3f}"
