"""What calibration has learned of each parameter, and how near it brought every target."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from eduverse_mesa.visualization.charts.frame import WIDTH, legend
from eduverse_mesa.visualization.palette import ARMS, GREY

_BEFORE, _AFTER = "before", "fitted"


def learned(spread: pd.DataFrame, width: int = WIDTH) -> Any:
    """Of each parameter the middle 95 % before (grey) and after the fit, in standard deviations of what was expected.
    Columns as of experiments.calibration.Fit.spread."""
    rows = []
    for row in spread.sort_values("learned", ascending=False).to_dict("records"):
        scale, middle = row["prior_sd"], row["prior_mean"]
        if not scale > 0:
            continue
        common = {"parameter": row["parameter"], "learned": row["learned"]}
        rows.append({**common, "when": _BEFORE, "low": -1.96, "high": 1.96, "mean": 0.0})
        after = {name: (row[name] - middle) / scale for name in ("low", "high", "mean")}
        rows.append({**common, "when": _AFTER, **after})
    order = list(dict.fromkeys(row["parameter"] for row in rows))
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        y=alt.Y("parameter:N", sort=order, title=None, axis=alt.Axis(labelLimit=270, grid=True)),
        yOffset=alt.YOffset("when:N", sort=[_BEFORE, _AFTER]),
        color=_colours(),
        tooltip=["parameter:N", "when:N", alt.Tooltip("mean:Q", format="+.2f"), alt.Tooltip("learned:Q", format=".0%")],
    )
    bars = base.mark_rule(strokeWidth=3).encode(
        x=alt.X("low:Q", title="standard deviations of what was expected, from it"), x2="high:Q"
    )
    middle = base.mark_point(filled=True, size=40, opacity=1).encode(x="mean:Q")
    return alt.layer(bars, middle, width=width - 290, height=18 * max(len(order), 1))


def beside_targets(targets: pd.DataFrame, width: int = WIDTH) -> Any:
    """Each target against what is reached, before and after, by group. Columns as of Calibration.targets."""
    rows = []
    for row in targets.to_dict("records"):
        for when, column in ((_BEFORE, "before"), (_AFTER, "after")):
            if row[column] == row[column]:
                named = {name: row[name] for name in ("target", "group", "wanted")}
                rows.append({**named, "when": when, "reached": row[column]})
    base = alt.Chart(alt.InlineData(values=rows))
    dots = base.mark_point(filled=True, size=45, opacity=0.8).encode(
        x=alt.X("wanted:Q", title="wanted", scale=alt.Scale(zero=False)),
        y=alt.Y("reached:Q", title="reached", scale=alt.Scale(zero=False)),
        color=_colours(),
        tooltip=["target:N", "when:N", alt.Tooltip("wanted:Q", format=".3f"), alt.Tooltip("reached:Q", format=".3f")],
    )
    line = base.mark_line(color=GREY, strokeDash=[4, 3]).encode(x="wanted:Q", y="wanted:Q")
    side = (width - 90) // 2
    layered = alt.layer(line, dots, width=side - 40, height=side - 100)
    return layered.facet(alt.Facet("group:N", title=None), columns=2).resolve_scale(x="independent", y="independent")


def profiled(profiles: pd.DataFrame, width: int = WIDTH) -> Any:
    """The misfit along each parameter, the fitted value marked. Columns as of
    experiments.calibration.profiles.profile."""
    rows = [{str(name): value for name, value in row.items()} for row in profiles.to_dict("records")]
    base = alt.Chart(alt.InlineData(values=rows))
    line = base.mark_line(color=ARMS[0], point=True).encode(
        x=alt.X("value:Q", title=None, scale=alt.Scale(zero=False)),
        y=alt.Y("misfit:Q", title="misfit", scale=alt.Scale(zero=False)),
        tooltip=["parameter:N", alt.Tooltip("value:Q", format=".3f"), alt.Tooltip("misfit:Q", format=".3f")],
    )
    fitted = base.mark_rule(color=GREY, strokeDash=[4, 3]).encode(x="mean(fitted):Q")
    side = (width - 120) // 3
    layered = alt.layer(fitted, line, width=side - 30, height=side - 60)
    return layered.facet(alt.Facet("parameter:N", title=None), columns=3).resolve_scale(
        x="independent", y="independent"
    )


def _colours() -> Any:
    scale = alt.Scale(domain=[_BEFORE, _AFTER], range=[GREY, ARMS[0]])
    return alt.Color("when:N", title=None, scale=scale, legend=legend())
