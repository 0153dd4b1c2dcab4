"""Frames say what the journal says, and a seat is shown what the model lets its agent know: no more, and no less."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from eduverse_mesa.decisions import Answer, Decision, GiveFeedback, Plan, StudentView, TakeTurn
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.models.classroom.interventions import Move, SetAct
from eduverse_mesa.policies import ScriptedPolicy, make_policy
from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.visualization.frames import (
    Exchange,
    Frame,
    FrameError,
    Rejection,
    Sentence,
    Stage,
    Trouble,
    frame,
    last_step,
    seen_by,
    stage,
    stage_seen_by,
)

EMBEDDED = make_policy("embedded", load_scenario().settings, load_scenario().people)


class Listening:
    """The embedded policy, which keeps what it was asked."""

    name = "embedded"

    def __init__(self) -> None:
        self.asked: list[Decision] = []

    def answer(self, decisions: Sequence[Decision]) -> Sequence[Answer]:
        self.asked += decisions
        return EMBEDDED.answer(decisions)  # type: ignore[union-attr]


@cache
def played(layout: str = "lecture") -> tuple[ClassroomModel, list[Frame], dict[tuple[str, int], StudentView]]:
    """A lesson, the frame of each step as it was made then, and what each student knew when it planned."""
    policy = Listening()
    model = ClassroomModel("first_lesson", layout=layout, seed=4, policy=policy, steps=24)
    frames, known = [frame(model)], {}
    while model.running:
        model.step()
        frames.append(frame(model))
        for asked in policy.asked:
            if isinstance(asked, Plan):
                known[asked.agent, last_step(model)] = asked.view
        policy.asked.clear()
    return model, frames, known


def test_an_earlier_step_is_the_same_as_it_was_then() -> None:
    for layout in ("lecture", "collab"):
        model, frames, _ = played(layout)
        assert last_step(model) == len(frames) - 1 > 10
        for then in frames[1:-1]:
            now = frame(model, then.step)
            forgotten = tuple(replace(student, engagement=None) for student in then.students)
            # At the bell, and only then, a request that waits is settled in the step in which it was made.
            assert now == replace(then, students=forgotten)


def test_a_step_shows_what_the_journal_holds() -> None:
    model, frames, _ = played()
    assert {said.text for shown in frames for said in shown.sentences} == {row.text for row in model.journal.sentences}
    last = frames[-1]
    for student in last.students:
        agent = model.classmates[student.name]
        assert (student.behaviour, student.emotion, student.cognition) == (
            agent.now.behaviour,
            agent.now.emotion,
            agent.now.cognition,
        )
        assert (student.x, student.y) == agent.place
        assert student.engagement == agent.mind.engagement
        assert student.source == "embedded"
    assert last.teacher.act == model.teacher.behaviour
    assert [shown.phase for shown in frames[1:]] == [row.phase for row in model.journal.teacher]
    assert all(shown.pacing and shown.pacing_reason and shown.teacher.focus for shown in frames[1:])


def test_the_focus_is_what_the_plan_had_for_the_step() -> None:
    _, frames, known = played()
    checked = 0
    for (_, step), view in known.items():
        focus = view.scene.focus
        if focus.text or focus.idea:
            assert frames[step].teacher.focus in (focus.text, focus.idea)
            checked += 1
    assert checked > 20


def test_before_the_lesson_everybody_sits_and_nothing_is_said() -> None:
    model = ClassroomModel("first_lesson", seed=1)
    first = frame(model)
    assert (first.step, first.sentences, first.exchanges, first.phase) == (0, (), (), "")
    assert [student.seat for student in first.students] == ["r1_1", "r1_2", "r1_3", "r2_1", "r2_2", "r2_3"]
    assert all(student.attention is not None and student.perceived for student in first.students)
    model.step()
    later = frame(model, 0)
    assert [(s.x, s.y, s.behaviour) for s in later.students] == [(s.x, s.y, s.behaviour) for s in first.students]
    assert all(student.attention is None for student in later.students)


def test_a_step_that_is_not_there_is_refused_with_what_there_is() -> None:
    model = ClassroomModel("first_lesson", seed=1)
    model.step()
    for step in (2, -1):
        with pytest.raises(FrameError, match=r"no step .* from 0 to 1"):
            frame(model, step)
    with pytest.raises(FrameError, match="nobody called 'Nobody'"):
        seen_by(frame(model), "Nobody")


def test_a_step_in_the_middle_is_not_shown() -> None:
    model = ClassroomModel("first_lesson", seed=1)
    model.step()
    before = frame(model)
    rounds = model.rounds()
    batch = next(rounds)
    for _ in range(4):
        batch = rounds.send(EMBEDDED.answer(batch.decisions))  # type: ignore[union-attr]
        assert frame(model) == before
    rounds.close()


def test_a_frame_is_plain_data() -> None:
    model, frames, _ = played()
    assert msgspec.json.decode(msgspec.json.encode(frames[-1]), type=Frame) == frames[-1]
    made = stage(model)
    assert msgspec.json.decode(msgspec.json.encode(made), type=Stage) == made


def test_who_has_moved_is_shown_where_it_was() -> None:
    change = Move(step=4, student="Li Wei", to="r1_1")
    model = ClassroomModel("first_lesson", seed=2, interventions=[change])
    frames = []
    for _ in range(6):
        model.step()
        frames.append(frame(model))
    seats = [shown.student("Li Wei").seat for shown in frames]
    assert seats == [seats[0]] * 3 + ["r1_1"] * 3 != ["r1_1"] * 6
    assert [frame(model, step).student("Li Wei").seat for step in range(1, 7)] == seats


def test_who_heard_a_group_is_told_by_where_all_sat_then() -> None:
    talk = [SetAct(step=step, act="organising_discussion") for step in range(3, 9)]
    change = Move(step=9, student="Zhang Jie", to="b1")
    model = ClassroomModel("first_lesson", layout="collab", seed=5, interventions=[*talk, change])
    frames = []
    while model.running:
        model.step()
        frames.append(frame(model))
    early = [said for shown in frames[:8] for said in shown.sentences if said.channel == "group"]
    assert early, "nobody discussed in a group: choose another seed"
    assert all(said.hearers for said in early)
    again = [said for step in range(1, 9) for said in frame(model, step).sentences if said.channel == "group"]
    assert again == early


def test_a_request_is_shown_as_it_stood_in_the_step() -> None:
    model, _, _ = played()
    made = [entry for entry in model.state.requests.all if entry.settled > entry.request.step]
    assert {"accepted", "rejected"} <= {entry.status for entry in made}
    for entry in made:
        request = entry.request
        key = (request.sender, request.receiver, request.step)
        then = {(e.sender, e.receiver, e.made): e for e in frame(model, request.step).exchanges}
        now = {(e.sender, e.receiver, e.made): e for e in frame(model, entry.settled).exchanges}
        assert then[key].status == "pending"
        assert then[key].intention is None
        assert (now[key].status, now[key].reason, now[key].settled) == (entry.status, entry.reason, entry.settled)
        if entry.scores is not None:
            assert (now[key].intention, now[key].scores) == (entry.scores.intention, entry.scores.scores)


def test_a_decision_that_failed_is_no_behaviour_and_the_others_see_what_was_before() -> None:
    def fail(decision: Decision) -> Answer | None:
        if isinstance(decision, Plan) and decision.agent == "Li Wei" and decision.at.step == 3:
            return Answer.failed("test", "no answer came")
        return None

    model = ClassroomModel("first_lesson", seed=1, policy=ScriptedPolicy(fail, EMBEDDED))  # type: ignore[arg-type]
    for _ in range(3):
        model.step()
    now = frame(model).student("Li Wei")
    before = frame(model, 2).student("Li Wei")
    assert (now.behaviour, now.level, now.emotion) == ("", "", "")
    assert now.shows == (before.behaviour, before.emotion)
    assert Trouble("Li Wei", "plan", "failed", "no answer came") in frame(model).troubles
    assert seen_by(frame(model), model.teacher.name).student("Li Wei").behaviour == before.behaviour


def test_names_with_the_sign_that_parts_names() -> None:
    scenario = load_scenario("first_lesson")
    roll = scenario.roll
    names = ["A;B", "B", "A", "C;A;B"]
    students = tuple(
        student.model_copy(update={"name": name}) for student, name in zip(roll.students, names, strict=False)
    )
    scenario = scenario.model_copy(
        update={"roll": roll.model_copy(update={"students": (*students, *roll.students[len(names) :])})}
    )
    model = ClassroomModel(scenario, seed=1)
    model.step()
    for student in frame(model).students:
        view = model.classmates[student.name].seen
        expected = [*[neighbour.name for neighbour in view.neighbours], *view.objects]
        # "A" and "B" side by side cannot be told from "A;B" in the journal; nobody unknown ever comes out of it.
        assert ";".join(student.perceived) == ";".join(expected)


# --- what a seat may see ---


@pytest.mark.parametrize("layout", ["lecture", "collab", "round"])
def test_a_student_sees_of_its_classmates_what_it_knows_when_it_decides_next(layout: str) -> None:
    _, frames, known = played(layout)
    for shown in frames[:-1]:
        for student in shown.students:
            view = known[student.name, shown.step + 1]
            seen = seen_by(shown, student.name)
            states = {s.name: (s.behaviour, s.emotion) for s in seen.students if s.behaviour and s.name != student.name}
            assert states == {mate.name: (mate.behaviour, mate.emotion) for mate in view.neighbours}


@pytest.mark.parametrize("layout", ["lecture", "collab", "round"])
def test_a_student_hears_what_the_model_lets_it_hear(layout: str) -> None:
    _, frames, known = played(layout)
    private = 0
    for shown in frames[1:-1]:
        for student in shown.students:
            view = known[student.name, shown.step + 1]
            heard = seen_by(shown, student.name).sentences
            talk = [line.text for line in view.scene.talk if line.step == shown.step]
            aloud = [said.text for said in heard if said.channel == "class"]
            assert " ".join(aloud) == " ".join(talk)
            own = [said.text for spoken in view.lately[-1].heard for said in spoken.sentences]
            others = [said.text for said in heard if said.channel != "class" and said.speaker != student.name]
            assert sorted(own) == sorted(others)
            private += len(others)
    assert private > 5


def test_the_teacher_sees_what_it_is_given_when_it_decides() -> None:
    policy = Listening()
    model = ClassroomModel("first_lesson", seed=4, policy=policy)
    asked: dict[int, Any] = {}
    for step in range(1, 13):
        before = seen_by(frame(model), model.teacher.name)
        policy.asked.clear()
        model.step()
        turn = next(decision for decision in policy.asked if isinstance(decision, TakeTurn))
        pupils = {pupil.name: (pupil.behaviour, pupil.emotion, pupil.hand_up) for pupil in turn.view.group.pupils}
        assert {s.name: (s.behaviour, s.emotion, s.hand_up) for s in before.students} == pupils
        feedback = next(decision for decision in policy.asked if isinstance(decision, GiveFeedback))
        now = seen_by(frame(model), model.teacher.name)
        assert {h.student: " ".join(said.text for said in h.sentences) for h in feedback.heard} == {
            student.name: student.words for student in now.students
        }
        asked[step] = now
    assert all(said.channel == "class" for shown in asked.values() for said in shown.sentences)


PRIVATE_TEXTS = ("plan", "monitoring", "regulation", "strategy", "recall", "cognition", "gate", "source", "model")
NUMBERS = ("attention", "confidence", "affect", "fatigue", "rapport", "engagement", "understanding")


def marked(shown: Frame) -> tuple[Frame, dict[str, list[str]]]:
    """A frame with a mark of its own in everything private of everybody, and whose marks they are."""
    marks: dict[str, list[str]] = {student.name: [] for student in shown.students}

    def mark(owner: str, what: str) -> str:
        marks[owner].append(f"@{owner}/{what}@")
        return marks[owner][-1]

    students = []
    for place, student in enumerate(shown.students):
        texts: dict[str, Any] = {field: mark(student.name, field) for field in PRIVATE_TEXTS}
        numbers = {field: 0.1234567 + place + at / 100 for at, field in enumerate(NUMBERS)}
        marks[student.name] += [str(number) for number in numbers.values()]
        texts["perceived"] = (*student.perceived, mark(student.name, "perceived"))
        students.append(replace(student, **texts, **numbers))
    names = [student.name for student in shown.students]
    exchanges, sentences = [], []
    for sender, receiver in zip(names, (*names[1:], names[0]), strict=True):
        thought = mark(receiver, f"thought-of-{sender}")
        exchanges.append(
            Exchange(sender, receiver, "chat", f"~{sender}>{receiver}~", "rejected", thought, 0.5, (), (), (thought,))
        )
        sentences.append(Sentence("S", sender, receiver, "peer", f"~{sender}>{receiver}~", "none", (receiver,)))
    rejections = tuple(Rejection(name, mark(name, "wanted"), "", mark(name, "why-not")) for name in names)
    troubles = tuple(Trouble(name, "plan", "failed", mark(name, "trouble")) for name in names)
    return (
        replace(
            shown,
            students=tuple(students),
            exchanges=tuple(exchanges),
            sentences=tuple(sentences),
            rejections=rejections,
            troubles=troubles,
            pacing_reason="@teacher@",
            teacher=replace(shown.teacher, focus="@teacher@"),
        ),
        marks,
    )


@given(st.data())
def test_nothing_private_of_another_reaches_a_seat(data: st.DataObject) -> None:
    layout = data.draw(st.sampled_from(["lecture", "collab", "round"]))
    _, frames, _ = played(layout)
    shown, marks = marked(data.draw(st.sampled_from(frames)))
    agent = data.draw(st.sampled_from([*marks, shown.teacher.name]))
    sent = msgspec.json.encode(seen_by(shown, agent)).decode()
    for owner, private in marks.items():
        present = [mark for mark in private if mark in sent]
        assert present == (private if owner == agent else [])
    for said in shown.sentences:
        assert (said.text in sent) is (agent in (said.speaker, said.to))
    assert ("@teacher@" in sent) is (agent == shown.teacher.name)


def test_every_part_of_a_student_is_either_hidden_or_meant_to_be_seen() -> None:
    """A field that is added to StudentFrame has to be decided on, here and in `seen_by` (`frames/lesson.py`)."""
    seen = {"name", "x", "y", "seat", "behaviour", "level", "emotion", "high", "to", "called", "hand_up", "feedback"}
    seen |= {"words", "shows", "perceived", "quality"}
    model, frames, _ = played()
    assert set(frames[0].students[0].__struct_fields__) == seen | set(PRIVATE_TEXTS) | set(NUMBERS)
    names = list(model.classmates)
    for shown in frames:
        for student in seen_by(shown, names[0]).students[1:]:
            assert (student.high, student.perceived, student.quality, student.feedback) == (False, (), "", "")


def test_a_seat_knows_its_own_part_of_the_room() -> None:
    model, _, _ = played()
    room = stage_seen_by(stage(model), "Li Wei")
    assert room.edges
    assert all("Li Wei" in pair for pair in room.edges)
    assert list(room.radii) == ["Li Wei"]


def test_the_stage_is_the_layout() -> None:
    for layout in ("lecture", "collab", "rows_30"):
        model = ClassroomModel("first_lesson", layout=layout, seed=1)
        room = stage(model)
        assert {piece.name for piece in room.pieces} == {thing.name for thing in model.placing.room.furniture}
        assert set(room.edges) == set(model.placing.graph.edges)
        left, top, right, bottom = room.core
        assert room.bounds[0] <= left <= right <= room.bounds[2] <= room.width
        assert room.bounds[1] <= top <= bottom <= room.bounds[3] <= room.height
        for student in frame(model).students:
            assert left <= student.x <= right
            assert top <= student.y <= bottom
