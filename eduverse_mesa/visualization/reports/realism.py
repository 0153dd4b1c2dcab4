"""Reports of lessons beside real classes, of transcripts, and of a calibration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd

from eduverse_mesa.experiments.calibration.report import Calibration
from eduverse_mesa.experiments.papers.eduverse.findings import Findings
from eduverse_mesa.experiments.realism import Realism
from eduverse_mesa.measures.intervals import Interval
from eduverse_mesa.visualization.charts.studies import (
    beside_targets,
    gaps_beside_real,
    learned,
    profiled,
    spread_beside_real,
)
from eduverse_mesa.visualization.reports.document import (
    COUNT,
    NUMBER,
    SHARE,
    SIGNED,
    Block,
    Cell,
    Column,
    Figure,
    Report,
    Section,
    Table,
    between,
    columns,
    listed,
)
from eduverse_mesa.visualization.reports.experiments import errors_grid, statements_grid
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
_TWO = ".2f"


def realism_report(found: Realism) -> Report:
    """Return the aims, every measure beside real lessons, what moves cause, and published regularities."""
    missed = sum(not verdict.reached for verdict in found.verdicts)
    spread = Figure(
        partial(spread_beside_real, found.measures),
        "Middle 80 %, middle half and median of every measure, in the real lessons' standard deviations.",
    )
    gaps = (
        "How much more often the answer follows its move. The band is 0.10 around the real mean; with the turns in any "
        "order nothing should be left."
    )
    distances = _EXACT if found.reference.exact else _QUANTILES
    sections = [
        Section("Aims", [_verdicts(found)], "What a realistic class would have to reach."),
        Section("Spread", [spread]),
        Section("Every measure", [_BASIS, distances, _BETWEEN, _measures(found), _SHORT]),
        Section("What moves cause", [gaps, Figure(partial(gaps_beside_real, found.gaps)), _gaps(found)]),
        Section("Other regularities", [_UNIT, _regularities(found)]),
    ]
    warning = f"{missed} of {len(found.verdicts)} aims are missed; the tables say by how much."
    return Report("Simulated lessons beside real ones", sections, _facts(found), [warning] if missed else [])


def _facts(found: Realism) -> dict[str, str]:
    design = found.design
    pairs = int(found.lessons["pair"].sum())
    size = f"{design.smallest} to {design.largest}" if design.smallest < design.largest else f"{design.largest}"
    return {
        "real": found.reference.title,
        "simulated": f"{_many(design.lessons, 'lesson')} of {_many(design.teachers, 'teacher')}, "
        f"{found.short} too short to compare",
        "classes": f"{size} students, drawn anew for each lesson",
        "layouts": f"rows, pods and semicircle in turn; {pairs} lessons given again in another layout",
        "lesson": f"{design.taught}, {design.steps} steps",
        "policy": design.policy or "embedded",
        "seed": str(design.seed),
    }


def _many(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _verdicts(found: Realism) -> Table:
    rows = [(one.aim, one.found, "reached" if one.reached else "missed") for one in found.verdicts]
    return Table(columns("aim", "found", "verdict"), rows, ["yes" if one.reached else "no" for one in found.verdicts])


def _measures(found: Realism) -> Table:
    numbers = ("lessons", "mean", "real_mean", "sd", "real_sd", "sd_ratio", "ks")
    rows: list[Sequence[Cell]] = [
        (*_row(row, "measure", numbers), between(row["ks_low"], row["ks_high"], _TWO), row["between_teachers"])
        for row in found.measures.to_dict("records")
    ]
    heads = columns(
        "measure",
        "mean is",
        ("n", COUNT),
        ("mean", NUMBER),
        ("real mean", NUMBER),
        ("sd", NUMBER),
        ("real sd", NUMBER),
        ("ratio", _TWO),
        ("KS", _TWO),
        ("KS is from", _TWO),
        ("between", _TWO),
    )
    return Table(heads, rows)


def _gaps(found: Realism) -> Table:
    numbers = ("lessons", "mean", "real_mean", "difference", "shuffled")
    gaps = found.gaps.to_dict("records")
    rows = [(*_row(row, "gap", numbers), "within" if row["within"] else "beyond") for row in gaps]
    heads = columns(
        "contingency gap",
        "mean is",
        ("n", COUNT),
        ("mean", NUMBER),
        ("real mean", NUMBER),
        ("off by", SIGNED),
        ("in any order", NUMBER),
        "within 0.10",
    )
    return Table(heads, rows, ["yes" if row["within"] else "no" for row in gaps])


def _row(row: Mapping[Any, Any], name: str, numbers: Sequence[str]) -> tuple[Cell, ...]:
    return (str(row[name]), str(row["basis"]), *(row[key] for key in numbers))


def _regularities(found: Realism) -> Table:
    rows: list[Sequence[Cell]] = [
        (
            one.regularity.words,
            one.ours.mean,
            one.ours,
            one.regularity.published,
            one.regularity.source,
            one.basis,
            one.fit,
        )
        for one in found.regularities
    ]
    ours = columns("published regularity", ("ours", NUMBER), ("interval", NUMBER))
    heads = [*ours, Column("published"), Column("source", detail=True), *columns("basis", "fit")]
    return Table(heads, rows, [_FIT.get(one.fit, "") for one in found.regularities])


# --- transcripts ---

_DISTANCE = "distance: how many standard deviations of real lessons the mean lies from theirs."


def measures_report(measured: pd.DataFrame, beside: pd.DataFrame) -> Report:
    """Return the measures of transcripts, and their means beside the reference."""
    names = [str(name) for name in measured.index]
    short = [str(name) for name in measured.index[measured["short"].astype(bool)]]
    left_out = f"Too short to compare: {listed(short)}. {_SHORT}"
    facts = {_many(len(names), "lesson"): listed(names)}
    title = "Your lessons beside real ones"
    if len(short) == len(measured):
        each = measured.drop(columns="short").T
        rows = [(str(name), *map(_float, row)) for name, row in zip(each.index, each.to_numpy(), strict=True)]
        table = Table(columns("measure", *((name, NUMBER) for name in names)), rows)
        return Report(title, [Section("Every measure", [table])], facts, [left_out])
    compared = [
        (row["metric"], *(_float(row[name]) for name in ("mean", "real_mean", "real_sd", "distance")))
        for row in beside.to_dict("records")
    ]
    numbers = (("yours", NUMBER), ("real", NUMBER), ("sd", NUMBER), ("distance", "+.2f"))
    sections = [Section("Every measure", [Table(columns("measure", *numbers), compared), _DISTANCE])]
    return Report(title, sections, facts, [left_out] if short else [])


def _float(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not pd.isna(value) else None


# --- calibration ---

_MUCH = 0.5
"""Of the prior's variance: where chance takes so much away, little that is said of single parameters can be trusted."""
_MOST = 12
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


def calibration_report(found: Calibration) -> Report:
    """Return the errors by group, what was learned, and where the file is of use."""
    plan = found.fit.plan
    facts = {
        "members": str(plan.members),
        "assimilations": str(plan.assimilations),
        "lessons of each target and member": str(plan.lessons),
        "seed": str(plan.seed),
        "parameters": str(len(found.fit.names)),
        "targets": str(len(found.targets)),
    }
    return Report("Calibration", list(_sections(found)), facts, list(_warnings(found)))


def _warnings(found: Calibration) -> Iterator[str]:
    if found.fit.floor > _MUCH:
        yield (
            f"{found.fit.plan.members} sets are too few for {len(found.targets)} targets. What single parameters seem "
            "to have learned is mostly chance; take more members."
        )
    worse = [str(row["group"]) for row in found.groups.to_dict("records") if row["after_sds"] > row["before_sds"]]
    if worse:
        yield f"Further off than before: {', '.join(worse)}."


def _sections(found: Calibration) -> Iterator[Section]:
    errors = ("before", "after", "before_sds", "after_sds")
    groups: list[Sequence[Cell]] = [
        (row["group"], int(row["targets"]), *(float(row[name]) for name in errors))
        for row in found.groups.to_dict("records")
    ]
    said = ("error before", "error fitted", "before, in sds", "fitted, in sds")
    heads = columns("targets", ("number", COUNT), *((name, NUMBER) for name in said))
    blocks: list[Block] = [_FITTED, Figure(partial(beside_targets, found.targets)), Table(heads, groups)]
    yield Section("How near the targets are", blocks)
    if found.after is not None:
        yield from _prediction(found.after)
    yield _learned(found)
    if found.profiles is not None:
        yield Section("One parameter moved", [Figure(partial(profiled, found.profiles), _PROFILES)])
    pairs: Block = Table(columns("parameter", "and", ("correlation", "+.2f")), list(found.alike), most=_MOST)
    yield Section(
        "What cannot be told apart",
        [pairs if found.alike else "None."],
        "Pairs of parameters that are correlated beyond 0.7 after the fit: the targets fix a combination of the two.",
    )
    worst = found.targets.assign(off=(found.targets["after"] - found.targets["wanted"]) / found.targets["sd"])
    worst = worst.reindex(worst["off"].abs().sort_values(ascending=False).index).head(25)
    rows: list[Sequence[Cell]] = [
        (str(row["target"]), *(float(row[name]) for name in ("wanted", "before", "after", "off")))
        for row in worst.to_dict("records")
    ]
    numbers = (("wanted", NUMBER), ("before", NUMBER), ("fitted", NUMBER), ("off by sds", NUMBER))
    yield Section(
        "What the model cannot reproduce",
        [Table(columns("target", *numbers), rows, most=_MOST)],
        "The targets that stay furthest off, in the standard deviations with which they were asked for.",
    )


def _learned(found: Calibration) -> Section:
    spread, fit = found.fit.spread(), found.fit
    floor = (
        f"Chance takes variance away, too: {len(fit.idle)} parameters were drawn and moved with the others and never "
        f"played. They seem to have learned {fit.idle.mean():.0%}, 19 of 20 of them no more than {fit.floor:.0%}: what "
        "is not above that cannot be told from chance. More members lower it."
    )
    rows: list[Sequence[Cell]] = [
        (
            str(row["parameter"]),
            *(float(row[name]) for name in ("prior_mean", "mean", "sd")),
            Interval(row["mean"], row["low"], row["high"], 0),
            float(row["learned"]),
            "yes" if row["told"] else _NOTHING,
        )
        for row in spread.to_dict("records")
    ]
    estimates = ((name, NUMBER) for name in ("before", "fitted", "sd", "95 % of the posterior"))
    heads = columns("parameter", *estimates, ("learned", SHARE), "more than chance")
    table = Table(heads, rows, ["" if one else "unsure" for one in spread["told"]])
    how = "Learned is the share of the variance before the fit that is gone after it."
    lines = Figure(partial(learned, spread), "Lines are the middle 95 % before and after.")
    return Section("What was learned of each parameter", [f"{how} {floor}", lines, table])


def _prediction(found: Findings) -> Iterator[Section]:
    t = load_words("en")
    yield Section("Fitted and predicted cells of the papers", [errors_grid(found.errors, t)], _PREDICTED)
    yield Section(
        "The papers' statements",
        [statements_grid(found.judged, t)],
        "None is a target itself, but what compares two tables with the lecture, or sessions, rests on fitted cells.",
    )
