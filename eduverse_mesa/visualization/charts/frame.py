"""Common parts of all charts: words, sizes, axes and colours, and a chart's shape apart from its rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cache, lru_cache, update_wrapper
from typing import Any, Generic, Literal, NamedTuple, ParamSpec, TypeAlias

import pandas as pd

from eduverse_mesa.visualization.charts import vega as alt
from eduverse_mesa.visualization.palette import GREY
from eduverse_mesa.visualization.words import DEFAULT, load_words

Words: TypeAlias = Mapping[str, str]
"""The words of a chart, by the keys of words/en/charts.yaml and codes.yaml; missing ones are said in English."""

Width: TypeAlias = int | Literal["container"]
Rows: TypeAlias = list[dict[str, Any]]

WIDTH = 720
"""Fits a notebook cell; a report scales it down to what a phone can show."""

CURSOR = "cursor"
"""The signal of charts over time that marks a step; 0 marks none."""

_LONGEST_NAME = 40
_Y_AXIS = 72
"""Charts over time leave the same room at their left, so that steps stand below steps."""


@cache
def chart_words(language: str = DEFAULT) -> Words:
    """Return the words of charts in a language: their own words, and the codes of the house."""
    words = load_words(language)
    pages = ("codes.", "charts.")
    return {key.removeprefix(page): words[key] for page in pages for key in words if key.startswith(page)}


class Say:
    """From a key or code to what is said. A code that nobody has put into words is shown as it is."""

    def __init__(self, words: Words) -> None:
        self._words = words

    def __call__(self, key: str) -> str:
        return self._words.get(key) or chart_words().get(key) or key.replace("_", " ")

    def all(self, keys: Iterable[str]) -> tuple[str, ...]:
        """Return the words for each key."""
        return tuple(self(key) for key in keys)


def saying(words: Words | None) -> Say:
    """Return the words of a chart as a function of keys; the same words give the same object, by which a shape is
    remembered."""
    return _saying(tuple((words or {}).items()))


@lru_cache(maxsize=64)
def _saying(words: tuple[tuple[str, str], ...]) -> Say:
    return Say(dict(words))


def named(names: Iterable[str]) -> dict[str, str]:
    """Names as a chart can show them: long ones shortened, and still different from each other."""
    shown: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        if name in shown:
            continue
        short = name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
        number = 2
        while short in taken:
            short, number = f"{name[: _LONGEST_NAME - 5]}… ({number})", number + 1
        taken.add(short)
        shown[name] = short
    return shown


def legend(**settings: Any) -> alt.Legend:
    """A legend below the chart, which wraps where the chart is narrow."""
    return alt.Legend(**{"orient": "bottom", "columns": 4, "labelLimit": 160, "symbolType": "square", **settings})


def colours(field: str, meanings: Mapping[str, str], say: Say | None = None, **settings: Any) -> alt.Color:
    """A colour for each code of a field, whose values are in words already."""
    domain = [say(code) if say else code for code in meanings]
    settings = {"legend": legend(), "title": None, **settings}
    return alt.Color(f"{field}:N", scale=alt.Scale(domain=domain, range=list(meanings.values())), **settings)


_DASHES = ([1, 0], [8, 6], [3, 5], [12, 4, 3, 4], [5, 10], [2, 8], [16, 6], [12, 4, 3, 4, 3, 4])
_SHAPES = ("circle", "diamond", "square", "triangle-up", "cross", "triangle-down")


def strokes(field: str, meanings: Mapping[str, str], say: Say | None = None, **settings: Any) -> dict[str, Any]:
    """The encodings of lines that have a colour and a dash each, with both in one legend, which takes `settings`: who
    cannot tell the colours apart, or has them on paper in grey, tells the dashes."""
    usual = {"symbolType": "stroke", "symbolSize": 900, "symbolStrokeWidth": 2.5, "symbolOpacity": 1, "labelLimit": 260}
    key = legend(**{**usual, **settings})
    domain = [say(code) if say else code for code in meanings]
    dashes = [_DASHES[place % len(_DASHES)] for place in range(len(domain))]
    dash = alt.StrokeDash(f"{field}:N", legend=key, title=None, scale=alt.Scale(domain=domain, range=dashes))
    return {"color": colours(field, meanings, say, legend=key), "strokeDash": dash}


def shapes(field: str, meanings: Mapping[str, str], **settings: Any) -> dict[str, Any]:
    """The same for points, which have a shape each: where what a line's dash says is something else."""
    key = legend(**{"symbolType": alt.Undefined, "symbolOpacity": 1, **settings})
    domain = list(meanings)
    signs = [_SHAPES[place % len(_SHAPES)] for place in range(len(domain))]
    shape = alt.Shape(f"{field}:N", legend=key, title=None, scale=alt.Scale(domain=domain, range=signs))
    return {"color": colours(field, meanings, legend=key), "shape": shape}


def line_at(**place: Any) -> Any:
    """A dashed line across the chart, at `x` or `y`: what values are held against."""
    return alt.Chart(alt.InlineData(values=[{}])).mark_rule(aria=False, strokeDash=[4, 3], color=GREY).encode(**place)


def steps_axis(last: int, say: Say, field: str = "from:Q") -> alt.X:
    """Steps from 1 to `last`, each a cell wide."""
    every = next(size for size in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if last / size <= 14 or size == 1000)
    ticks = [1, *range(every, last + 1, every)] if every > 1 else list(range(1, last + 1))
    scale = alt.Scale(domain=[0.5, max(last, 1) + 0.5], nice=False, zero=False)
    axis = alt.Axis(values=ticks, format="d", grid=False, labelOverlap=True)
    return alt.X(field, title=say("step"), scale=scale, axis=axis)


def share_axis(**settings: Any) -> alt.Axis:
    """An axis of shares, as wide as those of the other charts over time."""
    return alt.Axis(**{"format": "%", "tickCount": 4, **wide(), **settings})


def wide() -> dict[str, Any]:
    """The room that y axes of charts over time take."""
    return {"minExtent": _Y_AXIS, "maxExtent": _Y_AXIS, "labelLimit": _Y_AXIS - 6}


def cell(step: int) -> dict[str, Any]:
    """Return the place of a step on the axis of steps."""
    return {"step": step, "from": step - 0.46, "to": step + 0.46}


def over_time(*layers: Any, width: Width, height: int) -> Any:
    """Layers over the axis of steps, with the mark of the current step above them."""
    param = alt.param(name=CURSOR, value=0)
    mark = (
        alt.Chart(alt.InlineData(values=[{}]))
        .mark_rule(aria=False, strokeWidth=2, color="#7A8290", opacity=alt.expr(f"{CURSOR} > 0 ? 1 : 0"), clip=True)
        .encode(x=alt.XDatum(alt.expr(CURSOR), type="quantitative"), tooltip=alt.value(None))
    )
    return alt.layer(*layers, mark, width=width, height=height).add_params(param)


def config(dark: bool) -> dict[str, Any]:
    """Vega's settings for a light or a dark ground; the dashboard's widget takes its own from the page."""
    text, muted, line = ("#e6eaf0", "#a3aebd", "#323b49") if dark else ("#1c2430", "#566173", "#dfe3ea")
    axis = {"labelColor": muted, "titleColor": muted, "gridColor": line, "domainColor": line, "tickColor": line}
    return {
        "background": "#1a2029" if dark else "#ffffff",
        "font": "system-ui, sans-serif",
        "axis": {**axis, "titleFontWeight": 500},
        "legend": {"labelColor": text, "titleColor": muted},
        "header": {"labelColor": text, "titleColor": muted},
        "title": {"color": text, "fontWeight": 500},
        "text": {"fill": text},
        "view": {"stroke": None},
    }


def themed(chart: Any, dark: bool) -> Any:
    """The same chart for a light or a dark ground."""
    return chart.properties(config=config(dark))


INHERITED = frozenset(
    {
        "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__", "__proto__", "constructor",
        "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf",
    }
)  # fmt: skip
"""Names that every object of JavaScript has (Object.prototype)."""
_UNSEEN = "\u2060"
"""WORD JOINER: no width, and no line is broken at it."""
ACTION = "ev_on"
"""The part of a row that is not drawn: what a click on it stands for. Names in it are as they are."""


def protected(value: Any) -> Any:
    """Rows, a chart's description or a part of it, with every such value in it protected."""
    if isinstance(value, str):
        return _UNSEEN + value if value in INHERITED else value
    if type(value) is tuple or isinstance(value, list):
        return type(value)(protected(part) for part in value)
    if isinstance(value, dict):
        return {key: part if key == ACTION else protected(part) for key, part in value.items()}
    return value


P = ParamSpec("P")


class Drawing(NamedTuple):
    """A function that builds the shape, what it is called with, and the rows of its sources."""

    shape: Callable[..., Any]
    of: tuple[Hashable, ...]
    rows: Mapping[str, Rows]

    def spec(self) -> dict[str, Any]:
        """Return the chart as Vega-Lite. Everything but the rows is shared between calls: nobody may change it."""
        built = _built(self.shape, protected(self.of))
        return {**built, "datasets": {**built.get("datasets", {}), **protected(dict(self.rows))}}

    def chart(self) -> Any:
        """Return the chart as an Altair chart."""
        return _filled(self.shape(*protected(self.of)), protected(dict(self.rows)))


class Lessons(NamedTuple):
    """Drawings of some lessons, one below the other."""

    titles: Sequence[str]
    drawings: Sequence[Drawing]

    def spec(self) -> dict[str, Any]:
        """Return the charts as Vega-Lite."""
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
        """Return the charts as an Altair chart."""
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
