"""Threads: many tasks at once in one process, whose questions go out together."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import CancelledError

import pytest

from eduverse_mesa.errors import LessonError
from eduverse_mesa.experiments.engines import Task, Threads
from eduverse_mesa.policies.background_loop import count_busy, shared_loop

PATIENCE = 90.0
"""Seconds after which a test has failed; none comes near."""


class Post:
    """Takes questions, and answers all of them when nobody is at work any more."""

    def __init__(self) -> None:
        self.rounds: list[list[str]] = []
        self._open: list[tuple[str, asyncio.Future[str]]] = []
        self._carrying = False

    async def ask(self, question: str) -> str:
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._open.append((question, answer))
        if not self._carrying:
            self._carrying = True
            asyncio.create_task(self._carry()).add_done_callback(lambda task: task.result())
        return await answer

    async def _carry(self) -> None:
        while count_busy():
            await asyncio.sleep(0.001)
        taken, self._open, self._carrying = self._open, [], False
        self.rounds.append(sorted(question for question, _ in taken))
        for question, answer in taken:
            answer.set_result(question.upper())


def test_what_is_asked_side_by_side_goes_out_together() -> None:
    post = Post()

    def play(name: str) -> str:
        said = []
        for turn in range(3):
            time.sleep(0.01 * ord(name) % 0.05)  # one is slower than another
            said.append(shared_loop().wait_for(post.ask(f"{name}{turn}")))
        return " ".join(said)

    done = list(Threads().each(play, "abcde"))
    assert sorted(done) == [f"{name}0 {name}1 {name}2" for name in "ABCDE"]
    assert post.rounds == [[f"{name}{turn}" for name in "abcde"] for turn in range(3)]
    assert count_busy() == 0


def test_no_more_are_under_way_than_are_wanted_and_all_are_done() -> None:
    post = Post()
    done = list(Threads(2).each(lambda name: shared_loop().wait_for(post.ask(name)), "abcde"))
    assert sorted(done) == list("ABCDE")
    assert max(map(len, post.rounds)) == 2


def test_a_task_that_fails_says_so_and_the_others_go_on() -> None:
    tasks = [Task("good", b"3"), Task("bad", b"x")]
    found = {one.key: one for one in Threads().run("tests.experiments.engines.labour:dawdle", tasks)}
    assert found["good"].answer == b"3"
    assert "ValueError" in found["bad"].error


def test_an_error_of_a_function_ends_what_is_under_way() -> None:
    waiting, ended = threading.Event(), threading.Event()

    async def never() -> None:
        waiting.set()
        await asyncio.Event().wait()

    def play(name: str) -> None:
        if name == "breaks":
            assert waiting.wait(PATIENCE)
            raise LessonError("no")
        try:
            shared_loop().wait_for(never())
        except CancelledError:
            with pytest.raises(CancelledError):  # nobody begins to wait any more
                shared_loop().wait_for(asyncio.sleep(PATIENCE))
            ended.set()
            raise

    with pytest.raises(LessonError, match="no"):
        list(Threads().each(play, ["waits", "breaks"]))
    assert ended.is_set()
    assert count_busy() == 0
    assert not [thread for thread in threading.enumerate() if thread.name == "eduverse-player"]
