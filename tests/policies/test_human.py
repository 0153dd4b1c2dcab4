"""A person in a seat: asked once a step, stood in for when it does not reply, and held to what its form allows."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from eduverse_mesa.decisions import Answer, Decision, ScoreRequest, Scores
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.policies import make_policy
from eduverse_mesa.policies.human import (
    Act,
    Feedback,
    FeedbackWords,
    HumanPolicy,
    LiveSeat,
    Pacing,
    Question,
    Reply,
    ReplyError,
    Requests,
    Turn,
)
from eduverse_mesa.scenarios import load_scenario
from tests.policies.test_waiting import PATIENCE

EMBEDDED: Any = make_policy("embedded")
NAME = "Wang Fang"
NOT_NOW = Requests(None, "not now")
Answering = Callable[[Question], Reply | None]


class Person(threading.Thread):
    """Replies to whatever its seat is asked; to None it lets the time pass."""

    def __init__(self, seat: LiveSeat, answering: Answering) -> None:
        super().__init__(daemon=True)
        self.seat, self.answering = seat, answering
        self.asked: list[Question] = []
        self.over = threading.Event()

    def run(self) -> None:
        while not self.over.is_set():
            question = self.seat.question
            if question is None or (self.asked and self.asked[-1] is question):
                time.sleep(0.0005)
                continue
            self.asked.append(question)
            reply = self.answering(question)
            if reply is not None:
                self.seat.reply(reply, question.id)


def classroom(
    seats: dict[str, LiveSeat], wait: float | None = PATIENCE, *, steps: int = 6, **settings: object
) -> ClassroomModel:
    scenario = load_scenario(steps=steps, settings={"pacing.mode": "fixed", **settings})
    return ClassroomModel(scenario, seed=3, policy=HumanPolicy(EMBEDDED, seats, EMBEDDED, wait))


def played(answering: Answering, agent: str = NAME, steps: int = 3, **named: Any) -> tuple[ClassroomModel, Person]:
    seat = LiveSeat(agent, "teacher" if agent == "Teacher" else "student")
    seat.sit("p1")
    person = Person(seat, answering)
    person.start()
    model = classroom({agent: seat}, **named)
    if agent == "Teacher":
        model = classroom({model.teacher.name: seat}, **named)
    for _ in range(steps):
        model.step()
    person.over.set()
    person.join(PATIENCE)
    return model, person


def answers_of(model: ClassroomModel, agent: str, kind: str) -> list[Any]:
    return [entry.answer for entry in model.journal.answers if (entry.agent, entry.kind) == (agent, kind)]


def quiet(question: Question) -> Reply:
    """Somebody who listens, and turns nobody's request down without a word."""
    if question.form == "requests":
        return Requests(None, "I listen")
    wanted = "head_up" if "head_up" in question.permitted else question.permitted[0]
    return Act(wanted, words="I have to think about it.")


# --- who answers ---


def test_an_empty_seat_changes_nothing() -> None:
    with_seat, without = classroom({NAME: LiveSeat(NAME, "student")}), ClassroomModel(classroom({}).setup, seed=3)
    for _ in range(4):
        with_seat.step()
        without.step()
    assert with_seat.digest() == without.digest()
    assert with_seat.journal.answers == without.journal.answers


def test_a_person_is_asked_in_one_form_a_step_and_answers_are_its_own() -> None:
    model, person = played(lambda question: quiet(question))
    acts = [question for question in person.asked if question.form == "act"]
    assert [question.place for question in acts] == [(1, 1), (1, 2), (1, 3)]
    plans = answers_of(model, NAME, "plan")
    assert [(answer.source, answer.status) for answer in plans] == [("human", "ok")] * 3
    others = {entry.answer.source for entry in model.journal.answers if entry.agent != NAME}
    assert others == {"embedded"}


def test_words_typed_with_the_act_are_said_unchanged() -> None:
    def ask(question: Question) -> Reply:
        if question.form == "act" and "ask_question" in question.permitted:
            return Act("ask_question", question.partners[0], "Do you know why  leaves turn green? I don't\u202e.")
        return quiet(question)

    model, _ = played(ask, steps=2)
    (drafted, *_), (styled, *_) = answers_of(model, NAME, "draft"), answers_of(model, NAME, "style")
    assert (drafted.source, styled.source) == ("human", "human")
    assert [said.text for said in styled.outcome.sentences] == ["Do you know why leaves turn green?", "I don't."]
    assert [said.move for said in styled.outcome.sentences] == ["ask", "none"]
    spoken = [row.text for row in model.journal.sentences if row.speaker == NAME]
    assert spoken[:2] == ["Do you know why leaves turn green?", "I don't."]


def test_words_are_dropped_where_the_room_changes_what_is_done() -> None:
    model, _ = played(
        lambda question: (
            Act("ask_question", "teacher", "Why?")
            if question.form == "act" and "ask_question" in question.permitted
            else quiet(question)
        ),
        parameters={"floor.question": 0.0},
    )
    assert [row.behaviour for row in model.journal.students if row.student == NAME] == ["hand_raise"] * 3
    assert [row for row in model.journal.sentences if row.speaker == NAME] == []
    assert answers_of(model, NAME, "draft") == []


def test_a_mood_is_the_persons_and_without_one_it_is_appraised() -> None:
    moods = iter(["negative", "", "positive"])
    model, _ = played(
        lambda question: Act("head_up", mood=next(moods), thought="so tired") if question.form == "act" else NOT_NOW
    )
    first, second, third = answers_of(model, NAME, "monitor")
    assert [one.source for one in (first, second, third)] == ["human"] * 3
    assert (first.outcome.emotion, third.outcome.emotion) == ("negative", "positive")
    assert first.outcome.sentence == "so tired"
    model, _ = played(lambda question: Act("head_up") if question.form == "act" else NOT_NOW)
    assert {one.source for one in answers_of(model, NAME, "monitor")} == {"embedded"}


def test_without_metacognition_a_person_reacts() -> None:
    model, _ = played(
        lambda question: Act("head_down", mood="confused") if question.form == "act" else NOT_NOW,
        ablation=["nocog"],
    )
    reacted = answers_of(model, NAME, "react")
    assert [(one.source, one.outcome.behaviour, one.outcome.emotion) for one in reacted] == [
        ("human", "head_down", "confused")
    ] * 3


# --- nobody replies ---


def test_who_does_not_reply_is_stood_in_for_and_that_is_counted() -> None:
    model, _ = played(lambda _: None, wait=0.02, steps=2)
    for answer in answers_of(model, NAME, "plan"):
        assert (answer.status, answer.source, answer.reason) == ("fallback", "embedded", "no answer within 0.02 s")
    alone = ClassroomModel(model.setup, seed=3)
    alone.step()
    alone.step()
    assert alone.digest() == model.digest()


def test_who_leaves_in_the_middle_is_released_at_once() -> None:
    seat = LiveSeat(NAME, "student")
    seat.sit("p1")

    def leave(_: Question) -> None:
        seat.leave()

    person = Person(seat, leave)
    person.start()
    model = classroom({NAME: seat}, wait=None)
    model.step()
    person.over.set()
    assert {answer.status for answer in answers_of(model, NAME, "plan")} == {"ok"}
    assert {answer.source for answer in answers_of(model, NAME, "plan")} == {"embedded"}
    assert seat.occupant is None


def test_who_is_away_is_not_waited_for_until_it_is_back() -> None:
    seat = LiveSeat(NAME, "student")
    seat.sit("p1")
    seat.set_present(False)
    model = classroom({NAME: seat}, wait=None)
    model.step()
    (answer,) = answers_of(model, NAME, "plan")
    assert (answer.status, answer.reason) == ("fallback", "away from the seat")
    seat.set_present(True)
    person = Person(seat, quiet)
    person.start()
    model.step()
    person.over.set()
    assert answers_of(model, NAME, "plan")[1].source == "human"


def test_a_seat_is_for_one() -> None:
    seat = LiveSeat(NAME, "student")
    seat.sit("p1")
    seat.sit("p1")
    with pytest.raises(ReplyError, match="somebody sits"):
        seat.sit("p2")
    seat.leave()
    seat.sit("p2")
    assert seat.occupant == "p2"


def test_many_people_reply_at_the_same_time() -> None:
    names = list(ClassroomModel(load_scenario(steps=3), seed=3).classmates)
    seats = {name: LiveSeat(name, "student") for name in names}
    for name, seat in seats.items():
        seat.sit(f"person of {name}")
    people = [Person(seat, quiet) for seat in seats.values()]
    for person in people:
        person.start()
    model = classroom(seats)
    for _ in range(3):
        model.step()
    for person in people:
        person.over.set()
    plans = [entry.answer for entry in model.journal.answers if entry.kind == "plan"]
    assert {(answer.source, answer.status) for answer in plans} == {("human", "ok")}
    assert len(plans) == 3 * len(names)


def test_who_watches_a_seat_and_fails_disturbs_nobody() -> None:
    def broken(_: LiveSeat) -> None:
        raise ZeroDivisionError

    seat = LiveSeat(NAME, "student", broken)
    seat.sit("p1")
    person = Person(seat, quiet)
    person.start()
    model = classroom({NAME: seat})
    model.step()
    person.over.set()
    assert answers_of(model, NAME, "plan")[0].source == "human"


# --- requests of classmates ---


@pytest.mark.parametrize("accept", [True, False])
def test_a_request_is_taken_up_or_not_as_the_person_says(accept: bool) -> None:
    """Everybody turns to the person, who takes the first, or none."""
    answered: list[Requests] = []

    def person_does(question: Question) -> Reply:
        if question.form == "requests":
            answered.append(Requests(question.requests[0].id if accept else None))
            return answered[-1]
        if question.request is not None:
            assert question.permitted == (
                {"chat": "chat", "side_talk": "side_talk"}.get(question.request.kind, "answer_question"),
            )
            return Act(question.permitted[0], words="Here I am.")
        return quiet(question)

    model, _ = played(person_does, steps=6)
    mine = [one for one in model.state.requests.all if one.request.receiver == NAME and one.scores is not None]
    assert mine, "nobody turned to the person; take another seed"
    assert answered
    assert {one.status for one in mine} <= ({"accepted", "rejected"} if accept else {"rejected"})
    assert ("accepted" in {one.status for one in mine}) == accept
    scores = [answer.outcome for answer in answers_of(model, NAME, "score_request") if answer.source == "human"]
    assert {one.intention for one in scores} <= {0.0, 1.0}
    assert all("a person" in reason for one in scores for reason in one.reasons)


@pytest.mark.parametrize("why", ["late", "away"])
def test_a_request_that_the_person_missed_stays_unanswered_and_narrows_nothing(why: str) -> None:
    """Nobody says yes in a person's place: the request waits, and the next form offers what it would offer anyway."""
    seat = LiveSeat(NAME, "student")

    def person_does(question: Question) -> Reply | None:
        if question.form != "requests":
            return quiet(question)
        if why == "away":
            seat.set_present(False)
            seat.set_present(True)
        return None

    seat.sit("p1")
    person = Person(seat, person_does)
    person.start()
    model = classroom({NAME: seat}, wait=0.3 if why == "late" else None, steps=12)
    for _ in range(8):
        model.step()
    person.over.set()
    missed = [question for question in person.asked if question.form == "requests"]
    assert missed, "nobody turned to the person; take another seed"
    reason = "no answer within 0.3 s" if why == "late" else "away from the seat"
    assert {(one.outcome, one.status, one.reason) for one in answers_of(model, NAME, "score_request")} == {
        (None, "failed", reason)
    }
    acts = [question for question in person.asked if question.form == "act"]
    assert {question.request for question in acts} == {None}
    after = [question for question in acts if question.place in {one.place for one in missed}]
    assert after
    assert all("head_up" in question.permitted for question in after if "stand_answer" not in question.permitted)
    mine = [one for one in model.state.requests.all if one.request.receiver == NAME]
    assert {(one.status, one.reason) for one in mine} <= {("pending", ""), ("rejected", "teacher priority")}
    assert any(one.status == "pending" for one in mine)
    again = [question.requests[0].id for question in missed]
    assert len(again) > len(set(again)), "what waits is asked again"


class Agreeable:
    """Takes every request up; `then` is called as it does."""

    name = "agreeable"

    def __init__(self, then: Callable[[], None]) -> None:
        self._then = then

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        """Yes to every request, and what the embedded policy answers."""
        return [
            self._agree(answer) if isinstance(decision, ScoreRequest) and decision.agent == NAME else answer
            for decision, answer in zip(decisions, EMBEDDED.answer(decisions), strict=True)
        ]

    def _agree(self, answer: Answer) -> Answer:
        self._then()
        return answer._replace(outcome=Scores((100.0,) * 5, (0.2,) * 5))


def test_who_sits_down_after_its_agent_said_yes_is_asked_from_the_next_step_on() -> None:
    """The agent does what it has begun; nobody is told to have said yes who did not."""
    seat = LiveSeat(NAME, "student")
    person = Person(seat, quiet)
    person.start()

    def sit_down() -> None:
        sat.append(model.state.step)
        seat.sit("p1")

    sat: list[int] = []
    model = classroom({NAME: seat}, steps=12)
    model.policy = HumanPolicy(Agreeable(sit_down), {NAME: seat}, EMBEDDED, PATIENCE)
    for _ in range(8):
        model.step()
    person.over.set()
    assert sat, "nobody turned to the person; take another seed"
    acts = [question for question in person.asked if question.form == "act"]
    assert acts[0].place == (1, sat[0] + 1)
    assert {question.request for question in acts} == {None}
    plans = answers_of(model, NAME, "plan")
    assert [answer.source for answer in plans[: sat[0]]] == ["embedded"] * sat[0]
    taken = [one for one in model.state.requests.all if one.status == "accepted" and one.settled == sat[0]]
    assert NAME in {one.request.receiver for one in taken}


# --- the teacher ---


def test_a_person_teaches() -> None:
    def teach(question: Question) -> Reply:
        if question.form == "turn":
            return Turn(
                "asking_question", "Why is it green? Do you agree with him?", (question.names[0],), (), "encouraging"
            )
        if question.form == "feedback":
            return Feedback((FeedbackWords(question.names[0], "positive", "Well done, thank you."),))
        assert question.form == "pace"
        return Pacing("stay", "there is time")

    model, person = played(teach, "Teacher", steps=2, **{"pacing.mode": "adaptive"})
    assert {question.form for question in person.asked} == {"turn", "feedback", "pace"}
    first = model.students[0].name
    assert [row.called for row in model.journal.teacher] == [first] * 2
    assert [row.act for row in model.journal.teacher] == ["asking_question"] * 2
    teachers = [(row.text, row.move) for row in model.journal.sentences if row.speaker == model.teacher.name]
    assert ("Why is it green?", "press-reasoning") in teachers
    assert ("Do you agree with him?", "get-to-relate") in teachers
    assert ("Well done, thank you.", "none") in teachers
    assert {row.feedback for row in model.journal.students if row.student == first} == {"positive"}
