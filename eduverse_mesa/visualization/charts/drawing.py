"""A chart in two parts: its shape, which stays the same from step to step, and its rows.

Building a chart with Altair takes tens of milliseconds. The shape is built once and remembered; a widget that shows a
lesson as it goes on gets it with new rows, in well under one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache, update_wrapper
from typing import Any, Generic, NamedTuple, ParamSpec

import altair as alt
import pandas as pd

from eduverse_mesa.visualization.charts.frame import WIDTH, Rows, Say, Width, named
from eduverse_mesa.visualization.charts.keys import protected

P = ParamSpec("P")


class Drawing(NamedTuple):
    """A function that builds the shape, what it is called with, and the rows of its sources."""

    shape: Callable[..., Any]
    of: tuple[Hashable, ...]
    rows: Mapping[str, Rows]

    def spec(self) -> dict[str, Any]:
        """As Vega-Lite. What is not rows is shared between calls: nobody may change it."""
        built = _built(self.shape, protected(self.of))
        return {**built, "datasets": {**built.get("datasets", {}), **protected(dict(self.rows))}}

    def chart(self) -> Any:
        """As an Altair chart."""
        return _filled(self.shape(*protected(self.of)), protected(dict(self.rows)))


class Lessons(NamedTuple):
    """Drawings of some lessons, one below the other."""

    titles: Sequence[str]
    drawings: Sequence[Drawing]

    def spec(self) -> dict[str, Any]:
        """As Vega-Lite."""
        parts: list[Any] = []
        rows: dict[str, Rows] = {}
        params: list[Any] = []
        for number, (title, drawing) in enumerate(zip(self.titles, self.drawings, strict=True), start=1):
            built = drawing.spec()
            names = {name: f"{name}_{number}" for name in built["datasets"]}
            rows |= {names[name]: part for name, part in built["datasets"].items()}
            params = built.get("params", [])  # of the whole chart: all lessons have the same
            kept = {key: part for key, part in built.items() if key not in {"datasets", "$schema", "params"}}
            parts.append({**_renamed(kept, names), "title": title})
        return {"vconcat": parts, "datasets": rows, "params": params, "$schema": alt.SCHEMA_URL}

    def chart(self) -> Any:
        """As an Altair chart."""
        drawn = zip(self.titles, self.drawings, strict=True)
        return alt.vconcat(*(drawing.chart().properties(title=title) for title, drawing in drawn))


class ChartFunction(Generic[P]):
    """A pure function from tables to a chart: called, it gives Altair's; `spec` gives what a widget draws."""

    def __init__(self, draw: Callable[P, Drawing | Lessons]) -> None:
        update_wrapper(self, draw)
        self._draw = draw

    def __call__(self, *given: P.args, **named: P.kwargs) -> Any:
        """An Altair chart that can be changed, saved and put together with others."""
        return self._draw(*given, **named).chart()

    def spec(self, *given: P.args, **named: P.kwargs) -> dict[str, Any]:
        """Vega-Lite, with datasets under names that stay the same."""
        return self._draw(*given, **named).spec()


def source(name: str) -> Any:
    """The data of a shape: the rows of this name, which come later."""
    return alt.NamedData(name=name)


def empty(message: str, say: Say, width: Width) -> Drawing:
    """A drawing that says why there is nothing to see."""
    return Drawing(_message, (width,), {"message": [{"message": say(message)}]})


def _message(width: Width) -> Any:
    text = alt.Chart(source("message")).mark_text(size=14, opacity=0.7)
    return text.encode(text="message:N").properties(width=width, height=60)


def per_lesson(
    lessons: Sequence[str], one: Callable[[str, Width], Drawing], *, say: Say, width: Width
) -> Drawing | Lessons:
    """One drawing, or one below the other with the lessons' names."""
    if not lessons:
        return empty("no_steps_yet", say, width)
    if len(lessons) == 1:
        return one(lessons[0], width)
    fixed = WIDTH if width == "container" else width
    shown = named(lessons)
    return Lessons(list(shown.values()), [one(lesson, fixed) for lesson in shown])


@lru_cache(maxsize=256)
def _built(shape: Callable[..., Any], of: tuple[Hashable, ...]) -> dict[str, Any]:
    spec: dict[str, Any] = shape(*of).to_dict(validate=False)
    spec.pop("config", None)  # Altair's own default, which would hide the page's
    if spec.get("width") == "container":
        spec["autosize"] = {"type": "fit-x", "contains": "padding"}
    return spec


def _renamed(part: Any, names: Mapping[str, str]) -> Any:
    if isinstance(part, list):
        return [_renamed(item, names) for item in part]
    if not isinstance(part, dict):
        return part
    found = {key: _renamed(value, names) for key, value in part.items()}
    if isinstance(found.get("data"), dict) and found["data"].get("name") in names:
        found["data"] = {"name": names[found["data"]["name"]]}
    return found


def _filled(chart: Any, rows: Mapping[str, Rows]) -> Any:
    """A shape with its rows as tables."""
    if isinstance(chart.data, alt.NamedData):
        chart.data = pd.DataFrame(rows[chart.data.name])
    for part in getattr(chart, "layer", ()):
        _filled(part, rows)
    return chart
