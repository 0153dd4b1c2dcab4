"""What components share: when they are drawn again, and the tables of a model, which are made once a step."""

from __future__ import annotations

import sys
from typing import Any
from weakref import WeakKeyDictionary

import solara

from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.runs.tables import Tables, tables
from eduverse_mesa.visualization.charts.frame import CURSOR
from eduverse_mesa.visualization.frames import last_step
from eduverse_mesa.visualization.widgets.chart import ChartWidget
from eduverse_mesa.visualization.words import load_words

_COUNTER = "mesa.visualization.utils"
_made: WeakKeyDictionary[ClassroomModel, tuple[int, Tables]] = WeakKeyDictionary()


def follow_mesa() -> bool:
    """Whether Mesa's own page is there. Then draw this component again whenever SolaraViz has stepped the model."""
    mesa = sys.modules.get(_COUNTER)
    if mesa is None:
        return False
    mesa.update_counter.get()
    return True


def tables_of(model: ClassroomModel) -> Tables:
    """The tables of this lesson up to its last complete step."""
    step = last_step(model)
    known = _made.get(model)
    if known is None or known[0] != step:
        known = _made[model] = step, tables([model])
    return known[1]


@solara.component
def Chart(title: str, spec: dict[str, Any], language: str, step: int | None = None, on_event: Any = None) -> None:
    """A chart under its title, with the mark of a step where one is looked at."""
    label = load_words(language)(f"charts.title.{title}")
    with solara.Column(gap="4px"):
        solara.Text(label, style={"font-weight": "600"})
        ChartWidget.element(spec=spec, label=label, signals={CURSOR: step or 0}, on_event=on_event)
