"""Which lesson is played: scenario, layout, lesson, class, seed, who answers, and how fast."""

from __future__ import annotations

from typing import Any

import solara

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.scenarios.catalogue import describe
from eduverse_mesa.scenarios.library import list_names
from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.kit import Card, Note, Trouble, use_words
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.app.pages.classroom.lesson import ClassroomLesson

_PARTS = ("layout", "lesson", "class")


@solara.component
def LessonBar(desk: Desk, lesson: ClassroomLesson) -> None:
    """What is played, with the way to change it."""
    t = use_words()
    use_live(lesson.begun)
    choosing, set_choosing = solara.use_state(False)
    spec = lesson.player.run.spec
    title = spec.scenario.lessons[0].title or spec.scenario.lessons[0].name
    with solara.Div(classes=["ev-row", "ev-headline"]):
        solara.v.Html(tag="h1", class_="ev-h1", children=[title])
        solara.Text(
            f"{spec.scenario.layout.title or spec.scenario.layout.name} · {t('classroom.lesson.seed')} {spec.seed}"
            f" · {t.code(spec.policy)}",
            classes=["ev-quiet"],
        )
        solara.v.Spacer()
        solara.Button(
            t("classroom.lesson.begin"),
            outlined=True,
            on_click=lambda: lesson.begin_anew(desk.policy, desk.llm),
        )
        _Keep(desk, lesson)
        solara.Button(
            t("classroom.lesson.close" if choosing else "classroom.lesson.change"),
            outlined=True,
            on_click=lambda: set_choosing(not choosing),
        )
    if choosing:
        _Choosing(desk, lesson, lambda: set_choosing(False))


@solara.component
def _Keep(desk: Desk, lesson: ClassroomLesson) -> None:
    t = use_words()
    use_live(lesson.moved, rest=0.3)
    if lesson.player.study or lesson.kept:
        solara.Text(t("classroom.lesson.kept", run=lesson.kept or lesson.player.run.id), classes=["ev-quiet"])
    else:
        solara.Button(t("classroom.lesson.keep"), outlined=True, on_click=lambda: lesson.keep(desk.office.study))


@solara.component
def _Choosing(desk: Desk, lesson: ClassroomLesson, done: Any) -> None:
    t = use_words()
    own = t("classroom.lesson.own")
    scenario, set_scenario = solara.use_state("first_lesson")
    parts, set_parts = solara.use_state(dict.fromkeys(_PARTS, own))
    seed, set_seed = solara.use_state(str(lesson.player.run.spec.seed))
    error, set_error = solara.use_state(None)

    def begin() -> None:
        if not seed.strip().isdecimal():
            set_error(t("classroom.lesson.bad_seed"))
            return
        layout, taught, students = (None if parts[part] == own else parts[part] for part in _PARTS)
        try:
            loaded = load_scenario(scenario, layout=layout, lesson=taught, students=students)
        except EduverseError as trouble:
            set_error(trouble)
            return
        set_error(None)
        lesson.begin(loaded, int(seed), desk.policy, desk.llm)
        if lesson.error is None:
            done()

    with Card(t("classroom.lesson.what")):
        with solara.Div(classes=["ev-filters"]):
            solara.Select(
                t("classroom.lesson.scenario"),
                values=list(list_names("scenario")),
                value=scenario,
                on_value=set_scenario,
            )
            for part in _PARTS:
                solara.Select(
                    t(f"classroom.lesson.{part}"),
                    values=[own, *(row.name for row in describe(part))],
                    value=parts[part],
                    on_value=lambda name, part=part: set_parts({**parts, part: name}),
                )
            solara.InputText(t("classroom.lesson.seed"), value=seed, on_value=set_seed, continuous_update=True)
        with solara.Div(classes=["ev-row"]):
            solara.Button(t("classroom.lesson.begin"), color="primary", on_click=begin)
        if isinstance(error, EduverseError):
            Trouble(error)
        elif error:
            Note(error, kind="bad")
