"""A tutor behind a server, over real sockets."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from eduverse_mesa.decisions import Answer
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.tutors import END, connect_tutor
from tests.policies.llm.fake_server import Behaviour, Exchange, FakeServer, fails, says
from tests.policies.tutors.asked import UNIT, teach


def answers(behaviour: Behaviour, *learners: str) -> tuple[list[Answer], FakeServer]:
    """What a server that behaves so says to some learners, after it has said hello."""

    async def ask() -> tuple[list[Answer], FakeServer]:
        async with FakeServer([says("Hello!")], behaviour).running() as server:
            url = f"{server.url}/chat/completions"
            tutor = await asyncio.to_thread(connect_tutor, url, "mine", deadline=90.0)
            return await tutor.answer_async([teach(name, "Hi!", "Um.") for name in learners]), server

    return asyncio.run(ask())


def test_a_server_gets_the_task_once_and_the_dialogue_as_a_chat() -> None:
    seen: list[Any] = []

    async def behave(exchange: Exchange) -> None:
        seen.append((exchange.body, exchange.headers))
        await says(f"Why? {END}")(exchange)

    (answer, other), _ = answers(behave, "Ann", "Bo")
    assert (answer.outcome.text, answer.outcome.done, answer.source) == ("Why?", True, "mine")
    assert other.outcome == answer.outcome
    assert len(seen) == 2, "learners who said the same are asked for on their own"
    messages = seen[0][0]["messages"]
    assert [one["role"] for one in messages] == ["system", "user", "assistant", "user"]
    assert UNIT.idea in messages[0]["content"]
    assert messages[2]["content"] == "Hi!"
    assert answer.usage is not None
    assert answer.usage.tokens_in == 10


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (says(""), "it said nothing"),
        (says("No.", finish="content_filter"), "it refused to answer"),
        (fails(400, "I do not teach"), "I do not teach"),
    ],
)
def test_a_server_that_gives_no_answer_has_failed(behaviour: Behaviour, reason: str) -> None:
    (answer,), _ = answers(behaviour, "Ann")
    assert (answer.status, answer.outcome) == ("failed", None)
    assert reason in answer.reason


@pytest.mark.parametrize("asked", ["3600", "2"])
def test_a_server_that_asks_for_a_pause_holds_nobody_past_the_deadline(asked: str) -> None:
    """Neither the first call nor those that come after it, nor those that wait beside it."""

    async def ask() -> list[Answer]:
        async with FakeServer([says("Hello!")], fails(429, retry_after=asked)).running() as server:
            tutor = await asyncio.to_thread(connect_tutor, server.url, "mine", deadline=1.0)
            heard: list[Answer] = []
            async with asyncio.timeout(30):  # sixty seconds a call is what it took
                for turn in range(4):
                    said = ["Hi!", "Um."] * turn
                    heard += await tutor.answer_async([teach(f"Ann {one}", *said) for one in range(12)])
            return heard

    answers = asyncio.run(ask())
    assert len(answers) == 48
    assert {answer.status for answer in answers} == {"failed"}
    told = {answer.reason for answer in answers}
    assert told == {f"the server's rate limit: no; it asks for a wait of {asked} s, and a call has 1 s in all"}


def test_a_short_pause_is_waited_for() -> None:
    async def behave(exchange: Exchange) -> None:
        await (fails(429, retry_after="0.2") if exchange.number % 2 == 0 else says("Why?"))(exchange)

    heard, server = answers(behave, "Ann", "Bo", "Cy")
    assert [answer.outcome.text for answer in heard if answer.outcome] == ["Why?"] * 3
    assert len(server.requests) > 4


def test_a_server_that_is_not_there_is_told_before_anybody_is_taught() -> None:
    with pytest.raises(PolicyError, match="cannot be reached"):
        connect_tutor("http://127.0.0.1:9/v1", deadline=5.0)
    with pytest.raises(PolicyError, match="no address"):
        connect_tutor("tutor.example")
    with pytest.raises(PolicyError, match="a key is read from the environment"):
        connect_tutor("http://me:secret@127.0.0.1/v1")
