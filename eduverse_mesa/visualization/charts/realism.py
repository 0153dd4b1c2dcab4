"""Simulated lessons beside real ones: spread of every measure, and the contingency gaps."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from eduverse_mesa.visualization.charts.frame import WIDTH, legend
from eduverse_mesa.visualization.palette import ARMS, GREY, ORANGE

_OURS, _REAL, _SHUFFLED = "simulated", "real", "simulated, turns in any order"
_QUANTILES = ("q10", "q25", "q50", "q75", "q90")


def spread_beside_real(measures: pd.DataFrame, width: int = WIDTH) -> Any:
    """Of each measure the middle 80 % (thin), the middle half (thick) and the median, ours and the real lessons', in
    the real lessons' standard deviations from their mean. Columns as in experiments.realism.Realism.measures."""
    rows = []
    for row in measures.to_dict("records"):
        scale = row["real_sd"]
        if not scale > 0:
            continue
        for who, prefix in ((_OURS, ""), (_REAL, "real_")):
            found = {name: (row[prefix + name] - row["real_mean"]) / scale for name in _QUANTILES}
            if found["q50"] == found["q50"]:
                rows.append({"measure": str(row["measure"]).replace("_", " "), "who": who, **found})
    order = list(dict.fromkeys(row["measure"] for row in rows))
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        y=alt.Y("measure:N", sort=order, title=None, axis=alt.Axis(labelLimit=270, grid=True)),
        yOffset=alt.YOffset("who:N", sort=[_OURS, _REAL]),
        color=_colours([_OURS, _REAL], [ARMS[0], GREY]),
        tooltip=["measure:N", "who:N", *(alt.Tooltip(f"{name}:Q", format="+.2f") for name in _QUANTILES)],
    )
    title = "standard deviations of real lessons from their mean"
    thin = base.mark_rule(strokeWidth=1.5).encode(x=alt.X("q10:Q", title=title), x2="q90:Q")
    thick = base.mark_rule(strokeWidth=6).encode(x="q25:Q", x2="q75:Q")
    middle = base.mark_point(filled=True, size=45, fill="#ffffff", strokeWidth=2, opacity=1).encode(x="q50:Q")
    return alt.layer(thin, thick, middle, width=width - 290, height=26 * max(len(order), 1))


def gaps_beside_real(gaps: pd.DataFrame, width: int = WIDTH) -> Any:
    """Each contingency gap: ours, ours with the turns in any order, and the real lessons', with what is near enough."""
    rows, bands = [], []
    for row in gaps.to_dict("records"):
        name = str(row["gap"]).removeprefix("gap_").replace("_", " ")
        bands.append({"gap": name, "low": row["real_mean"] - 0.1, "high": row["real_mean"] + 0.1})
        for who, column in ((_OURS, "mean"), (_SHUFFLED, "shuffled"), (_REAL, "real_mean")):
            if row[column] == row[column]:
                rows.append({"gap": name, "who": who, "value": row[column]})
    y = alt.Y("gap:N", title=None, sort=[band["gap"] for band in bands], axis=alt.Axis(labelLimit=270, grid=True))
    near = (
        alt.Chart(alt.InlineData(values=bands))
        .mark_rule(strokeWidth=12, color=GREY, opacity=0.3)
        .encode(y=y, x=alt.X("low:Q", title="difference of shares"), x2="high:Q")
    )
    dots = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_point(filled=True, size=110, opacity=1)
        .encode(
            y=y,
            x="value:Q",
            color=_colours([_OURS, _SHUFFLED, _REAL], [ARMS[0], ORANGE, GREY]),
            shape=alt.Shape("who:N", sort=[_OURS, _SHUFFLED, _REAL], legend=None),
            tooltip=["gap:N", "who:N", alt.Tooltip("value:Q", format=".3f")],
        )
    )
    return alt.layer(near, dots, width=width - 290, height=34 * max(len(bands), 1))


def _colours(names: list[str], shades: list[str]) -> alt.Color:
    return alt.Color("who:N", title=None, scale=alt.Scale(domain=names, range=shades), legend=legend(columns=3))
