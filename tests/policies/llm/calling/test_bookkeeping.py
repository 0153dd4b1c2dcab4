"""A bill is written down before a request goes out and after it has ended, many changes at once."""

from __future__ import annotations

import asyncio
import threading

import pytest

from eduverse_mesa.decisions import Bill
from eduverse_mesa.errors import StudyError
from eduverse_mesa.policies.llm.calling import Ledger, Price, largest_prompt
from tests.policies.llm.calling.kit import ask, calling, run
from tests.policies.llm.fake_server import Exchange, FakeServer, completion, says, sends

_BOUND = largest_prompt(ask()) + 50


def test_a_request_goes_out_when_it_stands_in_what_is_written() -> None:
    written: list[Bill] = []
    seen: list[Bill] = []

    async def usual(exchange: Exchange) -> None:
        seen.append(written[-1])
        await exchange.send(completion("hi", usage=(10, 5, 0)))

    async def work() -> None:
        ledger = Ledger(price=Price(1.0, 2.0))
        ledger.keep(lambda text: written.append(Bill.read(text)))
        async with calling(FakeServer(usual=usual)) as (caller, _):
            for number in range(5):
                await caller.complete(ask(f"{number}"), ledger)
        ledger.write_down()
        assert written[-1] == ledger.bill
        assert (ledger.bill.requests, ledger.bill.tokens, ledger.bill.out) == (5, 75, 0)

    run(work())
    for number, bill in enumerate(seen):
        assert (bill.requests + bill.out, bill.out >= 1) == (number + 1, True)
        assert bill.closed().requests == number + 1


def test_calls_side_by_side_share_writings() -> None:
    held, first = threading.Event(), threading.Event()
    written: list[Bill] = []

    def write(text: str) -> None:
        first.set()
        assert held.wait(90)  # the first writing takes until all others wait
        written.append(Bill.read(text))

    async def work() -> None:
        ledger = Ledger()
        ledger.keep(write)
        reservations = [await ledger.reserve(ask(f"{number}")) for number in range(50)]
        sending = [asyncio.create_task(one.send()) for one in reservations]
        await asyncio.to_thread(first.wait, 90)
        held.set()
        await asyncio.gather(*sending)
        assert written[-1].out == 50

    run(work())
    assert len(written) <= 2


def test_where_the_bill_cannot_be_written_nothing_is_sent_and_everything_is_given_back() -> None:
    def refuse(_: str) -> None:
        raise StudyError("the disk is full.")

    async def work() -> None:
        server = FakeServer(usual=says("hi"))
        ledger = Ledger(tokens=10 * _BOUND)
        ledger.keep(refuse)
        async with calling(server) as (caller, _):
            with pytest.raises(StudyError, match="disk is full"):
                await caller.complete(ask(), ledger)
            assert server.requests == []
            assert (ledger.held.requests, ledger.bill.out, ledger.bill.requests) == (0, 0, 0)
            ledger.stop_keeping()
            await caller.complete(ask(), ledger)
        assert ledger.bill.requests == 1

    run(work())


def test_what_a_server_tells_with_no_answer_is_what_it_took() -> None:
    async def work() -> None:
        nothing = b'{"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}'
        server = FakeServer([sends(nothing)], usual=says("hi", usage=(10, 5, 0)))
        ledger = Ledger(price=Price(1.0, 2.0))
        async with calling(server) as (caller, _):
            await caller.complete(ask(), ledger)
            assert caller.meter.bill == ledger.bill
        bill = ledger.bill
        assert (bill.requests, bill.failed, bill.tokens_in, bill.tokens_out, bill.untold) == (2, 1, 17, 7, 0)
        assert bill.usd == pytest.approx(Price(1.0, 2.0).cost(17, 7))

    run(work())


def test_a_model_that_answers_under_two_names_is_noted() -> None:
    async def usual(exchange: Exchange) -> None:
        name = "second" if exchange.question == "two" else "first"
        body = completion("hi").replace(b'"id": "x"', f'"model": "{name}"'.encode())
        await exchange.send(body)

    async def work() -> None:
        ledger = Ledger()
        async with calling(FakeServer(usual=usual)) as (caller, _):
            assert (await caller.complete(ask("one"), ledger)).model == "first"
            assert ledger.bill.renamed == {}
            await caller.complete(ask("two"), ledger)
        assert ledger.bill.renamed == {"model": ["first", "second"]}

    run(work())


def test_a_bill_is_read_as_it_was_written_and_what_was_out_is_told_by_nobody() -> None:
    bill = Bill(requests=3, tokens_in=20, tokens_out=4, untold=1, most_tokens=9, out=2, out_tokens=30, out_usd=0.5)
    bill.note_name("a", "b")
    again = Bill.read(bill.write())
    assert again == bill
    ended = again.closed()
    assert (ended.requests, ended.untold, ended.lost, ended.most_tokens, ended.out) == (5, 3, 2, 39, 0)
    assert (ended.tokens, ended.most_usd, ended.names) == (24, 0.5, {"a": ["b"]})
    assert Bill.read("") == Bill()
    assert (Bill(unpriced=1).cost, Bill(unpriced=1, usd=0.1).cost, Bill().cost) == (None, 0.1, 0.0)
