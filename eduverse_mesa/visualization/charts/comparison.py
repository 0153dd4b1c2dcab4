"""Charts of runs beside each other: means with intervals, paired differences, series, and levels of factors."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import pandas as pd

from eduverse_mesa.visualization.charts import vega as alt
from eduverse_mesa.visualization.charts.frame import (
    WIDTH,
    ChartFunction,
    Drawing,
    Rows,
    Say,
    Width,
    Words,
    colours,
    empty,
    legend,
    line_at,
    named,
    over_time,
    saying,
    source,
    steps_axis,
    strokes,
    wide,
)
from eduverse_mesa.visualization.palette import ARMS, BLUE, GREY, in_turn


def measure_words(measure: str, say: Say) -> str:
    """A measure as it is said: `bec.b_offtask`, or `student.Li Wei.attention`."""
    group, _, rest = measure.partition(".")
    student, _, key = rest.removeprefix("students.").rpartition(".")
    if group == "student" or (group == "network" and student):
        return say("of_student").format(student=student, measure=say(key))
    # `i` alone says nothing, and `irf` is the group's name.
    whole = measure if group in {"irf", "outcomes", "dialogue", "stage"} else rest or group
    return say(whole.replace(".", "_"))


def spoken(measures: Iterable[str], say: Say) -> dict[str, str]:
    """Measures as they are said, each different from the others."""
    keys = list(dict.fromkeys(measures))
    shown = named(measure_words(key, say) for key in keys)
    taken: dict[str, str] = {}
    for key in keys:
        words = shown[measure_words(key, say)]
        taken[key] = words if words not in taken.values() else f"{words} ({key.partition('.')[0]})"
    return taken


@ChartFunction
def measure_intervals(
    summary: pd.DataFrame, values: pd.DataFrame | None = None, *, words: Words | None = None, width: Width = WIDTH
) -> Drawing:
    """A dot and an interval for each measure and arm (columns arm, measure, mean, low, high, n).

    `values` (columns arm, measure, seed, value) adds the single runs."""
    say = saying(words)
    if summary.empty:
        return empty("nothing_to_compare", say, width)
    arms = named(summary["arm"])
    measures = spoken(summary["measure"], say)
    columns = (summary[name].tolist() for name in ("arm", "measure", "mean", "low", "high", "n"))
    rows = [
        {
            "arm": arms[arm],
            "measure": measures[measure],
            "mean": mean,
            "low": low if math.isfinite(low) else mean,
            "high": high if math.isfinite(high) else mean,
            "n": n,
            "ev_on": {"measure": measure},
        }
        for arm, measure, mean, low, high, n in zip(*columns, strict=True)
        if math.isfinite(mean)
    ]
    single = [] if values is None else _single(values, arms, measures)
    shape = (tuple(arms.values()), tuple(measures.values()), bool(single), say, width)
    return Drawing(_intervals, shape, {"intervals": rows, **({"single": single} if single else {})})


def _single(values: pd.DataFrame, arms: dict[str, str], measures: dict[str, str]) -> Rows:
    columns = (values[name].tolist() for name in ("arm", "measure", "seed", "value"))
    return [
        {"arm": arms[arm], "measure": measures[measure], "seed": seed, "mean": value}
        for arm, measure, seed, value in zip(*columns, strict=True)
        if arm in arms and measure in measures and math.isfinite(value)
    ]


def _intervals(arms: tuple[str, ...], measures: tuple[str, ...], singles: bool, say: Say, width: Width) -> Any:
    meanings = in_turn(arms)
    place: dict[str, Any] = {
        "y": alt.Y("measure:N", title=None, sort=list(measures), axis=alt.Axis(labelLimit=170, grid=True)),
        "yOffset": alt.YOffset("arm:N", sort=list(arms), scale=alt.Scale(paddingOuter=0.4)),
        "color": colours(
            "arm", meanings, legend=legend(symbolType="circle", columns=2, labelLimit=240, symbolOpacity=1)
        ),
    }
    told = [
        alt.Tooltip("measure:N", title=say("measure")),
        alt.Tooltip("arm:N", title=say("arm")),
        alt.Tooltip("mean:Q", title=say("mean"), format=".3f"),
        alt.Tooltip("low:Q", title=say("interval_from"), format=".3f"),
        alt.Tooltip("high:Q", title=say("interval_to"), format=".3f"),
        alt.Tooltip("n:Q", title=say("runs")),
    ]
    x = alt.X("mean:Q", title=None, scale=alt.Scale(zero=False, nice=True))
    single = (
        alt.Chart(source("single"))
        .mark_tick(size=7, thickness=1, opacity=0.45)
        .encode(**place, x=x, tooltip=[alt.Tooltip("seed:Q", title=say("seed")), alt.Tooltip("mean:Q", format=".3f")])
    )
    base = alt.Chart(source("intervals")).encode(**place, tooltip=told)
    bars = base.mark_rule(strokeWidth=2.5, strokeCap="round").encode(x=alt.X("low:Q", title=None), x2="high:Q")
    dots = base.mark_circle(size=80, opacity=1).encode(x=x)
    # A layer without data has no extent, which Vega complains of.
    layers = [*([single] if singles else []), bars, dots]
    return alt.layer(*layers, width=width, height=(14 * len(arms) + 6) * len(measures))


@ChartFunction
def paired_differences(differences: pd.DataFrame, *, words: Words | None = None, width: Width = WIDTH) -> Drawing:
    """Differences with their intervals around zero (columns measure, difference, low, high, n).

    Where an interval leaves out zero, the dot is filled."""
    say = saying(words)
    if differences.empty:
        return empty("nothing_to_compare", say, width)
    measures = spoken(differences["measure"], say)
    columns = (differences[name].tolist() for name in ("measure", "difference", "low", "high", "n"))
    rows = [
        {
            "measure": measures[measure],
            "difference": difference,
            "low": low if math.isfinite(low) else difference,
            "high": high if math.isfinite(high) else difference,
            "clear": math.isfinite(low) and (low > 0 or high < 0),
            "n": n,
            "ev_on": {"measure": measure},
        }
        for measure, difference, low, high, n in zip(*columns, strict=True)
        if math.isfinite(difference)
    ]
    shape = (tuple(measures.values()), say, width)
    return Drawing(_differences, shape, {"differences": rows})


def _differences(measures: tuple[str, ...], say: Say, width: Width) -> Any:
    y = alt.Y("measure:N", title=None, sort=list(measures), axis=alt.Axis(labelLimit=170, grid=True))
    told = [
        alt.Tooltip("measure:N", title=say("measure")),
        alt.Tooltip("difference:Q", title=say("difference"), format="+.3f"),
        alt.Tooltip("low:Q", title=say("interval_from"), format="+.3f"),
        alt.Tooltip("high:Q", title=say("interval_to"), format="+.3f"),
        alt.Tooltip("n:Q", title=say("pairs")),
    ]
    colour = ARMS[1]
    base = alt.Chart(source("differences")).encode(y=y, tooltip=told)
    zero = line_at(x=alt.datum(0))
    bars = base.mark_rule(strokeWidth=2.5, color=colour, strokeCap="round").encode(
        x=alt.X("low:Q", title=say("difference"), axis=alt.Axis(format="+.2~f")), x2="high:Q"
    )
    dots = base.mark_point(size=80, filled=True, stroke=colour, strokeWidth=2, opacity=1).encode(
        x="difference:Q",
        fill=alt.when("datum.clear").then(alt.value(colour)).otherwise(alt.value("#FFFFFF")),
    )
    return alt.layer(zero, bars, dots, width=width, height=20 * len(measures))


@ChartFunction
def series_together(
    series: pd.DataFrame,
    title: str = "value",
    *,
    domain: tuple[float, float] | None = (0.0, 1.0),
    words: Words | None = None,
    width: Width = WIDTH,
    steps: int = 1,
) -> Drawing:
    """A value of each run, step by step (columns run, step, value), with one mark for the current step of all."""
    say = saying(words)
    found = series[series["value"].notna()]
    if found.empty:
        return empty("no_steps_yet", say, width)
    runs = named(found["run"])
    rows = [
        {"run": runs[run], "step": step, "from": step, "value": value, "ev_on": {"step": step}}
        for run, step, value in zip(*(found[name].tolist() for name in ("run", "step", "value")), strict=True)
    ]
    last = max([steps, *(row["step"] for row in rows)])
    return Drawing(_series, (tuple(runs.values()), title, domain, last, say, width), {"series": rows})


def _series(
    runs: tuple[str, ...], title: str, domain: tuple[float, float] | None, last: int, say: Say, width: Width
) -> Any:
    meanings = in_turn(runs)
    scale = alt.Scale(domain=list(domain)) if domain else alt.Scale(zero=False)
    base = alt.Chart(source("series")).encode(
        x=steps_axis(last, say),
        y=alt.Y("value:Q", title=None, scale=scale, axis=alt.Axis(tickCount=4, **wide())),
        **strokes("run", meanings, columns=2, labelLimit=240),
        tooltip=[
            alt.Tooltip("run:N", title=say("run")),
            alt.Tooltip("step:Q", title=say("step")),
            alt.Tooltip("value:Q", title=say(title), format=".2f"),
        ],
    )
    dots = base.mark_point(size=60, opacity=0)  # something to point at
    return over_time(base.mark_line(strokeWidth=2), dots, width=width, height=150)


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
