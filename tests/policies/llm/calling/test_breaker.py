"""A server that keeps failing is left alone, and tried again by one for all."""

from __future__ import annotations

import asyncio

import pytest

from eduverse_mesa.policies.llm.calling import Breaker
from eduverse_mesa.policies.llm.calling.failures import Failure
from eduverse_mesa.policies.llm.calls import CallFailedError
from tests.policies.llm.calling.kit import ask, calling, outcome, run
from tests.policies.llm.fake_server import FakeServer, echoes, fails

_CAUSE = Failure("the server failed (HTTP 503)", "HTTP 503", retry=True, fault=True)


class Time:
    """A clock that goes on with every look at it, so that one thing comes after another."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 0.001
        return self.now


async def _fail(breaker: Breaker, times: int) -> None:
    for _ in range(times):
        breaker.failed(await breaker.enter(), _CAUSE)


def test_it_opens_after_failures_in_a_row() -> None:
    async def work() -> None:
        breaker = Breaker(3, 1, clock=Time())
        await _fail(breaker, 2)
        breaker.succeeded(await breaker.enter())
        await _fail(breaker, 3)  # each of them was let in
        with pytest.raises(CallFailedError) as caught:
            await breaker.enter()
        assert caught.value.trouble == "endpoint"
        assert caught.value.attempts == 0
        assert "HTTP 503" in caught.value.reason

    run(work())


def test_one_incident_counts_once_however_many_calls_it_hits() -> None:
    async def work() -> None:
        breaker = Breaker(3, 1, clock=Time())
        leaves = [await breaker.enter() for _ in range(50)]
        for leave in leaves:
            breaker.failed(leave, _CAUSE)
        assert not breaker.is_open

    run(work())


def test_one_call_that_a_server_cannot_stand_closes_no_door_to_others() -> None:
    async def work() -> None:
        breaker = Breaker(3, 2, clock=Time())
        for _ in range(20):
            breaker.failed(await breaker.enter("one"), _CAUSE)
        assert not breaker.is_open
        breaker.failed(await breaker.enter("another"), _CAUSE)
        assert breaker.is_open

    run(work())


@pytest.mark.parametrize("ending", ["success", "failure", "withdrawal"])
def test_after_a_rest_one_tries_and_the_others_wait(ending: str) -> None:
    async def work() -> None:
        time = Time()
        breaker = Breaker(2, 1, rest=10, clock=time)
        await _fail(breaker, 2)
        time.now += 11
        trial = await breaker.enter()
        others = [asyncio.create_task(breaker.enter()) for _ in range(3)]
        for _ in range(3):
            await asyncio.sleep(0)
        assert not any(task.done() for task in others)
        if ending == "success":
            breaker.succeeded(trial)
            await asyncio.gather(*others)
            assert not breaker.is_open
        elif ending == "failure":
            breaker.failed(trial, _CAUSE)
            failures = await asyncio.gather(*others, return_exceptions=True)
            assert all(isinstance(failure, CallFailedError) for failure in failures)
        else:
            breaker.withdrawn(trial)
            done, waiting = await asyncio.wait(others, return_when=asyncio.FIRST_COMPLETED)
            assert (len(done), len(waiting)) == (1, 2)  # another one tries
            breaker.succeeded(done.pop().result())
            await asyncio.gather(*waiting)

    run(work())


def test_a_dead_server_is_not_asked_by_every_call_and_comes_back() -> None:
    async def work() -> None:
        time = Time()
        server = FakeServer(usual=fails(503))
        async with calling(server, breaker=Breaker(5, 1, rest=10, clock=time)) as (caller, _):
            failures = [await outcome(caller.complete(ask(f"{number}"))) for number in range(20)]
            assert all(isinstance(failure, CallFailedError) for failure in failures)
            assert isinstance(failures[-1], CallFailedError)
            assert failures[-1].trouble == "endpoint"
            assert len(server.requests) == 5
            server.usual = echoes()
            time.now += 10
            answers = await asyncio.gather(*(caller.complete(ask(f"back {number}")) for number in range(5)))
            assert len(answers) == 5

    run(work())
