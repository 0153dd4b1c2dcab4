"""A frame as one seat may see it: what the model lets that agent know, and no more.

What is left out is left out here, before anything is sent: a student knows itself, what it perceives of its neighbours,
and what it hears (`decisions/views.py`); the teacher knows what `Pupil` and `Heard` carry.
"""

from __future__ import annotations

from msgspec.structs import replace

from eduverse_mesa.codes import BEHAVIOUR_LEVEL, level_name
from eduverse_mesa.visualization.frames.frame import Exchange, Frame, Sentence, StudentFrame
from eduverse_mesa.visualization.frames.making import FrameError
from eduverse_mesa.visualization.frames.stage import Stage


def seen_by(frame: Frame, agent: str) -> Frame:
    """The frame as this student, or the teacher, may see it."""
    if agent == frame.teacher.name:
        return _seen_by_teacher(frame)
    names = [student.name for student in frame.students]
    if agent not in names:
        raise FrameError(
            f"there is nobody called '{agent}'.", where=frame.lesson_name, mend=f"There are {', '.join(names)}."
        )
    return _seen_by_student(frame, agent)


def stage_seen_by(stage: Stage, agent: str) -> Stage:
    """The room as a seat may know it: of the seat graph and the perception only its own part."""
    return replace(
        stage,
        edges=tuple(pair for pair in stage.edges if agent in pair),
        radii={name: radius for name, radius in stage.radii.items() if name == agent},
    )


def _seen_by_student(frame: Frame, agent: str) -> Frame:
    me = frame.student(agent)
    near = set(me.perceived)
    sentences = tuple([_heard(said, agent) for said in frame.sentences if _hears(said, agent)])
    feedback = tuple(item if item.student == agent else replace(item, polarity="") for item in frame.teacher.feedback)
    return replace(
        frame,
        teacher=replace(frame.teacher, feedback=feedback, focus=""),
        students=tuple(
            replace(student, quality="") if student is me else _outside(student, student.name in near, sentences)
            for student in frame.students
        ),
        pacing="",
        pacing_reason="",
        sentences=sentences,
        exchanges=tuple(_own(entry, agent) for entry in frame.exchanges if agent in (entry.sender, entry.receiver)),
        rejections=tuple(entry for entry in frame.rejections if entry.agent == agent),
        troubles=tuple(entry for entry in frame.troubles if entry.agent == agent),
        viewer=agent,
    )


def _outside(student: StudentFrame, near: bool, sentences: tuple[Sentence, ...], to: str | None = None) -> StudentFrame:
    """Somebody else: where it sits, what was heard of it, and, from near, what it shows."""
    said = [one for one in sentences if one.speaker == student.name]
    behaviour, emotion = student.shows if near else ("", "")
    return StudentFrame(
        student.name,
        student.x,
        student.y,
        student.seat,
        behaviour,
        level_name(behaviour) if behaviour in BEHAVIOUR_LEVEL else "",
        emotion,
        to=to if to is not None else said[0].to if said else "",
        called=student.called,
        hand_up=near and student.hand_up,
        words=" ".join([one.text for one in said]),
        shows=(behaviour, emotion),
    )


def _hears(said: Sentence, agent: str) -> bool:
    return said.channel == "class" or said.speaker == agent or agent in said.hearers


def _heard(said: Sentence, agent: str) -> Sentence:
    """A sentence as it is heard: who else heard it is not."""
    return said if said.speaker == agent or not said.hearers else replace(said, hearers=())


def _own(entry: Exchange, agent: str) -> Exchange:
    """A request as one of the two knows it: only who was asked knows what it thought about it."""
    if entry.receiver == agent:
        return entry
    return replace(entry, reason="", intention=None, scores=(), weights=(), reasons=())


def _seen_by_teacher(frame: Frame) -> Frame:
    name = frame.teacher.name
    sentences = tuple([said for said in frame.sentences if said.channel == "class"])
    students = tuple(
        replace(
            _outside(student, True, sentences, student.to),
            feedback=student.feedback,
            quality=student.quality,
        )
        for student in frame.students
    )
    return replace(
        frame,
        students=students,
        sentences=sentences,
        exchanges=(),
        rejections=tuple(entry for entry in frame.rejections if entry.agent == name),
        troubles=tuple(entry for entry in frame.troubles if entry.agent == name),
        viewer=name,
    )
