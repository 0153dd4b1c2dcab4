"""Measures of lessons beside real classes, as text."""

from __future__ import annotations

import pandas as pd

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
            f"{row.metric:<44} {_number(row.mean):>8} {_number(row.real_mean):>8} {_number(row.real_sd):>7} "
            f"{_number(row.distance, sign=True):>9}"
        )
    lines += ["", _NOTE]
    return "\n".join(lines)


def _plain(measured: pd.DataFrame) -> list[str]:
    rows = measured.drop(columns="short").T
    return [f"{name!s:<44} " + " ".join(f"{_number(value):>8}" for value in row) for name, row in rows.iterrows()]


def _number(value: object, sign: bool = False) -> str:
    if not isinstance(value, (int, float)) or pd.isna(value):
        return "-"
    return f"{value:+.2f}" if sign else f"{value:.3f}"
