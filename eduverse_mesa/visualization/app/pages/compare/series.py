"""One number of each side, step by step, under the mark of the step that is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import solara

from eduverse_mesa.codes import BEHAVIOUR_LEVEL, COGNITION_LEVEL, LEVEL_NAMES
from eduverse_mesa.runs.tables import run_tables
from eduverse_mesa.visualization import charts
from eduverse_mesa.visualization.app.kit import Card, Choice, Picture, chart_words, use_words
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.app.pages.compare.comparison import Comparison
from eduverse_mesa.visualization.app.pages.compare.sides import Place, Side

STATES = ("attention", "understanding", "confidence", "affect")
SHARES = ("off_task", "interactive", "positive", "high")
FOLLOWED = (*SHARES, *STATES)


@solara.component
def Series(comparison: Comparison) -> None:
    """A share or a mean state of the class, of each side."""
    t = use_words()
    use_live(comparison.changed, rest=0.3)
    what, set_what = solara.use_state("off_task")
    names = {name: t.code(name) for name in FOLLOWED}
    pick = solara.Div(classes=["ev-pick"], children=[Choice(t("compare.series.what"), names, what, set_what)])
    with Card(t("compare.series.title"), actions=[pick]):
        _Line(comparison, what)


@solara.component
def _Line(comparison: Comparison, what: str) -> None:
    t = use_words()
    use_live(comparison.moved)
    shown = tuple(id(side.shown) for side in comparison.sides)
    spec = solara.use_memo(lambda: _spec(comparison, what, t), [shown, what, t.language, len(comparison.places)])

    def hear(event: Any) -> None:
        if isinstance(event, dict) and type(event.get("step")) is int:
            comparison.seek(event["step"])

    label = f"{t('compare.series.title')}: {t.code(what)}"
    Picture(spec, label=label, signals={"cursor": comparison.at}, on_event=hear)


def _spec(comparison: Comparison, what: str, t: Any) -> dict[str, Any]:
    series = series_of(comparison.sides, comparison.places, what)
    low = -1.0 if what == "affect" else 0.0
    return charts.series_together.spec(
        series, what, domain=(low, 1.0), words=chart_words(t), width="container", steps=max(comparison.last, 1)
    )


def series_of(sides: Sequence[Side], places: Sequence[Place], what: str) -> pd.DataFrame:
    """The class's share or mean at each place: run, step (the number of the place), value."""
    parts = [_of_side(side, {place: at for at, place in enumerate(places)}, what) for side in sides]
    return pd.concat(parts) if parts else pd.DataFrame(columns=["run", "step", "value"])


def _of_side(side: Side, numbers: dict[Place, int], what: str) -> pd.DataFrame:
    if side.shown is None:
        return pd.DataFrame(columns=["run", "step", "value"])
    rows = run_tables(side.shown).student_steps
    lessons = {lesson.model.lesson.name: lesson.number for lesson in side.shown.lessons}
    values = _values(rows, what)
    table = pd.DataFrame({"lesson": rows["lesson"].map(lessons), "step": rows["step"], "value": values})
    means = table.groupby(["lesson", "step"])["value"].mean().reset_index()
    at = [numbers.get(place) for place in zip(means["lesson"], means["step"], strict=True)]
    made = pd.DataFrame({"run": side.name, "step": at, "value": means["value"]})
    return made[made["step"].notna()].astype({"step": int})


def _values(rows: pd.DataFrame, what: str) -> pd.Series[float]:
    """1 and 0 for a share, NaN where nothing was answered; the state itself for a mean."""
    if what in STATES:
        return rows[what]
    if what == "positive":
        return (rows["emotion"] == what).where(rows["emotion"] != "").astype(float)
    if what == "high":
        return rows["cognition"].map(COGNITION_LEVEL).astype(float)
    levels = {code: float(LEVEL_NAMES[level] == what) for code, level in BEHAVIOUR_LEVEL.items()}
    return rows["behaviour"].map(levels).astype(float)
