"""Waiting for answers: from ordinary code, from a notebook's loop, from threads, and until somebody interrupts."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from eduverse_mesa.decisions import Answer, Decision
from eduverse_mesa.policies import make_policy
from eduverse_mesa.policies.background_loop import BackgroundLoop, shared_loop
from tests.models.lessons import lesson, log, played
from tests.policies.llm.rehearsal import Rehearsal, policy_with
from tests.runs.courses import child, ended

PATIENCE = 90.0
"""Seconds after which a test has failed; none comes near."""


class Doorbell:
    """Answers like the embedded policy, after somebody has rung."""

    name = "doorbell"

    def __init__(self) -> None:
        self.waiting = threading.Event()
        self.ended: list[str] = []
        self._embedded: Any = make_policy("embedded")

    async def answer_async(self, decisions: Sequence[Decision]) -> list[Answer]:
        self.waiting.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await asyncio.sleep(0)  # putting things away takes a moment
            self.ended.append("cancelled")
            raise
        return []


def in_threads(count: int, act: Callable[[int], Any]) -> list[Any]:
    together = threading.Barrier(count)

    def one(number: int) -> Any:
        together.wait(PATIENCE)
        return act(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(one, range(count)))


def test_a_step_is_taken_inside_a_running_loop_as_in_a_notebook() -> None:
    async def cell() -> Any:
        return played(policy_with(Rehearsal()), steps=3)

    assert asyncio.run(cell()).digest() == played(policy_with(Rehearsal()), steps=3).digest()


@pytest.mark.parametrize("shared", [True, False])
def test_steps_are_taken_in_several_threads_at_once(shared: bool) -> None:
    one = policy_with(Rehearsal())
    models = in_threads(4, lambda number: played(one if shared else policy_with(Rehearsal()), steps=3, seed=number))
    alone = [played(policy_with(Rehearsal()), steps=3, seed=number) for number in range(4)]
    assert [model.digest() for model in models] == [model.digest() for model in alone]


def test_a_step_is_awaited_from_a_loop_of_somebody_else() -> None:
    async def all_steps() -> Any:
        model = lesson(policy_with(Rehearsal()), steps=3)
        while model.running:
            await model.step_async()
        return model

    assert log(asyncio.run(all_steps())) == log(played(policy_with(Rehearsal()), steps=3))


def test_threads_that_come_first_at_the_same_time_enter_one_house() -> None:
    from eduverse_mesa.policies import background_loop

    before = shared_loop()
    background_loop._open.cache_clear()
    assert len(set(in_threads(8, lambda _: shared_loop()))) == 1
    for unused in (shared_loop(), before):
        assert unused.wait_for(asyncio.sleep(0, "still there")) == "still there"


def test_connections_live_as_long_as_the_house() -> None:
    async def where() -> Any:
        return asyncio.get_running_loop()

    async def from_elsewhere() -> Any:
        return await shared_loop().join(where())

    assert (
        shared_loop().wait_for(where())
        is shared_loop().wait_for(where())
        is asyncio.run(from_elsewhere())
        is shared_loop().loop
    )


def test_an_error_comes_out_as_it_was() -> None:
    async def fail() -> None:
        raise KeyError("lost")

    with pytest.raises(KeyError, match="lost"):
        shared_loop().wait_for(fail())
    with pytest.raises(KeyError, match="lost"):
        asyncio.run(shared_loop().join(fail()))


def test_an_interrupt_ends_the_rounds_work_before_anybody_goes_on() -> None:
    policy = Doorbell()
    model = lesson(policy, steps=3)

    def interrupt() -> None:
        policy.waiting.wait(PATIENCE)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        model.step()
    assert policy.ended == ["cancelled"]
    thread.join()


def test_who_stops_waiting_in_another_loop_ends_the_work_in_the_house() -> None:
    policy = Doorbell()
    ended = threading.Event()

    async def work() -> None:
        try:
            await policy.answer_async([])
        finally:
            ended.set()

    async def cell() -> None:
        background_loop = asyncio.ensure_future(shared_loop().join(work()))
        while not policy.waiting.is_set():
            await asyncio.sleep(0)
        background_loop.cancel()
        with pytest.raises(asyncio.CancelledError):
            await background_loop

    asyncio.run(cell())
    assert ended.wait(PATIENCE)
    assert policy.ended == ["cancelled"]


def test_the_house_cannot_wait_for_itself_and_says_so() -> None:
    async def inside() -> None:
        shared_loop().wait_for(asyncio.sleep(0))

    with pytest.raises(RuntimeError, match="cannot wait for itself"):
        shared_loop().wait_for(inside())


def test_a_house_is_no_reason_for_a_program_to_stay() -> None:
    assert all(thread.daemon for thread in threading.enumerate() if thread.name == "eduverse-loop")
    assert BackgroundLoop().wait_for(asyncio.sleep(0, 1)) == 1


def _child(report: Any) -> None:
    report.send(shared_loop().wait_for(asyncio.sleep(0, "answered")))


def _parent(report: Any) -> None:
    """It has a loop with a thread by now, and no other threads: those of other tests would hold locks that a fork
    inherits and nobody opens again."""
    assert shared_loop().wait_for(asyncio.sleep(0, 1)) == 1
    forked = multiprocessing.get_context("fork").Process(target=_child, args=(report,))
    forked.start()
    forked.join(PATIENCE)
    assert forked.exitcode == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is forked here")
def test_a_forked_child_opens_a_house_of_its_own() -> None:
    here, there = multiprocessing.Pipe()
    parent = child(_parent, there)
    assert here.poll(PATIENCE), "it hangs"
    assert here.recv() == "answered"
    assert ended(parent) == 0
