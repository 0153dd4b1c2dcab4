"""Merging, cancellation, memory and the meter."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.llm.calling import AnswerCache, Breaker, Caller, Endpoint, Ledger, Price
from eduverse_mesa.policies.llm.calling.caller import Flights
from eduverse_mesa.policies.llm.calls import CallFailedError, Completion
from tests.policies.llm.calling.kit import KEY, Pauses, ask, calling, outcome, run
from tests.policies.llm.fake_server import Behaviour, Exchange, FakeServer, completion, echoes, fails


class Gate:
    """A server that answers when it is let."""

    def __init__(self) -> None:
        self.open = asyncio.Event()

    async def __call__(self, exchange: Exchange) -> None:
        await self.open.wait()
        await exchange.send(completion(exchange.question))


async def _until(condition: object) -> None:
    """Wait for something that other tasks bring about."""
    assert callable(condition)
    while not condition():
        await asyncio.sleep(0.001)


def test_identical_calls_are_one_request() -> None:
    async def work() -> None:
        gate = Gate()
        server = FakeServer(usual=gate)
        ledger = Ledger(requests=1, price=Price(1, 1))
        async with calling(server) as (caller, _):
            tasks = [asyncio.create_task(caller.complete(ask(), ledger)) for _ in range(5)]
            await _until(lambda: server.out)
            gate.open.set()
            answers = await asyncio.gather(*tasks)
        assert len(server.requests) == 1
        assert caller.meter.merged == 4
        assert [answer.remembered for answer in answers] == [False, True, True, True, True]
        assert {answer.text for answer in answers} == {"hello"}
        assert sum(answer.usage.calls for answer in answers) == 1
        assert sum(answer.usage.cost or 0 for answer in answers) == ledger.spent.usd

    run(work())


def test_another_replicate_or_model_is_another_question() -> None:
    async def work() -> None:
        server = FakeServer(usual=echoes())
        async with calling(server) as (caller, _):
            await asyncio.gather(*(caller.complete(ask(replicate=number)) for number in range(3)))
        assert len(server.requests) == 3

    run(work())


def test_a_merged_failure_fails_all_and_the_next_call_asks_again() -> None:
    async def work() -> None:
        server = FakeServer([fails(400)], echoes())
        async with calling(server) as (caller, _):
            failures = await asyncio.gather(*(outcome(caller.complete(ask())) for _ in range(3)))
            assert all(isinstance(failure, CallFailedError) for failure in failures)
            assert (await caller.complete(ask())).text == "hello"

    run(work())


def test_anothers_empty_purse_does_not_decide() -> None:
    async def work() -> None:
        server = FakeServer(usual=echoes())
        async with calling(server) as (caller, _):
            poor = [outcome(caller.complete(ask(), Ledger(tokens=0))) for _ in range(3)]
            rich = outcome(caller.complete(ask(), Ledger(tokens=1000)))
            *failures, answer = await asyncio.gather(*poor, rich)
        assert isinstance(answer, Completion)
        assert len(server.requests) == 1
        # Who had no money gets an answer that somebody else paid for, or none.
        assert all(isinstance(got, Completion) or got.trouble == "budget" for got in failures)

    run(work())


@pytest.mark.parametrize("leaving", [[0], [1], [0, 1]])
def test_who_leaves_takes_nothing_from_those_who_stay(leaving: list[int]) -> None:
    async def work() -> None:
        gate = Gate()
        server = FakeServer(usual=gate)
        ledger = Ledger(tokens=1000)
        async with calling(server) as (caller, _):
            tasks = [asyncio.create_task(caller.complete(ask(), ledger)) for _ in range(3)]
            await _until(lambda: server.out)
            for place in leaving:
                tasks[place].cancel()
            await asyncio.sleep(0)
            gate.open.set()
            results = await asyncio.gather(*tasks, return_exceptions=True)
        for place, result in enumerate(results):
            assert isinstance(result, asyncio.CancelledError if place in leaving else Completion)
        assert len(server.requests) == 1
        assert ledger.held.requests == 0

    run(work())


def test_when_the_last_one_leaves_everything_is_given_back() -> None:
    async def work() -> None:
        gate = Gate()
        server = FakeServer(usual=gate)
        ledger = Ledger(tokens=1000)
        async with calling(server, start=1) as (caller, _):
            out = asyncio.create_task(caller.complete(ask(), ledger))
            await _until(lambda: server.out)
            waiting_for_slot = asyncio.create_task(caller.complete(ask("second"), ledger))
            waiting_for_budget = asyncio.create_task(caller.complete(ask("third" * 150), ledger))
            for _ in range(5):
                await asyncio.sleep(0)
            assert ledger.held.requests == 2
            for task in (waiting_for_budget, waiting_for_slot, out):
                task.cancel()
            await asyncio.gather(out, waiting_for_slot, waiting_for_budget, return_exceptions=True)
            await _until(lambda: caller.limiter.out == 0)
            assert (ledger.held.tokens, ledger.held.requests) == (0, 0)
            # What was out may be on the bill; what was not sent is not.
            assert (ledger.spent.requests, ledger.bill.untold) == (1, 1)
            assert caller.meter.in_flight == 0
            gate.open.set()
            assert (await caller.complete(ask("second"))).text == "second"

    run(work())


@pytest.mark.parametrize("turns", range(0, 40, 3))
def test_cancelled_at_any_moment_nothing_stays_taken(turns: int, tmp_path: Path) -> None:
    async def work() -> None:
        server = FakeServer([fails(503), fails(429)], echoes())
        ledger = Ledger(tokens=10_000)
        cache = AnswerCache(tmp_path / "answers.sqlite")
        async with calling(server, cache=cache) as (caller, _):
            task = asyncio.create_task(caller.complete(ask(schema={"type": "object"}), ledger))
            for _ in range(turns):
                await asyncio.sleep(0)
            await asyncio.sleep(0.0002 * turns)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await _until(lambda: not caller.limiter.out and not ledger.held.requests and not caller.meter.in_flight)
            assert (await caller.complete(ask("after"), ledger)).text == "after"
        cache.close()

    run(work())


def test_closing_ends_what_is_under_way() -> None:
    async def work() -> None:
        server = FakeServer(usual=Gate())
        async with server.running():
            caller = Caller(Endpoint(server.url, KEY))
            task = asyncio.create_task(outcome(caller.complete(ask())))
            await _until(lambda: server.out)
            await caller.aclose()
            failure = await task
        assert isinstance(failure, CallFailedError)
        assert "ended" in failure.reason

    run(work())


def test_what_was_paid_for_once_is_not_asked_again(tmp_path: Path) -> None:
    async def work() -> None:
        server = FakeServer(usual=echoes())
        ledger = Ledger(tokens=1000, price=Price(1, 1))
        for turn in range(2):
            cache = AnswerCache(tmp_path / "answers.sqlite")
            async with calling(server, cache=cache) as (caller, _):
                answer = await caller.complete(ask(), ledger)
            assert cache.count() == 1
            cache.close()
            assert answer.remembered is (turn == 1)
        assert len(server.requests) == 1
        assert (answer.usage.tokens_in, answer.usage.calls, answer.usage.cost) == (0, 0, 0.0)
        assert ledger.spent.tokens == 15
        assert caller.meter.cache_hits == 1

    run(work())


def test_a_remembered_answer_needs_no_server(tmp_path: Path) -> None:
    async def work() -> None:
        cache = AnswerCache(tmp_path / "answers.sqlite")
        call = ask(schema={"type": "object"})
        async with calling(FakeServer(), cache=cache) as (caller, _):
            await caller.complete(call)
        caller = Caller(Endpoint("http://127.0.0.1:9/v1"), cache=cache)
        assert (await caller.complete(call)).remembered
        await caller.aclose()
        cache.close()

    run(work())


def test_an_answer_that_cannot_be_kept_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        cache = AnswerCache(tmp_path / "answers.sqlite")
        monkeypatch.setattr(cache, "_commit", lambda *_: PolicyError("the disk is full."))
        async with calling(FakeServer(usual=echoes()), cache=cache) as (caller, _):
            with pytest.raises(PolicyError, match="disk is full"):
                await caller.complete(ask())
            cache.close()
            with pytest.raises(PolicyError, match="closed"):
                await caller.complete(ask())

    run(work())


def test_the_meter_counts() -> None:
    async def work() -> None:
        script: list[Behaviour] = [fails(503), fails(503)]
        server = FakeServer(script, echoes(0.01))
        ledger = Ledger(price=Price(1.0, 1.0))
        async with calling(server, start=4) as (caller, _):
            await asyncio.gather(*(caller.complete(ask(str(number)), ledger) for number in range(10)))
            meter = caller.meter
        assert (meter.requests, meter.retries, meter.answers, meter.in_flight) == (12, 2, 10, 0)
        assert meter.failures == {"HTTP 503": 2}
        assert (meter.bill.tokens_in, meter.bill.tokens_out) == (100, 50)
        assert meter.bill.usd == pytest.approx(ledger.spent.usd)
        assert meter.limit == caller.limiter.limit >= 4
        assert len(meter.latencies) == 12
        assert 0 < meter.busy_seconds <= meter.server_seconds
        assert server.most_out <= 4 + 10

    run(work())


def test_the_key_travels_and_nothing_else_about_this_machine() -> None:
    async def work() -> None:
        server = FakeServer(usual=echoes())
        async with calling(server) as (caller, _):
            await caller.complete(ask())
        [headers] = server.headers
        assert headers["authorization"] == f"Bearer {KEY}"
        assert not [name for name in headers if name.startswith("x-stainless")]

    run(work())


def test_half_characters_in_a_prompt_are_said() -> None:
    async def work() -> None:
        async with calling(FakeServer()) as (caller, _):
            failure = await outcome(caller.complete(ask("a\ud800")))
        assert isinstance(failure, CallFailedError)
        assert "half characters" in failure.reason

    run(work())


def test_waiting_for_a_slot_counts_from_the_first_attempt_on() -> None:
    async def work() -> None:
        server = FakeServer(usual=fails(503))
        pauses = Pauses()
        ledger = Ledger(tokens=10_000)

        def give_back() -> None:
            pauses.seconds.append(400.0)
            caller.limiter.release()

        async def late(_: float) -> None:
            # While the call pauses, another one takes the only slot and keeps it too long.
            await caller.limiter.acquire()
            asyncio.get_running_loop().call_later(0.01, give_back)

        async with calling(server, start=1, breaker=Breaker(100), clock=pauses.clock, pauses=pauses) as (caller, _):
            caller._sleep = late
            failure = await outcome(caller.complete(ask(), ledger))
        assert isinstance(failure, CallFailedError)
        assert failure.attempts == len(server.requests) == ledger.spent.requests == 1
        assert "in the time that a call has" in failure.reason
        assert (caller.limiter.out, ledger.held.requests) == (0, 0)

    run(work())


def test_who_comes_as_a_flight_ends_begins_another() -> None:
    """It met the one that had ended again and again, and nothing else in the loop came to its turn."""

    async def work() -> None:
        flights: Flights[int] = Flights()
        ended = asyncio.Event()

        async def fail() -> int:
            ended.set()
            raise CallFailedError("the budget is used up", "budget")

        async def late() -> int:
            await ended.wait()
            return await flights.join("key", succeed)

        async def succeed() -> int:
            return 7

        waiting = asyncio.create_task(late())
        await asyncio.sleep(0)
        with pytest.raises(CallFailedError):
            await flights.join("key", fail)
        assert await asyncio.wait_for(waiting, 90) == 7

    run(work())
