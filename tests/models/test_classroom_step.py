"""The life of one step: rounds, gate, affordances, words, feedback, failures."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from eduverse_mesa import ClassroomModel
from eduverse_mesa.decisions import (
    Answer,
    FedBack,
    FeedbackItem,
    Plan,
    Planned,
    Said,
    ScoreRequest,
    Scores,
    TakeTurn,
    Turned,
)
from eduverse_mesa.visualization.frames.lesson import frame
from eduverse_mesa.vocabulary import BEHAVIOURS, BLOOM, EMOTIONS, SPOKEN
from tests.models.lessons import Asked, lesson, played, scripted
from tests.models.walk import usual_step

T_MOVES = {"none", "keep-together", "get-to-relate", "restate", "revoice", "press-accuracy", "press-reasoning"}
S_MOVES = {"none", "relate", "ask", "claim", "evidence"}
WILLING = Scores((90, 90, 90, 90, 90), (0.2, 0.2, 0.2, 0.2, 0.2))
UNWILLING = Scores((10, 10, 10, 10, 10), (0.2, 0.2, 0.2, 0.2, 0.2))


def rounds_of(model: Any, step: int) -> list[str]:
    return list(dict.fromkeys(entry.round for entry in model.journal.answers if entry.step == step))


def test_the_rounds_of_a_step_come_in_their_order() -> None:
    model = played(steps=20)
    order = ["teacher", "gate", "plan", "draft", "style", "monitor", "feedback", "regulate", "closing"]
    assert rounds_of(model, 0) == ["prepare"]
    seen = set()
    for step in range(1, 21):
        rounds = rounds_of(model, step)
        assert rounds == [name for name in order if name in rounds]
        assert {"teacher", "plan", "monitor", "feedback", "regulate"} <= set(rounds)
        seen.update(rounds)
    assert seen == set(order)


def test_each_ablation_takes_its_mechanism_out() -> None:
    def kinds(*ablation: str) -> set[str]:
        model = played(steps=12, settings={"ablation": list(ablation)})
        return {entry.kind for entry in model.journal.answers}

    assert {"plan", "style", "monitor", "regulate"} <= kinds()
    assert "style" not in kinds("nolocal")
    assert "regulate" not in kinds("noregulate")
    assert {"plan", "monitor", "regulate"} & kinds("nocog") == set()
    assert "react" in kinds("nocog")


def test_every_code_and_move_is_one_of_the_house() -> None:
    model = played(steps=30)
    for row in model.journal.students:
        assert row.behaviour in BEHAVIOURS
        assert row.emotion in EMOTIONS
        assert row.cognition in BLOOM
        assert bool(row.words) == (row.behaviour in SPOKEN)
    for sentence in model.journal.sentences:
        assert sentence.move in (T_MOVES if sentence.role == "T" else S_MOVES)
        assert sentence.text.strip()


def test_a_student_decides_on_what_it_perceives_and_no_more() -> None:
    policy = Asked()
    model = played(
        policy, steps=10, settings={"pacing.mode": "fixed", "perception.radius": 3.0, "perception.capacity": 2}
    )
    everybody = {student.name for student in model.students}
    for decision in policy.of("plan"):
        view = decision.view
        assert len(view.neighbours) + len(view.objects) <= 2
        assert all(neighbour.distance <= 3 for neighbour in view.neighbours)
        own = msgspec.to_builtins((view.neighbours, view.objects, view.mind, view.regulation, view.feedback))
        named = {name for name in everybody if name in str(own)}
        assert named <= {neighbour.name for neighbour in view.neighbours} | {view.person.name}


def test_distance_matters_for_attention() -> None:
    near = lesson(steps=1)
    near.step()
    by_distance = {student.name: student.to_board for student in near.students}
    assert len(set(by_distance.values())) > 1
    far = lesson(steps=1)
    for student in far.students:
        student.to_teacher += 12
        student.to_board += 12
    far.step()
    for one, other in zip(near.students, far.students, strict=True):
        assert other.mind.attention < one.mind.attention


# --- the gate ---


def test_a_teachers_request_always_wins() -> None:
    def script(decision: Any) -> Any:
        if isinstance(decision, TakeTurn):
            called = ("Zhang Jie",) if decision.at.step == 2 else ()
            return Turned("interaction", "asking_question", "neutral", (Said("Why?", "press-reasoning"),), called)
        if isinstance(decision, Plan) and decision.at.step == 1 and "Zhang Jie" in decision.partners:
            return Planned("I want to talk.", "chat", "Zhang Jie")
        return None

    model = played(scripted(script), steps=2)
    asked = [entry for entry in model.state.requests.all if entry.request.receiver == "Zhang Jie"]
    assert asked
    assert {(entry.status, entry.reason) for entry in asked if entry.request.step == 1} == {
        ("rejected", "teacher priority")
    }


@pytest.mark.parametrize(("scores", "status"), [(WILLING, "accepted"), (UNWILLING, "rejected")], ids=["yes", "no"])
def test_intention_decides_on_a_peers_request(scores: Scores, status: str) -> None:
    def script(decision: Any) -> Any:
        if isinstance(decision, TakeTurn):
            return Turned("instruction", "lecturing", "neutral", (Said("Listen."),))
        if isinstance(decision, ScoreRequest):
            return scores
        if isinstance(decision, Plan) and decision.at.step == 1 and decision.agent == "Wang Fang":
            return Planned("I ask.", "chat", decision.partners[0])
        if isinstance(decision, Plan) and decision.request is None:
            return Planned("I listen.", "head_up")
        return None

    model = played(scripted(script), steps=2)
    (entry,) = model.state.requests.all
    assert entry.status == status
    assert entry.settled == 2
    receiver = next(row for row in model.journal.students if row.step == 2 and row.student == entry.request.receiver)
    if status == "accepted":
        assert (receiver.behaviour, receiver.addressee, receiver.gate) == ("chat", "Wang Fang", "Wang Fang")
    else:
        assert (receiver.behaviour, entry.reason) == ("head_up", "low intention")


def test_no_request_is_lost() -> None:
    model = played(steps=40)
    assert len(model.state.requests.all) > 3
    assert all(entry.status != "pending" for entry in model.state.requests.all)


# --- affordances and the floor ---


def test_what_is_not_permitted_is_replaced_and_logged() -> None:
    model = played(scripted(lambda d: Planned("Now!", "stand_answer") if isinstance(d, Plan) else None), steps=3)
    wanted = [row for row in model.journal.rejections if row.wanted == "stand_answer"]
    assert wanted
    assert all(row.reason and row.replaced_by in BEHAVIOURS for row in wanted)
    called = {(row.step, row.student) for row in model.journal.students if row.called}
    stood = {(row.step, row.student) for row in model.journal.students if row.behaviour == "stand_answer"}
    assert stood == called


def test_only_so_many_have_the_floor() -> None:
    def script(decision: Any) -> Any:
        if isinstance(decision, TakeTurn):
            return Turned("interaction", "asking_question", "neutral", (Said("Who knows?", "press-accuracy"),))
        if isinstance(decision, Plan) and decision.request is None:
            return Planned("I know!", "answer_question", "teacher")
        return None

    model = played(scripted(script), steps=3, settings={"floor": 2})
    behaviours = Counter((row.step, row.behaviour) for row in model.journal.students)
    for step in (1, 2, 3):
        assert behaviours[step, "answer_question"] == 2
        assert behaviours[step, "hand_raise"] == 4


@pytest.mark.parametrize(("others", "heard"), [(0.0, 1), (1.0, 2)])
def test_where_somebody_was_called_others_are_heard_as_far_as_the_teacher_lets_them(others: float, heard: int) -> None:
    def script(decision: Any) -> Any:
        if isinstance(decision, TakeTurn):
            first = decision.view.group.pupils[0].name
            return Turned("interaction", "asking_question", "neutral", (Said("You?", "press-accuracy"),), (first,))
        if isinstance(decision, Plan) and decision.request is None:
            called = "stand_answer" in decision.permitted
            return Planned("I know!", "stand_answer" if called else "answer_question", "teacher")
        return None

    settings = {"floor": 2, "parameters.floor.others": others}
    steps = played(scripted(script), steps=3, settings=settings).journal.students
    spoke = Counter(row.step for row in steps if row.behaviour in ("stand_answer", "answer_question"))
    assert set(spoke.values()) == {heard}


@pytest.mark.parametrize(("others", "heard"), [(0.0, 1), (1.0, 2)])
def test_one_okay_will_do_where_the_teacher_only_checks(others: float, heard: int) -> None:
    def script(decision: Any) -> Any:
        if isinstance(decision, TakeTurn):
            return Turned("instruction", "lecturing", "neutral", (Said("So it is. Okay?"),))
        if isinstance(decision, Plan) and decision.request is None:
            return Planned("Okay!", "answer_question", "teacher")
        return None

    settings = {"floor": 2, "parameters.floor.others": others}
    steps = played(scripted(script), steps=3, settings=settings).journal.students
    spoke = Counter(row.step for row in steps if row.behaviour == "answer_question")
    assert set(spoke.values()) == {heard}


def test_the_outgoing_and_sure_get_a_word_in_more_often() -> None:
    def script(decision: Any) -> Any:
        if isinstance(decision, TakeTurn):
            return Turned("interaction", "asking_question", "neutral", (Said("Who knows?", "press-accuracy"),))
        if isinstance(decision, Plan) and decision.request is None:
            return Planned("I know!", "answer_question", "teacher")
        return None

    def heard(dominance: float) -> dict[str, int]:
        settings = {"floor": 1, "parameters.floor.dominance": dominance, "pacing.mode": "fixed"}
        model = played(scripted(script), steps=60, settings=settings)
        assert model.parameters["floor.dominance"] == dominance
        spoke = Counter(row.student for row in model.journal.students if row.behaviour == "answer_question")
        return {student.name: spoke[student.name] for student in model.students}

    fair, unfair = heard(0.0), heard(8.0)
    leader = max(played(scripted(script), steps=1).students, key=lambda one: one.person.traits.extraversion).name
    assert min(fair.values()) > 3
    assert unfair[leader] > 2 * fair[leader]


def test_unknown_names_do_not_reach_the_room() -> None:
    def script(decision: Any) -> Any:
        if isinstance(decision, TakeTurn):
            return Turned("interaction", "asking_question", "neutral", (Said("You?", "press-accuracy"),), ("Nobody",))
        if decision.kind == "give_feedback":
            return FedBack((FeedbackItem("Nobody", "positive", (Said("Good, Nobody."),)),))
        return None

    model = played(scripted(script), steps=2)
    assert {row.wanted for row in model.journal.rejections} >= {"call Nobody", "feedback to Nobody"}
    assert not any(row.called for row in model.journal.students)
    assert not any("Nobody." in sentence.text for sentence in model.journal.sentences)


# --- failures ---


@pytest.mark.parametrize(
    "kind",
    [
        "take_turn",
        "score_request",
        "plan",
        "draft",
        "style",
        "monitor",
        "give_feedback",
        "regulate",
        "pace",
        "summarise",
    ],
)
def test_a_failure_is_counted_and_never_becomes_behaviour(kind: str) -> None:
    def script(decision: Any) -> Any:
        return Answer.failed("broken", "the line is dead") if decision.kind == kind else None

    model = played(scripted(script), steps=12, settings={"pacing.mode": "adaptive"})
    failed = [entry for entry in model.journal.answers if entry.answer.status == "failed"]
    assert failed
    assert {entry.kind for entry in failed} == {kind}
    assert all(entry.answer.outcome is None for entry in failed)
    if kind == "plan":
        assert {row.behaviour for row in model.journal.students} == {""}
    if kind == "monitor":
        assert {row.emotion for row in model.journal.students} == {""}
    if kind == "take_turn":
        assert {row.act for row in model.journal.teacher} == {""}
        assert not any(s.role == "T" and s.addressee == "class" for s in model.journal.sentences)
    if kind in ("draft", "style"):
        assert not any(s.role == "S" for s in model.journal.sentences)


def test_an_invented_label_does_not_pass_for_a_state() -> None:
    from eduverse_mesa.decisions import Monitor, Monitored

    model = played(
        scripted(lambda d: Monitored("Hm.", "bored", "levitate") if isinstance(d, Monitor) else None), steps=2
    )
    assert {(row.emotion, row.cognition) for row in model.journal.students} == {("", "")}


# --- transcript ---


def test_feedback_follows_the_words_it_is_about() -> None:
    model = played(steps=30)
    spoken = [s for s in model.journal.sentences if s.channel == "class"]
    for before, after in pairwise(spoken):
        if after.role == "T" and after.addressee not in ("class",) and before.role == "S" and before.step == after.step:
            assert after.addressee == before.speaker or before.addressee == "teacher"


def test_talk_between_students_is_not_heard_by_the_class() -> None:
    model = played(steps=30)
    channels = {(s.addressee in model.classmates, s.channel) for s in model.journal.sentences if s.role == "S"}
    assert (True, "class") not in channels
    assert (True, "peer") in channels


def test_a_step_is_followed_in_few_places() -> None:
    """Somebody who follows a step is in four files, and comes back from fourteen functions of others; the step never
    asks the model for anything."""
    found = usual_step()
    course = {f"models/classroom/{name}.py" for name in ("step", "floor")}
    assert found.way == course | {"models/classroom/model.py", "models/decision_model.py"}
    assert len(found.returns) <= 14
    assert len(found.files) <= 10
    assert len(found.jumps) <= 30
    assert [jump for jump in found.jumps if jump.at in course and jump.to == "models/classroom/model.py"] == []


def test_a_picture_of_the_room_changes_nothing_in_it() -> None:
    """What the teacher knows in the first step does not depend on a picture having been drawn before it."""
    plain, drawn = (ClassroomModel(layout="pods_4", seed=1, steps=2) for _ in range(2))
    frame(drawn)
    for model in (plain, drawn):
        model.teacher.look(model.students, model.state)
    assert plain.teacher.group == drawn.teacher.group
    assert [student.before for student in plain.students] == [student.before for student in drawn.students]
