"""A calibration as text and as a page."""

from __future__ import annotations

from collections.abc import Iterator

from eduverse_mesa.experiments.calibration.report import Calibration
from eduverse_mesa.experiments.papers.findings import Findings
from eduverse_mesa.visualization.charts.calibration import beside_targets, learned, profiled
from eduverse_mesa.visualization.experiments.grids import errors_grid, statements_grid
from eduverse_mesa.visualization.page import Section, Table, render_page
from eduverse_mesa.visualization.words import load_words

_MUCH = 0.5
"""Of the prior's variance: where chance takes so much away, little that is said of single parameters can be trusted."""
_PAIRS = 12
_GROUP_COLUMNS = ("targets", "number", "error before", "error fitted", "before, in sds", "fitted, in sds")
_FITTED = (
    "Mean absolute differences from what was wanted, with seeds that the fit has not seen. 'in sds' counts them in the "
    "standard deviations with which each target was asked for: 1 is as near as it was meant to be."
)
_PROFILES = (
    "Each of these parameters over what was expected of it, all others as fitted, with the same luck at every point: a "
    "valley says that the targets know where it belongs, a flat line that they do not. The misfit is the mean squared "
    "distance from the targets, in the standard deviations asked for; the upright line is the fitted value."
)
_NOTHING = "nothing"
"""Said of a parameter that has not learned more than one that does nothing."""
_PREDICTED = "The papers' tables with the fitted parameters: what was fitted and what is predicted apart."


def render_text(found: Calibration) -> str:
    """Errors by group, what was learned, and where the file is of use."""
    rows = list(_group_rows(found))
    lines = [
        f"{_GROUP_COLUMNS[0]:<28}{_GROUP_COLUMNS[1]:>7}" + "".join(f"{name:>16}" for name in _GROUP_COLUMNS[2:]),
        *(f"{row[0]:<28}{row[1]:>7}" + "".join(f"{float(value):>16.3f}" for value in row[2:]) for row in rows),
        "",
        f"{'parameter':<34}{'before':>9}{'fitted':>9}{'95 % of the posterior':>24}{'learned':>9}",
    ]
    for row in found.fit.spread().to_dict("records"):
        interval = f"{row['low']:.2f} .. {row['high']:.2f}"
        told = "" if row["told"] else f"  {_NOTHING}"
        lines.append(
            f"{row['parameter']:<34}{row['prior_mean']:>9.2f}{row['mean']:>9.2f}{interval:>24}{row['learned']:>9.0%}{told}"
        )
    return "\n".join([*lines, "", *_remarks(found)])


def render_page_of(found: Calibration) -> str:
    """The page, in one file."""
    plan = found.fit.plan
    facts = {
        "members": str(plan.members),
        "assimilations": str(plan.assimilations),
        "lessons of each target and member": str(plan.lessons),
        "seed": str(plan.seed),
        "parameters": str(len(found.fit.names)),
        "targets": str(len(found.targets)),
    }
    return render_page("Calibration", facts, list(_sections(found)))


def _sections(found: Calibration) -> Iterator[Section]:
    groups = Table(_GROUP_COLUMNS, [tuple(row) for row in _group_rows(found)])
    yield Section("How near the targets are", _FITTED, beside_targets(found.targets), groups)
    if found.after is not None:
        yield from _prediction(found.after)
    spread = found.fit.spread()
    columns = ("parameter", "before", "fitted", "sd", "from", "to", "learned", "more than chance")
    rows: list[tuple[str | float, ...]] = [
        (
            str(row["parameter"]),
            *(float(row[name]) for name in ("prior_mean", "mean", "sd", "low", "high", "learned")),
            "yes" if row["told"] else _NOTHING,
        )
        for row in spread.to_dict("records")
    ]
    marks = ["" if told else "unsure" for told in spread["told"]]
    lead = (
        "Learned is the share of the variance before the fit that is gone after it. Lines are the middle 95 % before "
        f"and after. {_floor(found)}"
    )
    yield Section("What was learned of each parameter", lead, learned(spread), Table(columns, rows, marks))
    if found.profiles is not None:
        yield Section("One parameter moved", _PROFILES, profiled(found.profiles))
    pairs: list[tuple[str | float, ...]] = list(found.alike)
    yield Section(
        "What cannot be told apart",
        "Pairs of parameters that are correlated beyond 0.7 after the fit: the targets fix a combination of the two.",
        table=Table(("parameter", "and", "correlation"), pairs or [("none", "", "")]),
    )
    worst = found.targets.assign(off=(found.targets["after"] - found.targets["wanted"]) / found.targets["sd"])
    worst = worst.reindex(worst["off"].abs().sort_values(ascending=False).index).head(25)
    shown: list[tuple[str | float, ...]] = [
        (str(row["target"]), *(float(row[name]) for name in ("wanted", "before", "after", "off")))
        for row in worst.to_dict("records")
    ]
    yield Section(
        "What the model cannot reproduce",
        "The targets that stay furthest off, in the standard deviations with which they were asked for.",
        table=Table(("target", "wanted", "before", "fitted", "off by sds"), shown),
    )


def _prediction(found: Findings) -> Iterator[Section]:
    t = load_words("en")
    yield Section("Fitted and predicted cells of the papers", _PREDICTED, table=errors_grid(found.errors, t))
    yield Section(
        "The papers' statements",
        "None is a target itself, but what compares two tables with the lecture, or sessions, rests on fitted cells.",
        table=statements_grid(found.judged, t),
    )


def _group_rows(found: Calibration) -> Iterator[tuple[str, int, float, float, float, float]]:
    for row in found.groups.to_dict("records"):
        before, after, before_sds, after_sds = (
            float(row[name]) for name in ("before", "after", "before_sds", "after_sds")
        )
        yield str(row["group"]), int(row["targets"]), before, after, before_sds, after_sds


def _floor(found: Calibration) -> str:
    fit = found.fit
    return (
        f"Chance takes variance away, too: {len(fit.idle)} parameters were drawn and moved with the others and never "
        f"played. They seem to have learned {fit.idle.mean():.0%}, 19 of 20 of them no more than {fit.floor:.0%}: what "
        "is not above that cannot be told from chance. More members lower it."
    )


def _remarks(found: Calibration) -> Iterator[str]:
    plan, spread = found.fit.plan, found.fit.spread()
    yield _floor(found)
    if found.fit.floor > _MUCH:
        yield (
            f"Warning: {plan.members} sets are too few for {len(found.targets)} targets. What single parameters seem "
            "to have learned is mostly chance; take more members."
        )
    worse = [str(row["group"]) for row in found.groups.to_dict("records") if row["after_sds"] > row["before_sds"]]
    if worse:
        yield f"Further off than before: {', '.join(worse)}."
    nothing = [str(name) for name in spread.loc[~spread["told"], "parameter"]]
    if nothing:
        yield f"No more than chance was learned of: {', '.join(nothing)}."
    pairs = [f"{one} and {other} ({value:+.2f})" for one, other, value in found.alike[:_PAIRS]]
    if pairs:
        yield f"Hardly to be told apart: {'; '.join(pairs)}."
