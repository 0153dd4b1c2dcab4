"""Drivers, scripts, recordings and combinations, on a model small enough to see through."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.decisions import Answer, Decision, Outcome, Round, Rounds
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies import Recorded, ReplayPolicy, ScriptedPolicy, by_agent, by_kind
from eduverse_mesa.policies.driver import drive, drive_async, drive_together, run_waiting
from eduverse_mesa.randomness import Address


class Number(Outcome, frozen=True):
    """A number."""

    value: int


class Double(Decision):
    """What is twice this?"""

    kind: ClassVar[str] = "double"
    outcome: ClassVar[type[Outcome]] = Number

    value: int


class Square(Double):
    """What is this squared?"""

    kind: ClassVar[str] = "square"


class Calculator:
    """Knows."""

    name = "calculator"

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        return [Answer(Number(self._value(d)), self.name) for d in decisions]

    def _value(self, decision: Decision) -> int:
        assert isinstance(decision, Double)
        return decision.value**2 if isinstance(decision, Square) else 2 * decision.value


class SlowCalculator(Calculator):
    """Knows, but takes its time, and finishes in any order."""

    name = "slow"

    def __init__(self) -> None:
        self.batches: list[int] = []

    async def answer_async(self, decisions: Sequence[Decision]) -> list[Answer]:
        self.batches.append(len(decisions))

        async def one(decision: Decision) -> Answer:
            await asyncio.sleep(random.random() / 1000)
            return self.answer([decision])[0]

        return list(await asyncio.gather(*(one(decision) for decision in decisions)))


def double(agent: str, value: int) -> Double:
    return Double(Address(1, 1, 1, agent), value)


def square(agent: str, value: int) -> Square:
    return Square(Address(1, 1, 1, agent), value)


def sums(results: list[int], start: int) -> Rounds:
    """Two rounds, the second depending on the first."""
    first = yield Round("first", [double("Ann", start), square("Ben", start)])
    total = sum(answer.outcome.value for answer in first)
    (last,) = yield Round("second", [double("Ann", total)])
    results.append(last.outcome.value)


@given(st.integers(-99, 99))
def test_all_drivers_come_to_the_same(start: int) -> None:
    results: list[int] = []
    drive(sums(results, start), Calculator())
    run_waiting(sums(results, start), Calculator())
    run_waiting(sums(results, start), SlowCalculator())
    asyncio.run(drive_async(sums(results, start), SlowCalculator()))
    asyncio.run(drive_together([sums(results, start), sums(results, start)], SlowCalculator()))
    assert results == [2 * (2 * start + start**2)] * 6


def test_rounds_of_many_models_are_merged() -> None:
    policy = SlowCalculator()
    results: list[int] = []
    asyncio.run(drive_together([sums(results, start) for start in range(5)], policy))
    assert policy.batches == [10, 5]
    assert results == [2 * (2 * start + start**2) for start in range(5)]


def test_a_policy_that_waits_cannot_be_driven_in_passing() -> None:
    class Waiting:
        name = "waiting"

        async def answer_async(self, decisions: Sequence[Decision]) -> list[Answer]:
            return []

    with pytest.raises(PolicyError, match="has to be waited for"):
        drive(sums([], 1), Waiting())


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([], "0 answers to 1 decisions"),
        ([Answer("four", "x")], "with str, not Number"),
        ([Answer(None, "x")], "with NoneType, not Number"),
        ([Answer(None, "x", "failed")], "without a reason"),
        ([Answer(Number(1), "x", "failed", "why")], "as failed, but with an outcome"),
    ],
    ids=["none", "wrong-type", "nothing", "no-reason", "outcome-of-failure"],
)
def test_a_policy_that_answers_wrongly_is_named(answers: list[Answer], message: str) -> None:
    class Wrong:
        name = "wrong"

        def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
            return answers

    with pytest.raises(PolicyError, match=message) as caught:
        drive(iter([Round("only", [double("Ann", 2)])]), Wrong())  # type: ignore[arg-type]
    assert "wrong" in str(caught.value)


def test_a_script_speaks_first_and_the_rest_fills_in() -> None:
    policy = ScriptedPolicy(lambda d: Number(7) if d.agent == "Ann" else None, rest=Calculator())
    ann, ben = policy.answer([double("Ann", 1), double("Ben", 1)])
    assert (ann.outcome, ann.source) == (Number(7), "scripted")
    assert (ben.outcome, ben.source) == (Number(2), "calculator")


def test_a_script_without_an_answer_fails_loudly() -> None:
    (answer,) = ScriptedPolicy(lambda d: None).answer([double("Ann", 1)])
    assert (answer.status, answer.outcome) == ("failed", None)
    assert answer.reason


def test_combinations_ask_each_for_its_share_and_keep_the_order() -> None:
    decisions = [double("Ann", 1), square("Ben", 3), double("Cem", 5), square("Ann", 7)]
    asked = by_agent({"Ann": ScriptedPolicy(lambda d: Number(0))}, rest=Calculator())
    assert [answer.outcome.value for answer in asked.answer(decisions)] == [0, 9, 10, 0]  # type: ignore[union-attr]
    kinds = by_kind({"square": ScriptedPolicy(lambda d: Number(0))}, rest=Calculator())
    assert [answer.outcome.value for answer in kinds.answer(decisions)] == [2, 0, 10, 0]  # type: ignore[union-attr]


def test_a_combination_with_somebody_slow_waits_for_all_at_once() -> None:
    results: list[int] = []
    policy = by_agent({"Ann": SlowCalculator()}, rest=Calculator())
    run_waiting(sums(results, 3), policy)
    assert results == [2 * (6 + 9)]


def test_a_recording_answers_as_it_was_answered_then() -> None:
    log = [
        Recorded(1, 1, "Ann", "double", Answer(Number(5), "human")),
        Recorded(1, 1, "Ann", "double", Answer(Number(6), "x")),
    ]
    replay = ReplayPolicy(log)
    first, second = replay.answer([double("Ann", 1), double("Ann", 1)])
    assert (first.outcome.value, first.source, second.outcome.value) == (5, "human", 6)
    with pytest.raises(PolicyError, match="no answer to 'double' for Ann in lesson 1, step 1"):
        replay.answer([double("Ann", 1)])
