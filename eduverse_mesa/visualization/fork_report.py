"""What a fork changed, as text."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from eduverse_mesa.models.classroom import Intervention
from eduverse_mesa.visualization.charts.comparing import spoken
from eduverse_mesa.visualization.charts.frame import saying

_CLASS = ("bec.", "irf.", "equity.", "network.")
_COLUMNS = ("measure", "before", "after", "difference")
_SHOWN = 12
"""Rows of a block at most; --json has all."""


def render_fork(
    parent: str, fork: str, changes: Sequence[Intervention], difference: pd.DataFrame, warnings: Sequence[str] = ()
) -> str:
    """The change, then what differs: for the student it was made to, for the class, for the others."""
    lines = [fork, f"  forked from {parent}"]
    lines += [f"  from step {change.step} of lesson {change.lesson} on: {change}" for change in changes]
    lines += [f"!! {warning}" for warning in warnings]
    moved = difference[difference["difference"].abs() > 0]
    if moved.empty:
        lines += ["", "Nothing differs: the change made no difference, or changed nothing."]
        return "\n".join(lines)
    names = list(dict.fromkeys(name for change in changes if (name := getattr(change, "student", ""))))
    about = {name: moved["measure"].str.startswith(f"student.{name}.") for name in names}
    for name, rows in about.items():
        lines += _block(name, moved[rows], f"{name}: ")
    centralities = moved["measure"].str.startswith("network.students.")
    lines += _block("The class", moved[moved["measure"].str.startswith(_CLASS) & ~centralities], "")
    others = moved["measure"].str.startswith("student.")
    for rows in about.values():
        others &= ~rows
    lines += _block("Other students", moved[others], "")
    lines += ["", "One pair of runs is one sample: repeat it over seeds before you believe it."]
    return "\n".join(lines)


def _block(title: str, rows: pd.DataFrame, prefix: str) -> list[str]:
    if rows.empty:
        return []
    order = rows["difference"].abs().sort_values(ascending=False, kind="stable").index
    shown = rows.loc[order].head(_SHOWN)
    lines = ["", f"{title:<44} {'before':>9} {'after':>9} {'difference':>11}"]
    called = spoken(shown["measure"], saying(None))
    for name, *numbers in zip(*(shown[column].tolist() for column in _COLUMNS), strict=True):
        before, after, change = numbers
        lines.append(f"  {called[name].removeprefix(prefix):<42} {before:>9.3f} {after:>9.3f} {change:>+11.3f}")
    if len(rows) > _SHOWN:
        lines.append(f"  ... and {len(rows) - _SHOWN} more (--json shows all)")
    return lines
