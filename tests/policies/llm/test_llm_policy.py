"""The policy as a whole: no failure is hidden, none harms another agent, and a hopeless one stops before the step."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eduverse_mesa.decisions import LESSON
from eduverse_mesa.errors import BudgetError, PolicyError
from eduverse_mesa.policies.llm.calls import Call, CallFailedError, Completion, Trouble
from eduverse_mesa.policies.llm.policy import UselessError
from eduverse_mesa.runs import open_study, record_course, replay_run, resume_run
from tests.models.lessons import Asked, lesson, log, played
from tests.policies.llm.rehearsal import FIDELITIES, Rehearsal, Twist, filled, policy_with
from tests.runs.courses import course, log_of

Broken = Callable[[Call], str | Completion | CallFailedError]
USELESS: dict[str, Broken] = {
    "prose": lambda call: "I raise my hand.",
    "empty": lambda call: "",
    "cut-off": lambda call: Completion(json.dumps(filled(call))[:-5], "length"),
    "refused": lambda call: Completion("", "refused"),
    "wrong-language": lambda call: json.dumps(filled(call, "我觉得这和我们读的课文有关系。")),
    "unknown-name": lambda call: json.dumps({key: {"student": "Nobody"} for key in filled(call)}),
    "not-a-number": lambda call: '{"score": NaN}',
    "nested": lambda call: "[" * 10_000,
    "huge": lambda call: "x" * 10**6,
    "call-failed": lambda call: CallFailedError("the server gave up", attempts=3),
    "endpoint": lambda call: CallFailedError("nobody is there", "endpoint", mend="Start it."),
    "account": lambda call: CallFailedError("the key is not valid", "account", mend="Set a key."),
}


def of_student(name: str, broken: Broken) -> Twist:
    """The stand-in, with all calls of one student broken."""
    return lambda call, _: broken(call) if f"You are {name}, " in call.messages[1].content else None


def after(calls: int, trouble: Trouble) -> Twist:
    """The stand-in, in trouble from some call on."""
    return lambda _, number: CallFailedError("no more", trouble, mend="Wait.") if number >= calls else None


@pytest.mark.parametrize("fidelity", FIDELITIES)
@pytest.mark.parametrize("how", USELESS)
def test_what_one_student_suffers_harms_no_other(how: str, fidelity: str) -> None:
    rehearsal = Rehearsal(of_student("Liu Li", USELESS[how]))
    model = played(policy_with(rehearsal, fidelity), steps=2)
    statuses = Counter((entry.agent == "Liu Li", entry.answer.status) for entry in log(model))
    assert set(statuses) == {(True, "fallback"), (False, "ok")}
    for entry in log(model):
        if entry.answer.status == "fallback":
            assert (entry.answer.source, entry.agent) == ("embedded", "Liu Li")
            assert entry.answer.reason
            assert entry.answer.attempts in (1, 3)


@pytest.mark.parametrize("how", ["prose", "empty", "refused"])
def test_a_model_that_answers_nothing_ends_the_run(how: str) -> None:
    rehearsal = Rehearsal(lambda call, _: USELESS[how](call))
    with pytest.raises(UselessError, match=r"answers in a row could not be used: (there is no|it )") as caught:
        played(policy_with(rehearsal), steps=10)
    assert caught.value.exit_code == 5
    assert len(rehearsal.calls) < 3 * 40  # asked thrice each, and not to the end of a lesson


def test_a_share_of_useless_answers_ends_the_run_where_it_is_too_large() -> None:
    def half(call: Call, _: int) -> str | None:
        """One question in two, by its words, gets no answer however often it is asked."""
        return "Well." if sum(call.messages[1].content.encode()) % 2 else None

    with pytest.raises(UselessError, match=r"\d+ of \d+ answers could not be used"):
        played(policy_with(Rehearsal(half)), steps=20)
    assert played(policy_with(Rehearsal(half), useless=1), steps=4).state.step == 4


@pytest.mark.parametrize("fidelity", FIDELITIES)
def test_an_answer_that_needed_repair_says_so(fidelity: str) -> None:
    def twist(call: Call, _: int) -> str | None:
        return "Well." if len(call.messages) == 2 and call.name != "prepare" else None

    model = played(policy_with(Rehearsal(twist), fidelity), steps=2)
    answers = [entry.answer for entry in log(model) if entry.kind != "prepare"]
    assert {answer.status for answer in answers} == {"repaired"}
    assert {answer.reason for answer in answers} == {"there is no complete JSON object in it"}
    assert {answer.source for answer in answers} == {"llm"}


def test_an_answer_that_did_not_come_is_none_where_the_scenario_says_so() -> None:
    rehearsal = Rehearsal(of_student("Liu Li", USELESS["prose"]))
    model = played(policy_with(rehearsal, otherwise="failed"), steps=3)
    hers = [entry.answer for entry in log(model) if entry.agent == "Liu Li"]
    assert hers
    for answer in hers:
        assert (answer.status, answer.outcome, answer.attempts) == ("failed", None, 3)
        assert answer.usage is not None
        assert answer.usage.calls == 3
    rows = [row for row in model.journal.students if row.student == "Liu Li"]
    assert {row.behaviour for row in rows} == {""}  # nothing plausible is made of it


def test_every_kind_falls_back_on_the_embedded_policy() -> None:
    asked = Asked()
    played(asked, steps=8)
    found = {decision.kind: decision for decision in asked.decisions}
    policy = policy_with(Rehearsal(lambda call, _: "no"))
    for kind, decision in found.items():
        (answer,) = asyncio.run(policy.answer_async([decision]))
        assert (answer.status, answer.source) == ("fallback", "embedded")
        assert type(answer.outcome) is LESSON[kind].outcome


@pytest.mark.parametrize("otherwise", ["fallback", "failed"])
@pytest.mark.parametrize("trouble", ["endpoint", "account"])
@pytest.mark.parametrize("fidelity", FIDELITIES)
def test_a_server_that_takes_no_call_stops_the_run(fidelity: str, trouble: Trouble, otherwise: str) -> None:
    model = lesson(policy_with(Rehearsal(after(0, trouble)), fidelity, otherwise=otherwise))
    with pytest.raises(PolicyError, match=r"policy 'llm': no more\. Wait\.") as caught:
        model.step()
    assert not isinstance(caught.value, BudgetError)
    assert model.journal.answers == []


def test_whoever_allows_it_plays_on_with_useless_answers() -> None:
    model = played(policy_with(Rehearsal(lambda call, _: "no"), useless=1), steps=2)
    assert {entry.answer.status for entry in log(model)} == {"fallback"}
    now_and_then: Twist = lambda _, number: CallFailedError("reset", "call") if number % 3 else None  # noqa: E731
    model = played(policy_with(Rehearsal(now_and_then)), steps=2)
    assert {entry.answer.reason for entry in log(model)} == {"reset", ""}


@pytest.mark.parametrize("fidelity", FIDELITIES)
def test_a_server_that_only_ever_fails_stops_the_run_after_a_while(fidelity: str) -> None:
    """Each failure may be the call's own; a dozen with nothing between them are not."""
    failing = policy_with(Rehearsal(lambda call, _: CallFailedError("reset", "call")), fidelity)
    with pytest.raises(PolicyError, match=r"policy 'llm': reset\."):
        played(failing)
    one_in_seven: Twist = lambda _, number: CallFailedError("reset", "call") if number % 7 else None  # noqa: E731
    model = played(policy_with(Rehearsal(one_in_seven), fidelity), steps=3)
    assert {entry.answer.status for entry in log(model)} >= {"ok", "fallback"}


@pytest.mark.parametrize("otherwise", ["fallback", "failed"])
def test_a_used_up_budget_stops_the_run_even_where_others_were_answered(otherwise: str) -> None:
    rehearsal = Rehearsal(of_student("Liu Li", lambda call: CallFailedError("all spent", "budget", mend="Spend more.")))
    with pytest.raises(BudgetError, match=r"all spent\. Spend more\."):
        played(policy_with(rehearsal, otherwise=otherwise))


@pytest.mark.parametrize("kind", ["prepare", "evaluate", "take_turn"])
def test_a_used_up_budget_is_heard_of_among_other_failures_of_one_decision(kind: str) -> None:
    asked = Asked()
    played(asked, steps=4, students=20)
    (decision, *_) = asked.of(kind)
    several = {"prepare": "order", "evaluate": "evaluate", "take_turn": "tone"}[kind]
    made = Counter[str]()

    def twist(call: Call, _: int) -> str | CallFailedError | None:
        made[call.name] += 1
        if call.name != several:
            return None
        return CallFailedError("all spent", "budget") if made[several] > 2 else "no"

    with pytest.raises(BudgetError):
        asyncio.run(policy_with(Rehearsal(twist), "staged").answer_async([decision]))


ROUNDS = {"teacher": ("category", "act", "teacher_words", "tone", "teacher_turn"), "plan": ("plan", "student_turn")}


@pytest.mark.parametrize("fidelity", FIDELITIES)
@pytest.mark.parametrize(("trouble", "where"), [("endpoint", "teacher"), ("account", "plan"), ("budget", "plan")])
def test_a_run_that_was_stopped_goes_on_as_if_nothing_had_been(
    tmp_path: Path, trouble: Trouble, where: str, fidelity: str
) -> None:
    scenario = course(lessons=2, steps=4)
    whole, stopped = str(tmp_path / "whole.db"), str(tmp_path / "stopped.db")
    rehearsal, calls = Rehearsal(), [0]
    count = lambda _: calls.append(len(rehearsal.calls))  # noqa: E731
    record_course(whole, scenario, 5, policy_with(rehearsal, fidelity), progress=count)

    def broken(step: int) -> Any:
        def twist(call: Call, number: int) -> CallFailedError | None:
            return CallFailedError("no more", trouble) if number >= calls[step] and call.name in ROUNDS[where] else None

        return policy_with(Rehearsal(twist), fidelity)

    with pytest.raises(PolicyError):
        record_course(stopped, scenario, 5, broken(2))
    with open_study(stopped) as opened:
        (run,) = opened.runs()
        assert opened.choose(run).status == "interrupted"
        assert set(opened.study.digests(run)) == {(1, 1), (1, 2)}  # the third step was never taken
        with pytest.raises(PolicyError):
            resume_run(opened, run, broken(0))
        resume_run(opened, run, policy_with(Rehearsal(), fidelity))
        assert replay_run(opened, run).complete
    assert log_of(stopped) == log_of(whole)


def test_a_mistake_of_ours_is_no_models_failure_and_leaves_nobody_behind() -> None:
    """An exception that is none of the model's comes out; what runs beside it is cancelled."""
    ended: list[str] = []

    class Breaking(Rehearsal):
        async def complete(self, call: Call, ledger: Any = None) -> Completion:
            if call.name != "student_turn":
                return await super().complete(call, ledger)
            if "You are Liu Li, " in call.messages[1].content:
                raise ZeroDivisionError
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                ended.append(call.name)
                raise
            raise AssertionError

    with pytest.raises(ZeroDivisionError):
        played(policy_with(Breaking()))
    assert len(ended) in (1, 5)  # those that had begun
