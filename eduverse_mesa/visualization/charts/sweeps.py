"""A measure at the levels of the factors of a sweep."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from eduverse_mesa.visualization.charts.frame import WIDTH
from eduverse_mesa.visualization.palette import BLUE, GREY

_LINE = 22
_LABELS = 230


def means_by_level(means: pd.DataFrame, everything: str, width: int = WIDTH) -> Any:
    """Dots with their intervals, a line for each level, the factors below each other on one axis.

    `means` holds one measure (columns factor, level, mean, low, high, n); its rows of the factor `everything` become
    a grey rule across all others.
    """
    overall = [float(row["mean"]) for row in means.to_dict("records") if row["factor"] == everything]
    rows = [
        {
            "factor": str(row["factor"]),
            "line": f"{row['factor']}: {row['level']}",
            "mean": row["mean"],
            "low": row["low"] if row["low"] == row["low"] else row["mean"],
            "high": row["high"] if row["high"] == row["high"] else row["mean"],
            "seeds": row["n"],
        }
        for row in means.to_dict("records")
        if row["mean"] == row["mean"] and (row["factor"] != everything or len(means) == 1)
    ]
    order = list(dict.fromkeys(row["line"] for row in rows))
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        y=alt.Y("line:N", sort=order, title=None, axis=alt.Axis(labelLimit=_LABELS, grid=True)),
        tooltip=["line:N", *(alt.Tooltip(f"{name}:Q", format=".3f") for name in ("mean", "low", "high")), "seeds:Q"],
    )
    axis = alt.X("low:Q", title=None, scale=alt.Scale(zero=False))
    bars = base.mark_rule(strokeWidth=2, color=BLUE).encode(x=axis, x2="high:Q")
    dots = base.mark_point(filled=True, size=70, color=BLUE, opacity=1).encode(x="mean:Q")
    across = (
        alt.Chart(alt.InlineData(values=[{"mean": value} for value in overall]))
        .mark_rule(color=GREY, strokeDash=[4, 4])
        .encode(x="mean:Q")
    )
    return alt.layer(across, bars, dots, width=width - _LABELS - 20, height=_LINE * max(len(order), 1))
