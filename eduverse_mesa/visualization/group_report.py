"""What MathVC's groups show, as text and as a page: statements, and numbers of each arm beside the paper's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from eduverse_mesa.experiments.mathvc import ARMS, Findings, Number
from eduverse_mesa.measures.intervals import Interval
from eduverse_mesa.visualization.charts.frame import saying
from eduverse_mesa.visualization.charts.sweeps import means_by_level
from eduverse_mesa.visualization.page import Section, Table, plain_number, render_page

_SAYS = {"holds": "holds", "uncertain": "not certain", "fails": "does not hold", "unknown": "cannot be told"}
_REMARK = (
    "full: all virtual, with stages and schemas; vanilla: without; student: with a script in a student's seat, which\n"
    "thinks like a peer without a mistake and speaks whenever it may. The paper's groups had a real student.\n"
    "A difference is full minus vanilla; it is certain where the whole interval is, for which two seeds seldom do.\n"
    "Beside a number of the paper stands whether a parameter was fitted to it: that ours is near is no finding then."
)


def render_text(found: Findings) -> str:
    """Statements first, then the numbers."""
    lines = [f"MathVC's groups: {len(found.by_dialogue)} dialogues, {_seeds(found.seeds)}", _REMARK, ""]
    lines += [*_aligned([_JUDGED, *_statements(found)]), "", *_aligned([_NUMBERED, *_numbers(found)])]
    return "\n".join(lines)


def render_report(found: Findings) -> str:
    """The page, in one file."""
    facts = {"dialogues": f"{len(found.by_dialogue):,}", "seeds": str(found.seeds), "policy": found.policy}
    marks = [_MARKS[one.verdict] for one in found.judged]
    sections = [
        Section("What has to show", _HOW, table=Table(_JUDGED, _statements(found), marks)),
        *(Section(_called(name).capitalize(), "", means_by_level(_means(found, name), "")) for name in _DRAWN),
        Section("All numbers", _REMARK, table=Table(_NUMBERED, _numbers(found))),
    ]
    return render_page("MathVC's groups", facts, sections, _warning(found))


_JUDGED = ("statement", "measure", "ours", "paper", "verdict", "basis")
_NUMBERED = ("measure", *ARMS)
_DRAWN = ("turns", "words per message", "introduced", "acts")
_MARKS = {"holds": "yes", "uncertain": "unsure", "fails": "no", "unknown": ""}
_HOW = (
    "Means over dialogues, with 95 % intervals (Student's t) over seeds: the problems of a seed are averaged first. "
    "A statement holds where the whole interval does; the difference is full minus vanilla. "
    "What holds by construction could not have come out in another way: the embedded policy's plain chat says the "
    "solution, says it again, and closes."
)


def _warning(found: Findings) -> str:
    bad = {status: number for status, number in found.answers.items() if status != "ok"}
    parts = ", ".join(f"{number:,} {status}" for status, number in bad.items())
    return f"Of {sum(found.answers.values()):,} answers {parts}." if bad else ""


def _seeds(number: int) -> str:
    return f"{number} seed{'s' * (number != 1)}"


def _means(found: Findings, measure: str) -> pd.DataFrame:
    rows = [("arm", one.arm, *one.ours) for one in found.numbers if one.measure == measure]
    return pd.DataFrame(rows, columns=["factor", "level", *Interval._fields])


def _statements(found: Findings) -> list[tuple[str, ...]]:
    return [
        (
            one.text,
            _called_in(one.measure),
            interval_text(one.ours),
            _of_paper(one.paper),
            _SAYS[one.verdict],
            one.basis,
        )
        for one in found.judged
    ]


def _numbers(found: Findings) -> list[tuple[str, ...]]:
    by_place = {(one.arm, one.measure): one for one in found.numbers}
    measures = list(dict.fromkeys(one.measure for one in found.numbers))
    return [(_called(name), *(_beside(by_place[arm, name]) for arm in ARMS)) for name in measures]


def _called_in(measure: str) -> str:
    """A measure and its arm in words."""
    name, bracket, arm = measure.rpartition(" (")
    return f"{_called(name)}{bracket}{arm}"


def _called(measure: str) -> str:
    """A measure in words."""
    key = f"dialogue_{measure.replace(' ', '_')}"
    words = saying(None)(key)
    return measure if words in (key, key.replace("_", " ")) else words


def _beside(one: Number) -> str:
    """Our number, and the paper's where it reports one."""
    ours = interval_text(one.ours)
    return ours if one.paper is None else f"{ours}; paper {_of_paper(one.paper)}, {one.basis}"


def _of_paper(paper: float | None) -> str:
    return "" if paper is None else plain_number(paper)


def interval_text(ours: Interval) -> str:
    """A mean with its interval: "18.2 (17.9 to 18.5)"."""
    if ours.mean != ours.mean:
        return "–"
    if ours.n < 2 or ours.low == ours.high:
        return plain_number(ours.mean)
    return f"{plain_number(ours.mean)} ({plain_number(ours.low)} to {plain_number(ours.high)})"


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
