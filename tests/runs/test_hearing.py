"""Who has heard what, after somebody has moved: a seat's transcript and what it is shown follow one rule."""

from __future__ import annotations

import pytest

from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.models.classroom.interventions import Move, SetAct
from eduverse_mesa.runs.audience import heard_by
from eduverse_mesa.visualization.frames import frame, seen_by

MOVED = 9


@pytest.fixture(scope="module")
def lesson() -> ClassroomModel:
    talk = [SetAct(step=step, act="organising_discussion") for step in (*range(3, 9), *range(MOVED, 14))]
    change = Move(step=MOVED, student="Zhang Tao", to="a1")
    model = ClassroomModel("first_lesson", layout="collab", seed=5, interventions=[*talk, change])
    while model.running:
        model.step()
    return model


def test_what_was_said_in_a_group_was_heard_by_who_sat_there_then(lesson: ClassroomModel) -> None:
    now = set(lesson.placing.mates["Zhang Tao"])
    early = [row for row in lesson.journal.sentences if row.channel == "group" and row.step < MOVED]
    theirs = [row for row in early if row.speaker in now]
    assert theirs, "the new group has said nothing before: choose another seed"
    heard = heard_by(lesson, "Zhang Tao")
    assert not [row for row in theirs if row in heard], "nobody hears what was said before at another table"
    kept = [row for row in early if row in heard and row.speaker != "Zhang Tao"]
    assert kept, "what its old group said stays heard"
    assert {row.speaker for row in kept} & now == set()


def test_transcript_and_frames_agree_on_every_student_and_step(lesson: ClassroomModel) -> None:
    for student in lesson.students:
        told = [(row.step, row.speaker, row.text) for row in heard_by(lesson, student.name)]
        shown = [
            (step, said.speaker, said.text)
            for step in range(1, lesson.state.step + 1)
            for said in seen_by(frame(lesson, step), student.name).sentences
        ]
        assert sorted(told) == sorted(shown)
