"""What a seat is shown while it is asked: the moment that the question is about, no step before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from eduverse_mesa.decisions import (
    Answer,
    Decision,
    GiveFeedback,
    Pace,
    Plan,
    Pupil,
    React,
    ScoreRequest,
    StudentView,
    TakeTurn,
)
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.models.classroom.interventions import Intervention, Move, SetAct
from eduverse_mesa.models.classroom.journal import SentenceRow
from eduverse_mesa.policies import make_policy
from eduverse_mesa.policies.policy import Policy
from eduverse_mesa.runs.audience import heard_by, unwritten
from eduverse_mesa.visualization.frames import Frame, frame, moment, seen_by

CHANGES: list[Intervention] = [
    *(SetAct(step=step, act="organising_discussion") for step in (3, 4, 7)),
    Move(step=5, student="Zhang Tao", to="a1"),
]


class Looking:
    """Answers like another policy, and looks at the room whenever it is asked."""

    name = "looking"

    def __init__(self) -> None:
        self.model: ClassroomModel
        self.rest: Policy = make_policy("embedded")  # type: ignore[assignment]
        self.seen: list[tuple[Decision, Frame]] = []
        self.spoken: list[tuple[int, list[SentenceRow]]] = []

    def answer(self, decisions: Sequence[Decision]) -> Sequence[Answer]:
        """What the other policy answers."""
        if self.model.state.acts or isinstance(decisions[0], TakeTurn):
            now = moment(self.model)
            self.seen += [(decision, seen_by(now, decision.agent)) for decision in decisions]
            if isinstance(decisions[0], GiveFeedback):
                self.spoken.append((self.model.state.step, unwritten(self.model)))
        return self.rest.answer(decisions)


@pytest.fixture(scope="module", params=["lecture", "collab", "nocog"])
def looked(request: pytest.FixtureRequest) -> Looking:
    policy = Looking()
    layout = "lecture" if request.param == "nocog" else request.param
    settings: dict[str, Any] = {"ablation": ["nocog"]} if request.param == "nocog" else {}
    changes: list[Intervention] = CHANGES if layout == "collab" else []
    model = policy.model = ClassroomModel(
        "first_lesson", layout=layout, seed=5, policy=policy, steps=16, interventions=changes, settings=settings
    )
    while model.running:
        model.step()
        assert moment(model) == frame(model), "between steps there is nothing but the last one"
    return policy


def asked(looked: Looking, *kinds: type[Decision]) -> list[tuple[Any, Frame]]:
    found = [(decision, seen) for decision, seen in looked.seen if isinstance(decision, kinds)]
    assert found
    return found


def test_the_teacher_sees_at_feedback_what_the_form_says(looked: Looking) -> None:
    for decision, seen in asked(looked, GiveFeedback):
        assert seen.step == decision.at.step
        assert seen.teacher.act == decision.act
        for heard in decision.heard:
            student = seen.student(heard.student)
            words = " ".join(said.text for said in heard.sentences)
            assert (student.behaviour, student.emotion, student.words) == (heard.behaviour, heard.emotion, words)
            assert student.called == heard.called
            assert not words or (student.to, student.quality or "none") == ("teacher", heard.quality)


def test_the_teacher_sees_the_class_that_a_turn_and_the_pace_are_about(looked: Looking) -> None:
    for decision, seen in asked(looked, TakeTurn, Pace):
        assert seen.step == decision.at.step - isinstance(decision, TakeTurn)
        for pupil in decision.view.group.pupils:
            student = seen.student(pupil.name)
            shown = Pupil.__struct_fields__[1:4]
            assert [getattr(student, name) for name in shown] == [getattr(pupil, name) for name in shown]


def test_a_student_sees_the_scene_and_the_neighbours_that_it_decides_by(looked: Looking) -> None:
    for decision, seen in asked(looked, Plan, React, ScoreRequest):
        view: StudentView = decision.view
        teacher, scene = seen.teacher, view.scene
        words = " ".join(said.text for said in scene.sentences)
        assert (teacher.act, teacher.tone, teacher.words) == (scene.act, scene.tone, words)
        assert (seen.step, seen.mode, seen.phase, teacher.called) == (scene.step, scene.mode, scene.phase, scene.called)
        for neighbour in view.neighbours:
            assert seen.student(neighbour.name).shows == (neighbour.behaviour, neighbour.emotion)
        far = {student.name for student in seen.students} - {one.name for one in view.neighbours} - {decision.agent}
        assert {seen.student(name).behaviour for name in far} <= {""}


def test_what_was_said_is_heard_before_it_is_written(looked: Looking) -> None:
    spoken = dict(looked.spoken)
    assert any(spoken.values())
    for step, rows in spoken.items():
        assert rows == [row for row in looked.model.journal.sentences if (row.step, row.role) == (step, "S")]
    assert unwritten(looked.model) == []
    assert heard_by(looked.model, looked.model.teacher.name) == [
        row for row in looked.model.journal.sentences if row.channel == "class"
    ]


def test_a_teacher_whose_turn_failed_is_seen_to_do_nothing() -> None:
    class Silent(Looking):
        def answer(self, decisions: Sequence[Decision]) -> Sequence[Answer]:
            given = super().answer(decisions)
            if isinstance(decisions[0], TakeTurn) and decisions[0].at.step == 2:
                return [Answer.failed(self.name, "it said nothing")]
            return given

    policy = Silent()
    policy.model = ClassroomModel("first_lesson", seed=5, policy=policy, steps=6)
    for _ in range(2):
        policy.model.step()
    (seen,) = [seen for decision, seen in policy.seen if isinstance(decision, GiveFeedback) and decision.at.step == 2]
    assert (seen.teacher.act, seen.teacher.words, seen.teacher.called) == ("", "", ())
    assert {said.role for said in seen.sentences} <= {"S"}
