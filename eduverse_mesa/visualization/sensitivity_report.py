"""What measures depend on, as text and as a page."""

from __future__ import annotations

import pandas as pd

from eduverse_mesa.experiments.sensitivity import Sensitivity
from eduverse_mesa.visualization.charts.comparing import spoken
from eduverse_mesa.visualization.charts.frame import saying
from eduverse_mesa.visualization.charts.sensitivity import effects, effects_of_all, interplay
from eduverse_mesa.visualization.page import Section, Table, plain_number, render_page

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
"""What is shown of the indices, by what inputs are ranked first: with its head."""


def render_text(found: Sensitivity) -> str:
    """The inputs of each measure, the most important first; what does nothing is told in a line."""
    study = found.study
    lines = [f"{name}: {value}" for name, value in _facts(found).items()]
    called = _measures(found)
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


def _measures(found: Sensitivity) -> dict[str, str]:
    """Each measure in words, and as options and tables call it."""
    codes = [str(code) for code in found.spread["measure"]]
    return {
        code: words if words == code else f"{words} ({code})" for code, words in spoken(codes, saying(None)).items()
    }


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}"


def render_page_of(found: Sensitivity) -> str:
    """The page, in one file."""
    method = found.study.method.name
    sections = [
        Section("At a glance", "What each measure depends on most.", effects_of_all(found.indices, method)),
        Section("What was varied", "From where to where.", table=_inputs(found)),
    ]
    called = _measures(found)
    for spread in found.spread.to_dict("records"):
        name, title = str(spread["measure"]), called[str(spread["measure"])]
        ranked = _ranked(found, name)
        chance = float(spread["chance"]) if method == "morris" else None
        lead = f"From {spread['least']:.3f} to {spread['most']:.3f} over all points. {_LEADS[method]}"
        sections.append(Section(title, lead, effects(ranked, method, chance), _indices(ranked, method)))
        if method == "morris":
            sections.append(Section(f"{title}: interplay", "Far right matters; high up depends.", interplay(ranked)))
    return render_page("What matters", _facts(found), sections)


def _ranked(found: Sensitivity, measure: str) -> pd.DataFrame:
    return found.indices[found.indices["measure"] == measure].sort_values("rank", kind="stable")


def _facts(found: Sensitivity) -> dict[str, str]:
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
