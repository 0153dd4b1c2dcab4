"""What there is to see at this moment: while a step waits for somebody, the step as far as it has come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from eduverse_mesa.codes import BEHAVIOUR_LEVEL, level_name
from eduverse_mesa.runs.hearing import unwritten
from eduverse_mesa.visualization.frames.frame import Feedback, Frame, Sentence, StudentFrame, TeacherFrame
from eduverse_mesa.visualization.frames.making import exchanges_in, frame
from eduverse_mesa.visualization.frames.places import Places

if TYPE_CHECKING:
    from eduverse_mesa.agents.student import StudentAgent
    from eduverse_mesa.models.classroom import ClassroomModel


def moment(model: ClassroomModel) -> Frame:
    """The last complete step, until the teacher has acted in the next: from then on, that step so far."""
    before = frame(model)
    state = model.state
    if len(state.acts) <= before.step:
        return before
    places = Places(model, [])
    rows = [row for row in model.journal.sentences if row.step == state.step]
    return replace(
        before,
        step=state.step,
        mode=state.mode,
        phase=state.phases[state.phase].name,
        pacing="",
        pacing_reason="",
        teacher=_teacher(model, before.teacher),
        students=tuple(
            _student(model, student, places, was) for student, was in zip(model.students, before.students, strict=True)
        ),
        sentences=tuple(
            Sentence(row.role, row.speaker, row.addressee, row.channel, row.text, row.move, places.hearers(row))
            for row in (*rows, *unwritten(model))
        ),
        exchanges=exchanges_in(model.state.requests.all, state.step),
        rejections=(),
        troubles=(),
    )


def _teacher(model: ClassroomModel, before: TeacherFrame) -> TeacherFrame:
    turn = model.state.turn
    given = [(student.name, student.feedback) for student in model.students if student.feedback is not None]
    return replace(
        before,
        category=turn.category if turn is not None else "",
        act=turn.act if turn is not None else "",
        tone=turn.tone if turn is not None else "",
        words=" ".join([said.text for said in turn.sentences]) if turn is not None else "",
        called=model.state.called,
        feedback=tuple(Feedback(name, received.polarity, received.text) for name, received in given),
        focus="",
    )


def _student(model: ClassroomModel, student: StudentAgent, places: Places, was: StudentFrame) -> StudentFrame:
    """A student as it is now: what it has not done or felt yet in this step is what it did and felt before."""
    behaviour, emotion = student.acted or was.shows[0], student.felt or was.shows[1]
    x, y = student.place
    perceived = was.perceived
    if student.view is not None:
        perceived = (*(neighbour.name for neighbour in student.view.neighbours), *student.view.objects)
    return StudentFrame(
        student.name,
        x,
        y,
        places.seat(x, y),
        behaviour,
        level_name(behaviour) if behaviour in BEHAVIOUR_LEVEL else "",
        emotion,
        to=student.partner or ("group" if student.acted == "group_discussion" else ""),
        called=student.name in model.state.called,
        hand_up=behaviour == "hand_raise",
        feedback=student.feedback.polarity if student.feedback is not None else "",
        words=" ".join([said.text for said in student.words]),
        shows=(behaviour, emotion),
        perceived=perceived,
        gate=student.request.sender if student.request is not None else "",
        quality=student.quality,
    )
