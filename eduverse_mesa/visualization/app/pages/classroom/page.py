"""The classroom page: the room, and beside it what is said, thought and counted."""

from __future__ import annotations

import solara

from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.kit import Note, Trouble, use_words
from eduverse_mesa.visualization.app.lessons.lesson import ClassroomLesson, classroom_lesson
from eduverse_mesa.visualization.app.lessons.now import Now
from eduverse_mesa.visualization.app.lessons.seen import SeenRoom
from eduverse_mesa.visualization.app.lessons.transcript import Transcript
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.app.pages.classroom.choosing import LessonBar
from eduverse_mesa.visualization.app.pages.classroom.numbers import Numbers
from eduverse_mesa.visualization.app.pages.classroom.person import Person


@solara.component
def ClassroomPage(desk: Desk) -> None:
    """A lesson, seen from above."""
    lesson = classroom_lesson(desk)
    count = use_live(lesson.begun)
    solara.use_effect(lambda: lesson.follow(desk.policy, desk.llm), [])
    with solara.Div(classes=["ev-stack"]):
        LessonBar(desk, lesson)
        _Mishap(desk, lesson)
        with solara.Div(classes=["ev-split"]):
            with solara.Div(classes=["ev-stack"]):
                SeenRoom(lesson).key(f"room-{count}")
                Now(lesson)
                Numbers(lesson).key(f"numbers-{count}")
            with solara.Div(classes=["ev-stack"]):
                Transcript(lesson).key(f"transcript-{count}")
                Person(lesson).key(f"person-{count}")


@solara.component
def _Mishap(desk: Desk, lesson: ClassroomLesson) -> None:
    t = use_words()
    use_live(lesson.moved)
    answering = lesson.player.run.spec.policy
    with solara.Div(classes=["ev-stack"]):
        if lesson.broken:
            solara.Button(t("classroom.lesson.go_on"), color="primary", on_click=lesson.go_on)
        if lesson.error is not None:
            Trouble(lesson.error)
        if lesson.barred:
            Note(t("classroom.lesson.barred", chosen=t.code(desk.policy), now=t.code(answering)), kind="warn")
            with solara.Div(classes=["ev-row"]):
                solara.Button(t("classroom.lesson.keep_to_it"), outlined=True, on_click=lesson.keep_to_it)
