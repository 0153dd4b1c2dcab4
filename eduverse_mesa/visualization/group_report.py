"""What MathVC's groups show, in a terminal: statements, and numbers of each arm beside the paper's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eduverse_mesa.experiments.mathvc import ARMS, Findings, Number
from eduverse_mesa.measures.intervals import Interval
from eduverse_mesa.visualization.page import plain_number

_SAYS = {"holds": "holds", "uncertain": "not certain", "fails": "does not hold", "unknown": "cannot be told"}
_REMARK = (
    "full: all virtual, with stages and schemas; vanilla: without; student: with a script in a student's seat, which\n"
    "thinks like a peer without a mistake and speaks whenever it may. The paper's groups had a real student."
)


def render_text(found: Findings) -> str:
    """Statements first, then the numbers."""
    lines = [f"MathVC's groups: {len(found.by_dialogue)} dialogues, {found.seeds} seeds", _REMARK, ""]
    lines += [*_statements(found), "", *_numbers(found)]
    return "\n".join(lines)


def _statements(found: Findings) -> Iterator[str]:
    rows = [
        (one.text, one.measure, interval_text(one.ours), _of_paper(one.paper), _SAYS[one.verdict])
        for one in found.judged
    ]
    yield from _aligned([("statement", "measure", "ours", "paper", "verdict"), *rows])


def _numbers(found: Findings) -> Iterator[str]:
    by_place = {(one.arm, one.measure): one for one in found.numbers}
    measures = list(dict.fromkeys(one.measure for one in found.numbers))
    rows = [(name, *(_beside(by_place[arm, name]) for arm in ARMS)) for name in measures]
    yield from _aligned([("measure", *ARMS), *rows])


def _beside(one: Number) -> str:
    """Our number, and the paper's where it reports one."""
    ours = interval_text(one.ours)
    return ours if one.paper is None else f"{ours}; paper {_of_paper(one.paper)}"


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
