"""Which lesson is played: scenario, layout, lesson, class, seed, who answers, and how fast."""

from __future__ import annotations

from typing import Any

import solara

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.scenarios.library import Kind
from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.kit import Card, Form, Opener, Panel, Titles, Trouble, use_words
from eduverse_mesa.visualization.app.lessons.lesson import ClassroomLesson
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.titles import title_of, titles

_PARTS: tuple[Kind, ...] = ("layout", "lesson", "class")
_DIGITS = 18
_PANEL = "ev-choosing"


@solara.component
def LessonBar(desk: Desk, lesson: ClassroomLesson) -> None:
    """What is played, with the way to change it."""
    t = use_words()
    use_live(lesson.begun)
    choosing, set_choosing = solara.use_state(False)
    spec = lesson.player.run.spec
    title = title_of("lesson", spec.scenario.lessons[0], t)
    with solara.Div(classes=["ev-stack"]):  # one part always, so that nothing of it is made anew as the panel comes
        with solara.Div(classes=["ev-row", "ev-headline"]):
            Titles(
                title,
                f"{title_of('layout', spec.scenario.layout, t)} · {t('classroom.lesson.seed')} {spec.seed}"
                f" · {t.code(spec.policy)}",
            )
            with solara.Div(classes=["ev-actions", "ev-end"]):
                solara.Button(
                    t("classroom.lesson.begin"),
                    outlined=True,
                    on_click=lambda: lesson.begin_anew(desk.policy, desk.llm),
                )
                _Keep(desk, lesson)
                Opener(t("classroom.lesson.change"), _PANEL, choosing, set_choosing)
        if choosing:
            with Panel(_PANEL):
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
    own, here = t("classroom.lesson.own"), lesson.scenario.name
    scenario, set_scenario = solara.use_state(here if here in titles("scenario", t) else desk.first_scenario)
    parts, set_parts = solara.use_state(dict.fromkeys(_PARTS, ""))
    seed, set_seed = solara.use_state(str(lesson.player.run.spec.seed))
    error, set_error = solara.use_state(None)
    wrong_seed, set_wrong_seed = solara.use_state("")

    def begin() -> None:
        fits = seed.strip().isascii() and seed.strip().isdecimal() and len(seed.strip()) <= _DIGITS
        set_wrong_seed("" if fits else t("classroom.lesson.bad_seed"))
        if not fits:
            return
        layout, taught, students = (parts[part] or None for part in _PARTS)
        try:
            loaded = load_scenario(scenario, layout=layout, lesson=taught, students=students)
        except EduverseError as trouble:
            set_error(trouble)
            return
        set_error(None)
        lesson.begin(loaded, int(seed), desk.policy, desk.llm)
        if lesson.error is None:
            done()

    fields: list[Field] = [
        _field("scenario", t, _options("scenario", t), scenario),
        *(_field(part, t, [["", own], *_options(part, t)], parts[part]) for part in _PARTS),
        {
            "id": "seed",
            "kind": "text",
            "label": t("classroom.lesson.seed"),
            "help": t("classroom.lesson.seed_help"),
            "value": seed,
            "error": wrong_seed,
            "width": "third",
        },
        {"id": "begin", "kind": "buttons", "options": [["begin", t("classroom.lesson.begin_this"), "primary"]]},
    ]

    def hear(name: str, value: Any) -> None:
        if name == "begin":
            begin()
        elif name == "seed":
            set_seed(value)
        elif name == "scenario":
            set_scenario(value)
        else:
            set_parts({**parts, name: value})

    with Card(t("classroom.lesson.what")):
        Form(fields, hear, label=t("classroom.lesson.what"))
        if error is not None:
            Trouble(error)


def _options(kind: Kind, t: Words) -> list[list[str]]:
    return [[name, title] for name, title in titles(kind, t).items()]


def _field(name: str, t: Words, options: list[list[str]], value: str) -> Field:
    label = t(f"classroom.lesson.{name}")
    return {"id": name, "kind": "select", "label": label, "options": options, "value": value, "width": "third"}
