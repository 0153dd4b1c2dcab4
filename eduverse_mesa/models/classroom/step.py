"""The life of one step: initiate, respond, feedback, regulate (IRF-R; EduVerse 3.2.2).

Each part is a generator in a file of its own: it yields a round of decisions, receives the answers, and changes the
room. This is the table of contents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eduverse_mesa.decisions import Rounds
from eduverse_mesa.models.classroom.closing import close_lesson
from eduverse_mesa.models.classroom.feedback import feedback
from eduverse_mesa.models.classroom.gate import gate
from eduverse_mesa.models.classroom.initiation import initiate
from eduverse_mesa.models.classroom.plan import bring_to_mind, plan, react, take_the_floor
from eduverse_mesa.models.classroom.reflection import monitor, regulate_and_pace
from eduverse_mesa.models.classroom.words import speak

if TYPE_CHECKING:
    from eduverse_mesa.models.classroom.model import ClassroomModel


def lesson_step(model: ClassroomModel) -> Rounds:
    """One step of the lesson."""
    state = model.state
    state.step += 1
    model.apply_interventions()
    focus = model.teacher.focus(state)
    group = model.teacher.look(model.students, state)
    for student in model.students:
        student.start_step_afresh()
    scene = yield from initiate(model, focus, group)
    for student in model.students:
        student.perceive(scene, model.percepts(student), model.classmates)
        student.attend(model.relief(scene), model.parameters)
    yield from gate(model)
    bring_to_mind(model, scene)
    if model.thinks:
        yield from plan(model, scene)
    else:
        yield from react(model, scene)
    take_the_floor(model, scene)
    yield from speak(model)
    if model.thinks:
        yield from monitor(model)
    took_up = yield from feedback(model, scene, group)
    yield from regulate_and_pace(model, scene, took_up)
    model.end_step()
    if model.over:
        yield from close_lesson(model)
