"""What MathVC's groups show, in a terminal: statements, and numbers with and without stages beside the paper's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eduverse_mesa.experiments.mathvc import ARMS, Findings
from eduverse_mesa.measures.intervals import Interval
from eduverse_mesa.visualization.page import plain_number

_SAYS = {"holds": "holds", "uncertain": "not certain", "fails": "does not hold", "unknown": "cannot be told"}
_REMARK = (
    "All members are virtual: the paper's numbers are of groups with a student, whose 295 of 695 messages are "
    "nobody's here."
)


def render_text(found: Findings) -> str:
    """Statements first, then the numbers."""
    lines = [f"MathVC's groups, all virtual: {len(found.by_dialogue)} dialogues, {found.seeds} seeds", _REMARK, ""]
    lines += [*_statements(found), "", *_numbers(found)]
    return "\n".join(lines)


def _statements(found: Findings) -> Iterator[str]:
    rows = [
        (one.text, one.measure, interval_text(one.ours), _SAYS[one.verdict]) for one in found.judged
    ]  # fmt: skip
    yield from _aligned([("statement", "measure", "ours", "verdict"), *rows])


def _numbers(found: Findings) -> Iterator[str]:
    by_place = {(one.arm, one.measure): one for one in found.numbers}
    measures = list(dict.fromkeys(one.measure for one in found.numbers))
    rows = []
    for name in measures:
        paper = by_place[ARMS[0], name].paper
        ours = [interval_text(by_place[arm, name].ours) for arm in ARMS]
        rows.append((name, *ours, plain_number(paper) if paper is not None else ""))
    yield from _aligned([("measure", *ARMS, "paper"), *rows])


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
