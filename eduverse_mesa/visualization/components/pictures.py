"""Charts of a model: its tables, put into a picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import solara

from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.visualization import charts
from eduverse_mesa.visualization.charts.network import LARGE
from eduverse_mesa.visualization.components.live import Chart, follow_mesa, tables_of
from eduverse_mesa.visualization.run_view import room_of
from eduverse_mesa.visualization.words import DEFAULT

OnEvent = Callable[[Any], None] | None
"""Hears what was clicked: {"step": 3}, {"student": "Li Wei"} or {"pair": [...]}."""


@solara.component
def BecOverTime(
    model: ClassroomModel,
    column: str = "behaviour",
    *,
    step: int | None = None,
    language: str = DEFAULT,
    on_event: OnEvent = None,
) -> None:
    """Shares of the class's behaviour, emotion or cognition, step by step."""
    follow_mesa()
    steps, words = tables_of(model).student_steps, charts.chart_words(language)
    spec = charts.bec_over_time.spec(steps, column, words=words, width="container", steps=model.settings.steps)
    Chart(f"bec_{column}", spec, language, step, on_event)


@solara.component
def IrfRibbon(
    model: ClassroomModel, *, step: int | None = None, language: str = DEFAULT, on_event: OnEvent = None
) -> None:
    """Initiation, response and feedback by step, above the phases and how they were paced."""
    follow_mesa()
    made, words = tables_of(model), charts.chart_words(language)
    spec = charts.irf_ribbon.spec(
        made.student_steps, made.teacher_steps, words=words, width="container", steps=model.settings.steps
    )
    Chart("irf", spec, language, step, on_event)


@solara.component
def Network(
    model: ClassroomModel, *, step: int | None = None, language: str = DEFAULT, on_event: OnEvent = None
) -> None:
    """Who asked whom up to a step, and what became of it; a table where the class is large."""
    follow_mesa()
    requests, names = tables_of(model).requests, tuple(student.name for student in model.students)
    if step is not None:
        requests = requests[requests["made"] <= step]
    draw = charts.request_matrix if len(names) > LARGE else charts.request_network
    spec = draw.spec(requests, names, words=charts.chart_words(language), width="container")
    Chart("network", spec, language, None, on_event)


@solara.component
def StatesOverTime(
    model: ClassroomModel,
    state: str = "attention",
    *,
    step: int | None = None,
    language: str = DEFAULT,
    on_event: OnEvent = None,
) -> None:
    """A latent state of each student, step by step."""
    follow_mesa()
    steps, words = tables_of(model).student_steps, charts.chart_words(language)
    spec = charts.state_over_time.spec(steps, state, words=words, width="container", steps=model.settings.steps)
    Chart("states", spec, language, step, on_event)


@solara.component
def Equity(
    model: ClassroomModel, *, step: int | None = None, language: str = DEFAULT, on_event: OnEvent = None
) -> None:
    """Turns before the class and the teacher's attention, student by student, up to a step."""
    follow_mesa()
    made = tables_of(model)
    sentences, steps = made.sentences, made.student_steps
    if step is not None:
        sentences, steps = sentences[sentences["step"] <= step], steps[steps["step"] <= step]
    spec = charts.shares_of_students.spec(sentences, steps, words=charts.chart_words(language), width="container")
    Chart("equity", spec, language, None, on_event)


@solara.component
def ActionZone(
    model: ClassroomModel, *, step: int | None = None, language: str = DEFAULT, on_event: OnEvent = None
) -> None:
    """How much the student of each seat took part up to a step."""
    follow_mesa()
    made = tables_of(model)
    steps, taught = made.student_steps, made.teacher_steps
    if step is not None:
        steps, taught = steps[steps["step"] <= step], taught[taught["step"] <= step]
    spec = charts.action_zone.spec(room_of(model), steps, taught, words=charts.chart_words(language), width="container")
    Chart("zone", spec, language, None, on_event)
