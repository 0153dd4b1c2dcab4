"""Whom a behaviour goes to when a policy of one's own does not say, or names somebody out of reach."""

from __future__ import annotations

from typing import Any

import pytest

from eduverse_mesa.decisions import Outcome, Plan, Planned, React, Reacted
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.vocabulary import OFF_TASK, TO_CLASS
from tests.models.lessons import played, scripted


def gossip(name_somebody: bool) -> Any:
    """Chats wherever a neighbour is off task: the first exercise of the guide."""

    def script(decision: Any) -> Outcome | None:
        if not isinstance(decision, Plan) or "chat" not in decision.permitted:
            return None
        if not any(neighbour.behaviour in OFF_TASK for neighbour in decision.view.neighbours):
            return None
        return Planned("They talk, so I do.", "chat", decision.partners[0] if name_somebody else "")

    return scripted(script)


def off_task(model: ClassroomModel) -> float:
    rows = model.journal.students
    return sum(row.behaviour in OFF_TASK for row in rows) / len(rows)


def test_chatting_without_a_partner_is_chatting() -> None:
    usual = off_task(played("embedded", steps=30))
    named = off_task(played(gossip(True), steps=30))
    model = played(gossip(False), steps=30)
    assert off_task(model) > 0.8 > usual
    assert abs(off_task(model) - named) < 0.1
    assert not [row for row in model.journal.rejections if row.wanted == "chat"]


@pytest.mark.parametrize("behaviour", ["chat", "side_talk"])
def test_an_unnamed_partner_is_one_who_can_be_reached(behaviour: str) -> None:
    reachable: dict[tuple[int, str], tuple[str, ...]] = {}

    def script(decision: Any) -> Outcome | None:
        if isinstance(decision, Plan) and behaviour in decision.permitted and decision.request is None:
            reachable[decision.at.step, decision.at.agent] = decision.partners
            return Planned("Psst.", behaviour)
        return None

    model = played(scripted(script), steps=12)
    rows = {(row.step, row.student): row for row in model.journal.students if (row.step, row.student) in reachable}
    assert len(rows) > 20
    for place, row in rows.items():
        assert row.behaviour == behaviour
        assert row.addressee in reachable[place]
    assert any(len({row.addressee for row in rows.values() if row.student == one}) > 1 for _, one in rows)
    again = played(scripted(script), steps=12)
    assert model.journal.students == again.journal.students


def test_who_has_just_refused_is_asked_last() -> None:
    def script(decision: Any) -> Outcome | None:
        if isinstance(decision, Plan) and "chat" in decision.permitted and decision.request is None:
            asked[decision.at.step, decision.at.agent] = decision.partners, decision.refused_by
            return Planned("Psst.", "chat")
        return None

    asked: dict[tuple[int, str], tuple[tuple[str, ...], tuple[str, ...]]] = {}
    model = played(scripted(script), steps=20)
    others = 0
    for row in model.journal.students:
        partners, refused = asked.get((row.step, row.student), ((), ()))
        if set(partners) - set(refused) and refused:
            others += 1
            assert row.addressee not in refused
    assert others > 3


def test_a_partner_out_of_reach_is_replaced_and_the_reason_names_the_field() -> None:
    def script(decision: Any) -> Outcome | None:
        if isinstance(decision, Plan) and "chat" in decision.permitted and decision.request is None:
            return Planned("Psst.", "chat", "Napoleon")
        return None

    model = played(scripted(script), steps=6)
    refused = [row for row in model.journal.rejections if row.wanted == "chat"]
    assert refused
    told = {(row.step, row.agent): row for row in refused}
    for row in model.journal.students:
        if (row.step, row.student) in told:
            assert row.behaviour == told[row.step, row.student].replaced_by == "chat"
            reason = told[row.step, row.student].reason
            assert reason == f"Napoleon is not within talking distance (partner), so it goes to {row.addressee}"


def test_a_question_to_nobody_goes_to_the_teacher() -> None:
    def script(decision: Any) -> Outcome | None:
        if isinstance(decision, Plan) and "ask_question" in decision.permitted:
            return Planned("Why?", "ask_question")
        return None

    model = played(scripted(script), steps=6, settings={"floor": 30, "pacing.mode": "fixed"})
    asking = [row for row in model.journal.students if row.behaviour == "ask_question" and not row.gate]
    assert asking
    assert {row.addressee for row in asking} == {"teacher"}


@pytest.mark.parametrize("ablation", [[], ["nocog"]])
def test_what_is_said_to_the_class_reaches_it_whomever_the_policy_names(ablation: list[str]) -> None:
    def script(decision: Any) -> Outcome | None:
        if not isinstance(decision, Plan | React):
            return None
        wish = next((one for one in ("stand_answer", "answer_question") if one in decision.permitted), "")
        if not wish:
            return None
        if isinstance(decision, React):
            return Reacted(wish, "positive", "apply", decision.at.agent)
        return Planned("I know.", wish)

    model = played(scripted(script), steps=12, settings={"ablation": ablation, "pacing.mode": "fixed"})
    answered = [row for row in model.journal.students if row.behaviour in ("stand_answer", "answer_question")]
    assert answered
    assert {row.addressee for row in answered} == {"teacher"}
    heard = {(one.step, one.speaker) for one in model.journal.sentences if one.channel == "class"}
    assert {(row.step, row.student) for row in answered} <= heard


def test_to_whom_each_policy_of_the_house_speaks_is_what_the_room_would_choose() -> None:
    for row in played("embedded", steps=30).journal.students:
        assert row.behaviour not in TO_CLASS or row.addressee == (row.gate or "teacher")
