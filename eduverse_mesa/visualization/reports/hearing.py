"""The report of how well an ear hears."""

from __future__ import annotations

from collections.abc import Mapping

from eduverse_mesa.hearing.scores import BARS
from eduverse_mesa.visualization.reports.document import Report, Section, Table, columns

_MEASURES: Mapping[str, str] = {
    "understood": "understood: act, manner and candidate as labelled",
    "acts_f1": "acts, mean F1",
    "first_act": "the first act is one of the label's",
    "about": "the right candidate, of what has one",
    "about_strict": "the same, none other allowed",
    "how": "manner",
    "how_kappa": "manner, kappa",
    "how_open": "denied, asked, quoted or supposed is not taken for asserted",
    "right": "right or wrong, of what is claimed",
    "right_opposed": "right taken for wrong or wrong for right",
    "contradicted": "the opposite of what was meant",
    "booked_wrongly": "a mistake booked from what nobody stands by",
    "reason_f1": "a reason is given, F1",
    "reason_for": "for the right candidate, of reasons heard",
    "move_kappa": "talk moves, kappa",
    "to": "who is spoken to",
    "trouble_recall": "children in trouble, recall",
    "trouble_false": "false alarms",
    "calibration_error": "calibration error of the confidence",
}


def score_report(scores: Mapping[str, Mapping[str, float]], who: str) -> Report:
    """Measures of what was heard beside labels: a column for all lines, and one for each language."""
    names = {"": "all", "en": "English", "zh": "Chinese"}
    headings = [(names.get(one, one), ".3f") for one in scores]
    whole = scores[""]
    rows, marks = [], []
    for name, meaning in _MEASURES.items():
        if name in whole:
            rows.append([meaning, *(one.get(name) for one in scores.values()), _bar(name)])
            marks.append(_mark(name, whole[name]))
    acts = [
        [name.removeprefix("act_"), *(one.get(name) for one in scores.values())]
        for name in whole
        if name.startswith("act_")
    ]
    facts = {"lines": f"{whole['lines']:.0f}", "labelled by": who}
    return Report(
        title="How well lines were heard",
        facts=facts,
        sections=[
            Section("Measures", [Table(columns("measure", *headings, "bar"), rows, marks)]),
            Section("F1 of each act", [Table(columns("act", *headings), acts)]),
        ],
    )


def _bar(name: str) -> str:
    if name not in BARS:
        return ""
    bar, more = BARS[name]
    return f"{'at least' if more else 'at most'} {bar:g}"


def _mark(name: str, value: float) -> str:
    if name not in BARS:
        return ""
    bar, more = BARS[name]
    return "yes" if (value >= bar if more else value <= bar) else "no"
