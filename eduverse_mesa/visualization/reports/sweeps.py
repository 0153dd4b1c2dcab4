"""Reports of sweeps, of sensitivity and of seating advice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd

from eduverse_mesa.experiments.seating import GOALS, Advice
from eduverse_mesa.experiments.sensitivity import Sensitivity
from eduverse_mesa.experiments.sweeps.report import ALL, SweepReport
from eduverse_mesa.measures.intervals import Interval
from eduverse_mesa.visualization.charts.comparison import means_by_level, spoken
from eduverse_mesa.visualization.charts.frame import saying
from eduverse_mesa.visualization.charts.studies import effects, effects_of_all, interplay
from eduverse_mesa.visualization.reports.document import (
    COUNT,
    NUMBER,
    SIGNED,
    Block,
    Cell,
    Figure,
    Report,
    Section,
    Table,
    columns,
    listed,
    write,
)
from eduverse_mesa.visualization.reports.run import told_few
from eduverse_mesa.visualization.words import load_words

_HOW = (
    "Mean over runs and its 95 % interval (Student's t) over seeds. All points have the same seeds, so they are "
    "averaged within a seed first: the interval says what other luck would change, not what other points would. "
    "A level stands for all runs that have it, whatever their other factors."
)
_MOST_DRAWN = 40
"""Measures; the others have tables only."""


def sweep_report(found: SweepReport) -> Report:
    """Return the mean of each measure at each level of each factor."""
    means = found.means
    called = _called(means["measure"])
    sections = [Section("", [_HOW])]
    for place, (measure, part) in enumerate(means.groupby("measure", sort=False)):
        drawn: list[Block] = [Figure(partial(means_by_level, part, ALL))] if place < _MOST_DRAWN else []
        sections.append(Section(called[str(measure)], [*drawn, _levels(part)]))
    return Report(found.title or found.name, sections, _sweep_facts(found), list(_sweep_warnings(found)))


def _levels(means: pd.DataFrame) -> Table:
    rows = [
        (
            ALL if row["factor"] == ALL else f"{row['factor']}: {row['level']}",
            row["mean"],
            Interval(row["mean"], row["low"], row["high"], row["n"]),
            int(row["n"]),
        )
        for row in means.to_dict("records")
    ]
    return Table(columns("level", ("mean", NUMBER), ("interval", NUMBER), ("seeds", COUNT)), rows)


def _called(measures: Iterable[object]) -> dict[str, str]:
    """Each measure in words, and as options and tables call it."""
    said = spoken([str(code) for code in measures], saying(None))
    return {code: words if words == code else f"{words} ({code})" for code, words in said.items()}


def _sweep_facts(found: SweepReport) -> dict[str, str]:
    status = found.status
    return {
        "sweep": found.name,
        "runs": f"{status.done:,}" if not status.left else f"{status.done:,} of {status.trials:,}",
        "factors": listed(factor for factor in dict.fromkeys(found.means["factor"]) if factor != ALL),
    }


def _sweep_warnings(found: SweepReport) -> Iterator[str]:
    status = found.status
    if status.left:
        counted = (
            f"these are the seeds that have played every point ({found.whole:,})"
            if found.whole
            else "no seed has played every point yet, so points are compared that have not had the same luck"
        )
        yield f"{status.left:,} of {status.trials:,} runs are not done: {counted}."
    if status.with_failed_answers:
        yield f"{len(status.with_failed_answers):,} runs hold answers that failed."
    if few := told_few(int(found.means["n"].max()), load_words("en")):
        yield few


# --- sensitivity ---

_SHOWN = 10
"""Inputs of a measure at most in a terminal."""
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


def sensitivity_report(found: Sensitivity) -> Report:
    """Return the inputs of each measure, the most important first; of measures that nothing changes only the names."""
    study = found.study
    method = study.method.name
    inputs: list[Sequence[Cell]] = [(one.name, one.kind, one.low, one.high) for one in study.inputs]
    varied = Table(columns("input", "kind", ("from", NUMBER), ("to", NUMBER)), inputs, most=_SHOWN)
    glance = Figure(partial(effects_of_all, found.indices, method), "What each measure depends on most.")
    sections = [Section("At a glance", [_LEADS[method], glance]), Section("What was varied", [varied])]
    called, still = _called(found.spread["measure"]), []
    for spread in found.spread.to_dict("records"):
        title = called[str(spread["measure"])]
        if spread["least"] == spread["most"]:
            still.append(title)
        else:
            sections.append(_effects(found, title, spread))
    if still:
        sections.append(Section("The same at every point", [f"{'; '.join(still)}."]))
    facts = {
        "method": f"{method}, {study.method.size} {study.method.unit}",
        "inputs": str(len(study.inputs)),
        "seeds": f"{study.seeds}, the same at every point",
        "runs": str(found.runs),
        "policy": study.policy or "as the scenario says",
    }
    return Report("What matters", sections, facts)


def _effects(found: Sensitivity, title: str, spread: Mapping[Any, Any]) -> Section:
    """Return the inputs of a measure as charts and as a table, and those that do nothing by their names."""
    method = found.study.method.name
    heads = _COLUMNS[method]
    ranked = found.indices[found.indices["measure"] == spread["measure"]].sort_values("rank", kind="stable")
    idle = ranked.loc[ranked[next(iter(heads.values()))] == 0, "input"].tolist()
    chance = float(spread["chance"]) if method == "morris" else None
    drawn = [Figure(partial(effects, ranked, method, chance))]
    if method == "morris":
        drawn.append(Figure(partial(interplay, ranked), "Far right matters; high up depends on where the others are."))
    rows = [(str(row["input"]), *(_fine(row[name]) for name in heads.values())) for row in ranked.to_dict("records")]
    shown = min(len(rows) - len(idle), _SHOWN)
    table = Table(columns("input", *((head, NUMBER) for head in heads)), rows, most=shown)
    luck = f"; chance {_fine(chance)}" if chance is not None else ""
    told = f"From {spread['least']:.3f} to {spread['most']:.3f} over all points{luck}."
    return Section(title, [told, *drawn, table, *([f"Without any effect: {listed(idle)}."] if idle else [])])


def _fine(value: float) -> str:
    """A number; one that three digits would call nothing is told by its size."""
    return write(float(value), ".0e" if 0 < abs(value) < _LEAST else NUMBER)


# --- seating ---

_SAID = {
    "better": "A better plan was found.",
    "not better": "No plan was found to be better than the present one.",
    "as asked": "A plan was found that keeps what was asked. It is not shown to be better otherwise.",
}


def advice_report(advice: Advice) -> Report:
    """Return the verdict, what is gained, and who moves."""
    request = advice.request
    rows: list[Sequence[Cell]] = [
        (goal, *advice.levels[goal], advice.gains[goal].mean, advice.gains[goal]) for goal in GOALS
    ]
    if len(request.objective.weights) > 1:
        rows.append(("objective", "", "", advice.gain.mean, advice.gain))
    heads = columns("goal", ("present", NUMBER), ("found", NUMBER), ("gain", SIGNED), ("95 % interval", SIGNED))
    judged = (
        f"Judged on {request.seeds} pairs of runs of the same luck, which the search had not seen; {advice.played} "
        "runs in all."
    )
    sections = [Section("What it gains", [Table(heads, rows), judged])]
    if advice.adopted:
        moves = [(move.student, str(move.before), str(move.after)) for move in advice.moves]
        moved = Table(columns("student", "from", "to"), moves)
        sections.append(Section("Who moves", [f"Layout {advice.plan.layout}.", moved]))
    facts = {
        "objective": str(request.objective),
        "kept": "; ".join(map(str, request.constraints)) or "nothing was asked",
        **{f"layout {name}": f"was not tried: {why}" for name, why in advice.left_out.items()},
    }
    broken = [f"The present plan does not keep: {constraint}" for constraint in advice.broken]
    return Report(_SAID[advice.verdict], sections, facts, broken)
