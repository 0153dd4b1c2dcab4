"""Round 6: the teacher's individual feedback."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING

from eduverse_mesa.agents.judgement import judge
from eduverse_mesa.decisions import Answer, ClassView, GiveFeedback, Heard, Round, Scene
from eduverse_mesa.models.classroom.asking import ask

if TYPE_CHECKING:
    from eduverse_mesa.models.classroom.model import ClassroomModel


def feedback(model: ClassroomModel, scene: Scene, group: ClassView) -> Generator[Round, Sequence[Answer], bool]:
    """The teacher gives some of them individual feedback by name; true when a student's question was taken up."""
    state, teacher = model.state, model.teacher
    idea, question = teacher.idea(scene.focus), teacher.question(scene.focus)
    heard = []
    for student in model.students:
        public = student.partner == "teacher"
        if public and student.words and student.acted in ("stand_answer", "answer_question"):
            student.quality = judge(student.words, idea, question)
        heard.append(
            Heard(
                student.name,
                student.acted or student.behaviour,
                student.felt or student.emotion,
                student.partner,
                student.words if public else (),
                student.quality or "none",
                student.seen.called,
            )
        )
    decision = GiveFeedback(
        model.address(teacher.name), teacher.view(scene.focus, group, state), scene.act, scene.asked, tuple(heard)
    )
    (answer,) = yield from ask(model, "feedback", [decision])
    items = {}
    for item in answer.outcome.items if answer.outcome is not None else ():
        if item.student in model.classmates and item.student not in items:
            items[item.student] = item
        else:
            model.journal.reject(
                state.step, teacher.name, f"feedback to {item.student}", "", "no such student, or twice"
            )
    for name, item in items.items():
        model.classmates[name].receive(item.polarity, " ".join(said.text for said in item.sentences))
        state.last_feedback = item.sentences[0].text if item.sentences else state.last_feedback
    model.write_transcript(items)
    answered = any(spoken.addressee == "teacher" for spoken in state.spoken)
    if answered:
        state.open_question = None
    return any(item.took_up and model.classmates[name].acted == "ask_question" for name, item in items.items())
