"""The lesson in numbers: charts of the class and of the chosen student."""

from __future__ import annotations

from typing import Any

import solara

from eduverse_mesa.runs.tables import Tables
from eduverse_mesa.visualization import charts
from eduverse_mesa.visualization.app.kit import Card, Picture, chart_words, use_words
from eduverse_mesa.visualization.app.lessons.lesson import ClassroomLesson
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.words import Words

TABS = ("time", "discourse", "network", "equity", "states")
_DIMENSIONS = ("behaviour", "emotion", "cognition")
_REST = 0.5
"""Seconds between two drawings of charts: they may lag a little behind the room."""


@solara.component
def Numbers(lesson: ClassroomLesson) -> None:
    """Charts, one kind at a time."""
    t = use_words()
    tab, set_tab = solara.use_state("time")
    chosen = [
        solara.Button(
            t(f"classroom.charts.{name}"),
            small=True,
            text=True,
            classes=["ev-tab", "on"] if name == tab else ["ev-tab"],
            attributes={"aria-pressed": str(name == tab).lower()},
            on_click=lambda name=name: set_tab(name),
        )
        for name in TABS
    ]
    with Card(t("classroom.charts.title"), actions=chosen):
        _Tab(lesson, tab).key(tab)


@solara.component
def _Tab(lesson: ClassroomLesson, tab: str) -> None:
    t = use_words()
    use_live(lesson.moved, rest=_REST)
    use_live(lesson.chosen)
    made, shot = lesson.counted(), lesson.shot
    if made is None or shot is None:
        return

    def hear(event: Any) -> None:
        if isinstance(event, dict) and isinstance(event.get("step"), int):
            lesson.seek(event["step"] + lesson.at - shot.step)
        elif isinstance(event, dict) and isinstance(event.get("student"), str):
            lesson.select(event["student"])

    with solara.Div(classes=["ev-halves"]):
        for name, spec in _specs(tab, made, shot.frame.steps, lesson.selected, t):
            with solara.Div(classes=["ev-figure"]):
                solara.Text(name, classes=["ev-figure-title"])
                Picture(spec, label=name, signals={"cursor": shot.step}, on_event=hear).key(name)


def _specs(tab: str, made: Tables, steps: int, student: str, t: Words) -> list[tuple[str, dict[str, Any]]]:
    said = chart_words(t)
    look: dict[str, Any] = {"words": said, "width": "container"}
    rows, taught = made.student_steps, made.teacher_steps
    names = list(dict.fromkeys(rows["student"].tolist()))
    if tab == "time":
        drawn = [
            (t.code(column), charts.bec_over_time.spec(rows, column, steps=steps, **look)) for column in _DIMENSIONS
        ]
        if student in names:
            drawn.append((student, charts.bec_of_student.spec(rows, student, steps=steps, **look)))
        return drawn
    if tab == "discourse":
        return [
            (t("classroom.charts.moves"), charts.irf_ribbon.spec(rows, taught, steps=steps, **look)),
            (t.code("behaviour"), charts.bec_by_student.spec(rows, "behaviour", **look)),
        ]
    if tab == "network":
        return [
            (t("classroom.charts.network"), charts.request_network.spec(made.requests, names, **look)),
            (t("classroom.person.requests"), charts.request_matrix.spec(made.requests, names, **look)),
        ]
    if tab == "equity":
        return [
            (t("classroom.charts.equity"), charts.shares_of_students.spec(made.sentences, rows, **look)),
            (t("classroom.charts.equity") + " · Lorenz", charts.lorenz_curve.spec(made.sentences, rows, **look)),
        ]
    return [
        (t.code(state), charts.state_over_time.spec(rows, state, steps=steps, **look))
        for state in ("attention", "understanding", "confidence", "affect")
    ]
