"""What measures depend on: inputs by their indices, and all measures at a glance."""

from __future__ import annotations

from typing import Any, Literal

import altair as alt
import pandas as pd

from eduverse_mesa.visualization.charts.frame import WIDTH
from eduverse_mesa.visualization.palette import ARMS, GREY, ORANGE

Method = Literal["morris", "sobol"]
_FIRST = {"morris": ("mu_star", "mu_star_conf", "mu*"), "sobol": ("ST", "ST_conf", "total effect ST")}
_MOST = 40


def effects(indices: pd.DataFrame, method: Method, chance: float | None = None, width: int = WIDTH) -> Any:
    """The inputs of one measure by their effects, each with its 95 % interval; of Sobol's method the effect alone (S1)
    beside the total one. `chance` is where luck would reach."""
    column, half, title = _FIRST[method]
    shown = indices[indices[column].notna()].nlargest(_MOST, column)
    rows = [
        {"input": row["input"], "which": title, "value": row[column], "half": row[half]}
        for row in shown.to_dict("records")
    ]
    if method == "sobol":
        rows += [
            {"input": row["input"], "which": "alone S1", "value": row["S1"], "half": row["S1_conf"]}
            for row in shown.to_dict("records")
        ]
    for row in rows:
        row["low"], row["high"] = row["value"] - row["half"], row["value"] + row["half"]
    names = [title, "alone S1"] if method == "sobol" else [title]
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        y=alt.Y("input:N", sort=shown["input"].tolist(), title=None, axis=alt.Axis(labelLimit=260)),
        yOffset=alt.YOffset("which:N", sort=names),
        color=alt.Color(
            "which:N",
            title=None,
            scale=alt.Scale(domain=names, range=[ARMS[0], ORANGE][: len(names)]),
            legend=alt.Legend(orient="bottom") if len(names) > 1 else None,
        ),
        tooltip=["input:N", "which:N", alt.Tooltip("value:Q", format=".4f"), alt.Tooltip("half:Q", format=".4f")],
    )
    bars = base.mark_bar(opacity=0.75).encode(x=alt.X("value:Q", title=title))
    spans = base.mark_rule(strokeWidth=1.5, color=GREY).encode(x="low:Q", x2="high:Q", color=alt.value(GREY))
    layers = [bars, spans]
    if chance is not None and chance == chance:
        mark = alt.Chart(alt.InlineData(values=[{}])).mark_rule(strokeDash=[4, 3], color=GREY)
        layers.append(mark.encode(x=alt.datum(chance)))
    return alt.layer(*layers, width=width - 280, height=(12 * len(names) + 6) * max(len(shown), 1))


def effects_of_all(indices: pd.DataFrame, method: Method, width: int = WIDTH) -> Any:
    """Every input and measure: the darker, the nearer to what matters most for the measure."""
    column = _FIRST[method][0]
    largest = indices.groupby("measure")[column].transform("max")
    table = indices.assign(share=(indices[column] / largest).where(largest > 0))
    order = table.groupby("input")["share"].mean().sort_values(ascending=False, kind="stable").index.tolist()[:_MOST]
    rows = [
        {"input": row["input"], "measure": row["measure"], "share": row["share"], "value": row[column]}
        for row in table[table["input"].isin(order)].to_dict("records")
        if row["share"] == row["share"]
    ]
    chart = alt.Chart(alt.InlineData(values=rows)).mark_rect()
    return chart.encode(
        x=alt.X("measure:N", title=None, sort=list(dict.fromkeys(indices["measure"])), axis=alt.Axis(labelAngle=-40)),
        y=alt.Y("input:N", title=None, sort=order, axis=alt.Axis(labelLimit=260)),
        color=alt.Color("share:Q", title="share of the largest", scale=alt.Scale(scheme="blues", domain=[0, 1])),
        tooltip=["input:N", "measure:N", alt.Tooltip("value:Q", format=".4f"), alt.Tooltip("share:Q", format=".2f")],
    ).properties(width=width - 330, height=18 * max(len(order), 1))


def interplay(indices: pd.DataFrame, width: int = WIDTH) -> Any:
    """Morris' plane: far right matters, high up depends on the other inputs or is not a straight line."""
    table = indices[["input", "mu_star", "sigma"]].dropna()
    rows: list[dict[str, Any]] = [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("mu_star:Q", title="mu*"),
        y=alt.Y("sigma:Q", title="sigma"),
        tooltip=["input:N", "mu_star:Q", "sigma:Q"],
    )
    dots = base.mark_circle(size=70, color=ARMS[0], opacity=0.8)
    names = base.mark_text(align="left", dx=6, fontSize=10, color=GREY).encode(text="input:N")
    return alt.layer(dots, names, width=width - 100, height=260)
