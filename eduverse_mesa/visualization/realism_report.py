"""Simulated lessons beside real ones, as text and as a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eduverse_mesa.experiments.realism import Realism
from eduverse_mesa.visualization.charts.realism import gaps_beside_real, spread_beside_real
from eduverse_mesa.visualization.page import Section, Table, render_page

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
