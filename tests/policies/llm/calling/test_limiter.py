"""The laws of the adaptive limit."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.policies.llm.calling import AnswerCache, Facts, Limiter, limit_fact
from eduverse_mesa.policies.llm.calling.limiter import PausedError, Slot
from eduverse_mesa.policies.llm.connection import first_limit
from tests.policies.llm.calling.kit import ask, calling, run
from tests.policies.llm.fake_server import FakeServer, echoes


class Time:
    """A clock that is set by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


async def _fill(limiter: Limiter) -> list[Slot]:
    return [await limiter.acquire() for _ in range(limiter.limit - limiter.out)]


def test_slow_start_doubles_with_every_full_round() -> None:
    async def work() -> list[int]:
        limiter = Limiter(4, 64)
        limits = []
        for _ in range(6):
            for slot in await _fill(limiter):
                # Each one comes back to a full house, as others wait to take its place.
                limiter.succeeded(slot)
                await _fill(limiter)
            while limiter.out:
                limiter.release()
            limits.append(limiter.limit)
        return limits

    assert run(work()) == [8, 16, 32, 64, 64, 64]


def test_a_house_that_is_not_full_proves_nothing() -> None:
    async def work() -> int:
        limiter = Limiter(8, 64)
        for _ in range(50):
            limiter.succeeded(await limiter.acquire())
        return limiter.limit

    assert run(work()) == 8


def test_one_cut_in_an_episode() -> None:
    async def work() -> None:
        limiter = Limiter(32, 64)
        slots = await _fill(limiter)
        for slot in slots:
            limiter.limited(slot, None)
        assert limiter.limit == 16
        # What was sent after the cut, and is turned away again, is another episode.
        limiter.limited(await limiter.acquire(), None)
        assert limiter.limit < 16

    run(work())


def test_after_a_cut_it_grows_by_one_a_round() -> None:
    async def work() -> list[int]:
        limiter = Limiter(16, 64)
        for slot in await _fill(limiter):
            limiter.limited(slot, None)
        limits = [limiter.limit]
        for _ in range(3):
            for slot in await _fill(limiter):
                limiter.succeeded(slot)
                await limiter.acquire()
            while limiter.out:
                limiter.release()
            limits.append(limiter.limit)
        return limits

    first, *rest = run(work())
    assert first == 8
    assert all(8 <= limit <= 8 + place for place, limit in enumerate(rest, 1))


def test_it_pauses_as_long_as_the_server_asks() -> None:
    async def work() -> None:
        time = Time()
        limiter = Limiter(4, clock=time)
        limiter.limited(await limiter.acquire(), 0.01)
        waiting = asyncio.create_task(limiter.acquire())
        for _ in range(5):
            await asyncio.sleep(0)
        assert limiter.out == 0
        time.now += 0.01
        await waiting  # an alarm wakes it
        assert limiter.out == 1

    run(work())


def test_a_pause_turns_away_whom_it_would_hold_too_long() -> None:
    async def work() -> None:
        time = Time()
        limiter = Limiter(1, clock=time)
        slot = await limiter.acquire()
        waiting = [asyncio.create_task(limiter.acquire(patience=seconds)) for seconds in (5.0, 2.0, math.inf)]
        await asyncio.sleep(0)
        time.now += 100  # waiting for others is no pause
        limiter.limited(slot, 3)
        with pytest.raises(PausedError) as turned_away:
            await waiting[1]
        assert turned_away.value.asked == 3
        with pytest.raises(PausedError):
            await limiter.acquire(patience=2.9)
        time.now += 3
        limiter._wake()
        first = await waiting[0]
        assert first.paused == 3
        limiter.limited(first, 3)
        time.now += 3
        limiter._wake()
        assert (await waiting[2]).paused == 6
        assert limiter.out == 1

    run(work())


def test_pauses_add_up_and_those_that_overlap_count_once() -> None:
    async def work() -> None:
        time = Time()
        limiter = Limiter(2, clock=time)
        slots = await _fill(limiter)
        limiter.limited(slots[0], 3)
        waiting = [asyncio.create_task(limiter.acquire(patience=seconds)) for seconds in (5.0, 3.5)]
        await asyncio.sleep(0)
        time.now += 1
        limiter.limited(slots[1], 3)
        with pytest.raises(PausedError):
            await waiting[1]
        time.now += 3
        limiter._wake()
        assert (await waiting[0]).paused == 4

    run(work())


def test_an_absurd_pause_ends_after_a_minute() -> None:
    async def work() -> None:
        time = Time()
        limiter = Limiter(1, clock=time)
        limiter.limited(await limiter.acquire(), 3600)
        waiting = asyncio.create_task(limiter.acquire(patience=60))
        await asyncio.sleep(0)
        time.now += 60
        limiter._wake()
        assert (await waiting).paused == 60

    run(work())


def test_first_come_first_served_and_who_waited_before_goes_ahead() -> None:
    async def work() -> list[str]:
        limiter = Limiter(1)
        order: list[str] = []

        async def take(name: str, ahead: bool) -> None:
            await limiter.acquire(ahead=ahead)
            order.append(name)
            await asyncio.sleep(0)
            limiter.release()

        await limiter.acquire()
        tasks = [asyncio.create_task(take(name, False)) for name in "abc"]
        await asyncio.sleep(0)
        tasks.append(asyncio.create_task(take("again", True)))
        await asyncio.sleep(0)
        limiter.release()
        await asyncio.gather(*tasks)
        return order

    assert run(work()) == ["again", "a", "b", "c"]


@pytest.mark.parametrize("moment", ["waiting", "granted"])
def test_a_cancelled_wait_gives_its_slot_back(moment: str) -> None:
    async def work() -> None:
        limiter = Limiter(1)
        await limiter.acquire()
        tasks = [asyncio.create_task(limiter.acquire()) for _ in range(2)]
        await asyncio.sleep(0)
        if moment == "waiting":
            tasks[0].cancel()
            limiter.release()
        else:
            limiter.release()
            tasks[0].cancel()
        await tasks[1]
        assert tasks[0].cancelled()
        assert limiter.out == 1

    run(work())


class Crowd:
    """Calls that wait for slots or hold them."""

    def __init__(self, limiter: Limiter) -> None:
        self.limiter = limiter
        self.waiting: list[asyncio.Task[Slot]] = []
        self.held: list[Slot] = []

    def take(self) -> None:
        self.waiting.append(asyncio.create_task(self.limiter.acquire()))

    def cancel(self) -> None:
        if self.waiting:
            self.waiting[0].cancel()

    def succeed(self) -> None:
        before = self.limiter.limit
        if self.held:
            self.limiter.succeeded(self.held.pop(0))
            assert before <= self.limiter.limit <= before + 1

    def limit(self) -> None:
        before = self.limiter.limit
        if self.held:
            self.limiter.limited(self.held.pop(0), None)
            assert 1 <= self.limiter.limit <= before

    def fail(self) -> None:
        before = self.limiter.limit
        if self.held:
            self.held.pop(0)
            self.limiter.release()
            assert self.limiter.limit == before

    async def settle(self) -> None:
        for _ in range(3):
            await asyncio.sleep(0)
        for task in [task for task in self.waiting if task.done()]:
            self.waiting.remove(task)
            if not task.cancelled():
                self.held.append(task.result())
        assert self.limiter.out == len(self.held)
        assert 1 <= self.limiter.limit <= 8
        # Whoever waits, waits because the house is full.
        assert not self.waiting or self.limiter.out >= self.limiter.limit


@given(st.lists(st.sampled_from(["take", "succeed", "limit", "fail", "cancel"]), max_size=80), st.integers(1, 6))
def test_never_more_out_than_allowed_and_nobody_is_forgotten(steps: list[str], start: int) -> None:
    async def work() -> None:
        crowd = Crowd(Limiter(start, 8))
        for step in steps:
            getattr(crowd, step)()
            await crowd.settle()
        while crowd.held or crowd.waiting:
            crowd.fail()
            await crowd.settle()

    run(work())


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="least <= start <= most"):
        Limiter(0)


def test_how_many_a_server_takes_is_remembered_for_the_next_run(tmp_path: Path) -> None:
    async def work() -> None:
        server = FakeServer(usual=echoes())
        cache = AnswerCache(tmp_path / "answers.sqlite")
        async with calling(server, cache=cache, limiter=Limiter(2, 64)) as (caller, _):
            await asyncio.gather(*(caller.complete(ask(f"{number}")) for number in range(40)))
            found, known = caller.limiter.limit, Facts(cache).get(limit_fact(server.url))
        assert known is not None
        assert found > 4
        assert 0.5 < found / int(known) < 2
        assert first_limit(server.url, cache, 64) == int(known)
        assert first_limit(server.url, cache, 3) == 3
        cache.close()

    run(work())
