"""What a fork changed, as text."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from pydantic import BaseModel

_SHOWN = 25


def render_fork(parent: str, fork: str, changes: Sequence[BaseModel], difference: pd.DataFrame) -> str:
    """The changes, and the measures that differ, largest difference first."""
    lines = [f"{fork}", f"  forked from {parent}", ""]
    lines += [f"  changed: {change.model_dump()}" for change in changes]
    moved = difference[difference["difference"].abs() > 0]
    lines.append("")
    if moved.empty:
        lines.append("Nothing differs.")
        return "\n".join(lines)
    order = moved["difference"].abs().sort_values(ascending=False, kind="stable").index
    lines.append(f"{'measure':<44} {'before':>9} {'after':>9} {'difference':>11}")
    for row in moved.loc[order].head(_SHOWN).itertuples():
        lines.append(f"{row.measure:<44} {row.before:>9.3f} {row.after:>9.3f} {row.difference:>+11.3f}")
    if len(moved) > _SHOWN:
        lines.append(f"... and {len(moved) - _SHOWN} more (--json shows all)")
    lines += ["", "One pair of runs is one sample: repeat it over seeds before you believe it."]
    return "\n".join(lines)
