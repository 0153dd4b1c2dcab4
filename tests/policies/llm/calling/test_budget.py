"""Budgets hold, however many calls go side by side."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.decisions import Bill
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.llm.calling import Ledger, Price, PriceList, Spent, billed_to, largest_prompt
from eduverse_mesa.policies.llm.calling.budget import Reservation
from eduverse_mesa.policies.llm.calls import Call, CallFailedError, Message, Usage
from tests.policies.llm.calling.kit import ask, calling, outcome, run
from tests.policies.llm.fake_server import Exchange, FakeServer, completion, fails, says

_BOUND = largest_prompt(ask()) + 50


@given(st.text())
def test_the_bound_of_a_prompt_is_at_least_its_bytes(text: str) -> None:
    call = Call("m", (Message("user", text),), schema={"type": "object"})
    assert largest_prompt(call) >= len(text.encode("utf-8", "replace")) + len('{"type":"object"}')


_ENDINGS = st.sampled_from(["settle", "forfeit", "refund", "withdraw", "cancel"])
_CALLS = st.tuples(st.integers(0, 3), _ENDINGS, st.builds(Usage, st.integers(0, 60), st.integers(0, 50)))


def _end(reservation: Reservation, ending: str, usage: Usage) -> None:
    if ending in ("settle", "cancel"):
        reservation.settle(usage)
    else:
        getattr(reservation, ending)()


@given(st.lists(_CALLS, max_size=25), st.integers(0, 900), st.integers(0, 12), st.floats(0, 0.002))
def test_never_overshot_and_nothing_is_lost(
    calls: list[tuple[int, str, Usage]], tokens: int, requests: int, usd: float
) -> None:
    async def work() -> None:
        ledger = Ledger(tokens, requests, usd, Price(1.0, 2.0))
        bound = Spent(_BOUND, 1, Price(1.0, 2.0).cost(_BOUND - 50, 50))

        def check() -> None:
            assert ledger.spent.tokens + ledger.held.tokens <= tokens
            assert ledger.spent.requests + ledger.held.requests <= requests
            assert ledger.spent.usd + ledger.held.usd <= usd + 1e-12

        async def use(turns: int, ending: str, usage: Usage) -> None:
            try:
                reservation = await ledger.reserve(ask())
            except CallFailedError:
                assert ledger.lacking(bound)
                return
            try:
                check()
                for _ in range(turns):
                    await asyncio.sleep(0)
            finally:
                _end(reservation, ending, usage)
            check()

        tasks = [asyncio.create_task(use(*call)) for call in calls]
        for task, (turns, ending, _) in zip(tasks, calls, strict=True):
            if ending == "cancel":
                for _ in range(turns):
                    await asyncio.sleep(0)
                task.cancel()
        for result in await asyncio.gather(*tasks, return_exceptions=True):
            assert result is None or isinstance(result, asyncio.CancelledError)
        check()
        assert (ledger.held.tokens, ledger.held.requests) == (0, 0)

    run(work())


def test_who_does_not_fit_waits_for_what_is_out() -> None:
    async def work() -> None:
        ledger = Ledger(tokens=_BOUND + 20)
        first = await ledger.reserve(ask())
        second = asyncio.create_task(ledger.reserve(ask()))
        await asyncio.sleep(0)
        assert not second.done()
        first.settle(Usage(10, 5))  # less than was set aside
        (await second).settle(Usage(10, 5))
        assert ledger.spent == Spent(30, 2, 0.0)
        with pytest.raises(CallFailedError, match="budget of tokens") as caught:
            await ledger.reserve(ask())
        assert caught.value.trouble == "budget"

    run(work())


def test_a_reservation_ends_once() -> None:
    async def work() -> None:
        ledger = Ledger()
        reservation = await ledger.reserve(ask())
        reservation.settle(Usage(10, 5))
        reservation.settle(Usage(10, 5))
        reservation.forfeit()
        assert ledger.spent == Spent(15, 1, 0.0)
        assert ledger.bill.untold == 0

    run(work())


@pytest.mark.parametrize("kind", ["tokens", "requests", "usd"])
def test_calls_side_by_side_never_overshoot(kind: str) -> None:
    async def usual(exchange: Exchange) -> None:
        await asyncio.sleep(0)
        if exchange.number % 7 == 0:
            await fails(503)(exchange)
        else:
            await exchange.send(completion("x" * exchange.number, usage=(20, 30, 10)))

    async def work() -> None:
        server = FakeServer(usual=usual)
        limits: dict[str, float] = {"tokens": 2000, "requests": 25, "usd": 0.01}
        price = Price(100.0, 200.0, 10.0)
        ledger = Ledger(**{kind: limits[kind]}, price=price)  # type: ignore[arg-type]
        async with calling(server, start=64) as (caller, _):
            results = await asyncio.gather(*(outcome(caller.complete(ask(f"{n}"), ledger)) for n in range(100)))
        answers = [result for result in results if not isinstance(result, CallFailedError)]
        failures = [result for result in results if isinstance(result, CallFailedError)]
        assert {failure.trouble for failure in failures} == {"budget"}
        assert getattr(ledger.spent, kind) <= limits[kind]
        # As much is used as can be used: what is left would not have paid one more.
        most = {"tokens": _BOUND + 2, "requests": 1, "usd": price.cost(largest_prompt(ask()) + 2, 50)}
        assert getattr(ledger.spent, kind) > limits[kind] - most[kind]
        assert ledger.spent.requests == len(server.requests)
        assert ledger.spent.tokens == 50 * len(answers)
        assert ledger.spent.usd == pytest.approx(len(answers) * price.cost(20, 30, 10))
        assert sum(answer.usage.cost or 0 for answer in answers) == pytest.approx(ledger.spent.usd)

    run(work())


def test_a_resumed_run_starts_with_what_it_spent() -> None:
    async def work() -> None:
        before = Bill(requests=3, tokens_in=900, tokens_out=80, usd=0.5, out=1, out_tokens=10, out_usd=0.1)
        ledger = Ledger(tokens=1000)
        ledger.go_on_from(before)
        assert ledger.spent == Spent(990, 4, 0.6)
        assert (ledger.bill.untold, ledger.bill.lost, ledger.bill.out) == (1, 1, 0)
        with pytest.raises(CallFailedError, match="budget"):
            await ledger.reserve(ask())
        assert (before.tokens, before.out) == (980, 1)

    run(work())


def test_dollars_need_a_price() -> None:
    async def work() -> None:
        with pytest.raises(PolicyError, match=r"price of the model 'model'.*EDUVERSE_PRICES"):
            await Ledger(usd=1.0, price=PriceList({})).reserve(ask())

    run(work())


def test_an_unknown_usage_counts_in_full() -> None:
    async def work() -> None:
        server = FakeServer(usual=says("hi", usage=None))
        ledger = Ledger(tokens=10 * _BOUND)
        async with calling(server) as (caller, _):
            await asyncio.gather(*(caller.complete(ask(str(n) * 5), ledger) for n in range(10)))
            failure = await outcome(caller.complete(ask("one more"), ledger))
        assert isinstance(failure, CallFailedError)
        assert ledger.spent.tokens == 10 * _BOUND
        assert (ledger.bill.untold, ledger.bill.tokens, ledger.bill.most_tokens) == (10, 0, 10 * _BOUND)

    run(work())


def test_a_lost_request_whose_answer_is_waited_for_again_counts_once_in_both_accounts() -> None:
    async def work() -> None:
        price = Price(1.0, 1.0)
        before, now, account = (Ledger(requests=2, price=price) for _ in range(3))
        for number in range(2):
            await (await before.reserve(ask(str(number)))).send()
        most = before.bill.closed().most_tokens
        for ledger in (now, account):
            ledger.go_on_from(before.bill)
        with billed_to(account):
            first, second = [await now.reserve(ask(str(number)), out=True) for number in range(2)]
        with pytest.raises(CallFailedError, match="2 of 2 are spent"):
            await now.reserve(ask("2"), out=True)  # no more were lost than two: this one is paid for anew
        await first.send()
        second.withdraw()
        for ledger in (now, account):
            assert (ledger.bill.lost, ledger.bill.out, ledger.spent.requests + ledger.held.requests) == (1, 1, 2)
        first.settle(Usage(10, 5, 0))
        [third] = [await now.reserve(ask(str(number)), out=True) for number in range(1)]
        await third.send()
        third.settle(Usage(10, 5, 0))
        assert (now.bill.requests, now.bill.lost, now.bill.untold, now.bill.tokens) == (2, 0, 0, 30)
        assert (now.bill.most_tokens, now.bill.most_usd, now.held.requests) == (0, 0.0, 0)
        assert (account.bill.requests, account.bill.lost, account.bill.most_tokens) == (2, 1, most // 2)

    run(work())
