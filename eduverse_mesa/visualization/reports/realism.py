"""Lessons beside real classes, and a calibration to them: as text and as a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from eduverse_mesa.experiments.calibration.report import Calibration
from eduverse_mesa.experiments.papers.eduverse.findings import Findings
from eduverse_mesa.experiments.realism import Realism
from eduverse_mesa.visualization.charts.studies import (
    beside_targets,
    gaps_beside_real,
    learned,
    profiled,
    spread_beside_real,
)
from eduverse_mesa.visualization.reports.experiments import errors_grid, statements_grid
from eduverse_mesa.visualization.reports.page import Section, Table, render_page
from eduverse_mesa.visualization.words import load_words

_QUANTILES = (
    "KS: the largest difference of the two distribution functions. Of the real lessons only the 10, 25, 50, 75 and "
    "90 % quantiles are at hand. The estimate takes the function between them as a straight line; outside them a "
    "difference counts only as far as it is certain. The true distance is somewhere from the least to the most: "
    "what runs between the quantiles can make up 0.25, so that even real lessons would have about that as the most."
)
_EXACT = "KS: the largest difference of the two distribution functions, from the single lessons on both sides."
_BETWEEN = (
    "between: the share of the variance that lies between teachers (intraclass correlation; below 0: no more than "
    "chance)."
)
_SHORT = "Lessons with fewer than 20 turns of either role are left out, as in the reference."
_UNIT = "ours: mean over teachers, with the 95 % interval of their means. near: off, but the interval reaches it."
_BASIS = (
    "fitted: the default parameters were fitted to this mean of real lessons (not to spreads, distances or shares "
    "between teachers), so that it is near is no test of the model. predicted: nothing was fitted to it."
)
_FIT = {"fits": "yes", "does not fit": "no"}


def render_text(report: Realism) -> str:
    """The tables, the verdicts, and how to read them."""
    lines = [f"{name}: {value}" for name, value in _facts(report).items()]
    head = (
        f"{'measure':<42} {'mean is':<9} {'n':>4} {'mean':>8} {'real':>8} {'sd':>7} {'real':>7} {'ratio':>6} {'KS':>5} "
        f"{'least':>8} {'most':>5} {'between':>8}"
    )
    lines += ["", head]
    for row in report.measures.to_dict("records"):
        lines.append(
            f"{row['measure']:<42} {row['basis']:<9} {row['lessons']:>4} {_number(row['mean']):>8} "
            f"{_number(row['real_mean']):>8} {_number(row['sd']):>7} {_number(row['real_sd']):>7} "
            f"{_number(row['sd_ratio'], 2):>6} {_number(row['ks'], 2):>5} {_number(row['ks_low'], 2):>8} "
            f"{_number(row['ks_high'], 2):>5} {_number(row['between_teachers'], 2):>8}"
        )
    lines += [
        "",
        f"{'contingency gap':<42} {'mean is':<9} {'n':>4} {'mean':>8} {'real':>8} {'off by':>8} {'shuffled':>9}",
    ]
    for row in report.gaps.to_dict("records"):
        lines.append(
            f"{row['gap']:<42} {row['basis']:<9} {row['lessons']:>4} {_number(row['mean']):>8} "
            f"{_number(row['real_mean']):>8} {_number(row['difference'], sign=True):>8} {_number(row['shuffled']):>9}"
            f"{'' if row['within'] else '  beyond 0.10'}"
        )
    lines += ["", f"{'published regularity':<60} {'ours':>7} {'interval':>18}  {'published':<13} {'basis':<9} fit"]
    for one in report.regularities:
        interval = f"{_number(one.ours.low)} .. {_number(one.ours.high)}"
        lines.append(
            f"{one.regularity.words:<60} {_number(one.ours.mean):>7} {interval:>18}  {one.regularity.published:<13} "
            f"{one.basis:<9} {one.fit}"
        )
    lines += ["", "Aims"]
    lines += [f"  {'reached' if v.reached else 'MISSED ':<8} {v.aim}: {v.found}" for v in report.verdicts]
    return "\n".join([*lines, "", *_notes(report)])


def render_page_of(report: Realism) -> str:
    """The page, in one file."""
    missed = sum(not verdict.reached for verdict in report.verdicts)
    warning = f"{missed} of {len(report.verdicts)} aims are missed; the tables say by how much." if missed else ""
    notes = _notes(report)
    sections = [
        Section("Aims", "What a realistic class would have to reach.", table=_verdicts(report)),
        Section(
            "Spread",
            "Middle 80 %, middle half and median of every measure, in the real lessons' standard deviations.",
            spread_beside_real(report.measures),
        ),
        Section("Every measure", " ".join(notes[:3]), table=_measures(report), note=notes[3]),
        Section(
            "What moves cause",
            "How much more often the answer follows its move. The band is 0.10 around the real mean; with the turns in "
            f"any order nothing should be left. {_BASIS}",
            gaps_beside_real(report.gaps),
            _gaps(report),
        ),
        Section("Other regularities", f"{_UNIT} {_BASIS}", table=_regularities(report)),
    ]
    return render_page("Simulated lessons beside real ones", _facts(report), sections, warning)


def _facts(report: Realism) -> dict[str, str]:
    design = report.design
    pairs = int(report.lessons["pair"].sum())
    size = f"{design.smallest} to {design.largest}" if design.smallest < design.largest else f"{design.largest}"
    return {
        "real": report.reference.title,
        "simulated": f"{_many(design.lessons, 'lesson')} of {_many(design.teachers, 'teacher')}, "
        f"{report.short} too short to compare",
        "classes": f"{size} students, drawn anew for each lesson",
        "layouts": f"rows, pods and semicircle in turn; {pairs} lessons given again in another layout",
        "lesson": f"{design.taught}, {design.steps} steps",
        "policy": design.policy or "embedded",
        "seed": str(design.seed),
    }


def _many(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _notes(report: Realism) -> list[str]:
    return [_BASIS, _EXACT if report.reference.exact else _QUANTILES, _BETWEEN, _SHORT, _UNIT]


def _verdicts(report: Realism) -> Table:
    rows = [(v.aim, v.found, "reached" if v.reached else "missed") for v in report.verdicts]
    return Table(("aim", "found", ""), rows, ["yes" if v.reached else "no" for v in report.verdicts])


def _measures(report: Realism) -> Table:
    columns = ("lessons", "mean", "real_mean", "sd", "real_sd", "sd_ratio", "ks", "between_teachers")
    rows: list[tuple[str | float, ...]] = []
    for row in report.measures.to_dict("records"):
        *cells, between = _row(row, "measure", columns)
        rows.append((*cells, f"{_number(row['ks_low'], 2)} to {_number(row['ks_high'], 2)}", between))
    head = ("measure", "mean is", "n", "mean", "real", "sd", "real sd", "ratio", "KS", "KS is from", "between")
    return Table(head, rows)


def _gaps(report: Realism) -> Table:
    columns = ("lessons", "mean", "real_mean", "difference", "shuffled")
    found = report.gaps.to_dict("records")
    rows = [(*_row(row, "gap", columns), "within" if row["within"] else "beyond") for row in found]
    head = ("gap", "mean is", "lessons", "mean", "real", "off by", "in any order", "within 0.10")
    return Table(head, rows, ["yes" if row["within"] else "no" for row in found])


def _row(row: Mapping[Any, Any], name: str, columns: tuple[str, ...]) -> tuple[str | float, ...]:
    return (
        str(row[name]),
        str(row["basis"]),
        *(str(row[key]) if key == "lessons" else float(row[key]) for key in columns),
    )


def _regularities(report: Realism) -> Table:
    rows = [
        (
            one.regularity.words,
            one.ours.mean,
            one.ours.low,
            one.ours.high,
            one.regularity.published,
            one.regularity.source,
            one.basis,
            one.fit,
        )
        for one in report.regularities
    ]
    head = ("what", "ours", "from", "to", "published", "source", "basis", "fit")
    return Table(head, rows, [_FIT.get(one.fit, "") for one in report.regularities])


def _number(value: float, digits: int = 3, sign: bool = False) -> str:
    if value != value:
        return "-"
    return f"{value:+.{digits}f}" if sign else f"{value:.{digits}f}"


_NOTE = (
    "distance: how many standard deviations of real lessons the mean lies from theirs. Lessons with fewer than "
    "20 turns of either role are left out, as in the reference."
)


def render_measures(measured: pd.DataFrame, beside: pd.DataFrame) -> str:
    """Each lesson's measures, and their means beside the reference."""
    short = [str(name) for name in measured.index[measured["short"].astype(bool)]]
    lines = [f"{len(measured)} lesson{'s' if len(measured) != 1 else ''}: {', '.join(map(str, measured.index))}"]
    if short:
        lines.append(f"too short to compare: {', '.join(short)}")
    full = len(measured) - len(short)
    if not full:
        lines += ["", *_plain(measured)]
        return "\n".join(lines)
    lines += ["", f"{'measure':<44} {'yours':>8} {'real':>8} {'sd':>7} {'distance':>9}"]
    for row in beside.itertuples():
        lines.append(
            f"{row.metric:<44} {_measure_number(row.mean):>8} {_measure_number(row.real_mean):>8} "
            f"{_measure_number(row.real_sd):>7} {_measure_number(row.distance, sign=True):>9}"
        )
    lines += ["", _NOTE]
    return "\n".join(lines)


def _plain(measured: pd.DataFrame) -> list[str]:
    rows = measured.drop(columns="short").T
    return [
        f"{name!s:<44} " + " ".join(f"{_measure_number(value):>8}" for value in row) for name, row in rows.iterrows()
    ]


def _measure_number(value: object, sign: bool = False) -> str:
    if not isinstance(value, (int, float)) or pd.isna(value):
        return "-"
    return f"{value:+.2f}" if sign else f"{value:.3f}"


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


def render_calibration(found: Calibration) -> str:
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


def render_calibration_page(found: Calibration) -> str:
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
