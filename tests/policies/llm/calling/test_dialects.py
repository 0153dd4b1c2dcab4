"""Servers of other makers refuse parts of a request, each in words of its own; the texts are theirs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eduverse_mesa.policies.llm.calling import AnswerCache, Caller, Ledger
from eduverse_mesa.policies.llm.calls import Call, CallFailedError, Message, Sampling
from tests.policies.llm.calling.kit import calling, outcome, run
from tests.policies.llm.fake_server import Behaviour, Exchange, FakeServer, completion, echoes, fails
from tests.policies.llm.families import FAMILIES, SYSTEM

QUESTION = (Message("system", "Be brief."), Message("user", "Hello?"))
CALL = Call("model", QUESTION, Sampling(0.5, 0.9, 50, 0.2, seed=7))


def refuses(family: dict[Any, tuple[int, Any]]) -> Behaviour:
    """A server of that make."""

    async def behave(exchange: Exchange) -> None:
        for parts, (status, error) in family.items():
            wanted = (parts,) if isinstance(parts, str) else parts
            if all(part in exchange.body for part in wanted):
                await exchange.send(json.dumps(error).encode(), status)
                return
        await echoes()(exchange)

    return behave


@pytest.mark.parametrize("name", FAMILIES)
def test_what_a_server_refuses_is_left_out(name: str) -> None:
    async def work() -> None:
        server = FakeServer(usual=refuses(FAMILIES[name]))
        ledger = Ledger(requests=20)
        async with calling(server) as (caller, pauses):
            said = await caller.complete(CALL, ledger)
            assert said.text == "Hello?"
            first = len(server.requests)
            again = await caller.complete(Call("model", (*QUESTION, Message("user", "More?")), CALL.sampling), ledger)
            assert again.usage.calls == 1
            assert len(server.requests) == first + 1 == ledger.spent.requests
            assert pauses.seconds == []
        refused = FAMILIES[name].keys() - {"max_tokens"}
        alone = {part for part in refused if isinstance(part, str)}
        assert alone <= set(caller.left_out("model"))
        for parts in refused - alone:
            assert set(parts) & set(caller.left_out("model"))
        # Only what is refused goes: the rest of the sampling is as it was asked for.
        kept = {"temperature": 0.5, "top_p": 0.9, "frequency_penalty": 0.2, "seed": 7}
        assert {name: server.requests[-1].get(name) for name in kept if name not in caller.left_out("model")} == {
            name: value for name, value in kept.items() if name not in caller.left_out("model")
        }

    run(work())


def test_of_two_that_exclude_one_another_the_temperature_stays() -> None:
    async def work() -> None:
        server = FakeServer(usual=refuses(FAMILIES["claude"]))
        async with calling(server) as (caller, _):
            await caller.complete(CALL)
            assert caller.left_out("model") == ("top_p",)

    run(work())


@pytest.mark.parametrize("name", SYSTEM)
def test_instructions_stand_before_the_question_where_there_is_no_role_for_them(name: str) -> None:
    status, error = SYSTEM[name]

    async def usual(exchange: Exchange) -> None:
        if exchange.body["messages"][0]["role"] == "system":
            await exchange.send(json.dumps(error).encode(), status)
        else:
            await exchange.send(completion("yes"))

    async def work() -> None:
        server = FakeServer(usual=usual)
        async with calling(server) as (caller, _):
            assert (await caller.complete(CALL)).text == "yes"
        assert server.requests[-1]["messages"] == [{"role": "user", "content": "Be brief.\n\nHello?"}]

    run(work())


def test_what_was_learned_outlives_the_process(tmp_path: Path) -> None:
    async def work() -> None:
        server = FakeServer(usual=refuses(FAMILIES["gpt-5"]))
        cache = AnswerCache(tmp_path / "answers.sqlite")
        async with calling(server, cache=cache) as (caller, _):
            await caller.complete(CALL)
            later = Caller(type(caller.endpoint)(server.url), cache=cache)
            said = await later.complete(Call("model", QUESTION[:1], CALL.sampling))
            assert said.usage.calls == 1
            await later.aclose()
        cache.close()

    run(work())


@pytest.mark.parametrize(
    "error",
    [
        # A value that is out of range is the user's to change: nothing is left out in silence.
        {"type": "error", "error": {"type": "invalid_request_error", "message": "temperature: range: 0..1"}},
        {"error": {"message": "max_tokens is too large: 100000. This model supports at most 4096 completion tokens."}},
        {"error": {"message": "Invalid 'temperature': decimal above maximum value.", "param": "temperature"}},
        {"error": {"message": "messages: text content blocks must be non-empty"}},
    ],
)
def test_a_refusal_of_something_else_is_told(error: Any) -> None:
    async def work() -> None:
        async def usual(exchange: Exchange) -> None:
            await exchange.send(json.dumps(error).encode(), 400)

        server = FakeServer(usual=usual)
        async with calling(server) as (caller, _):
            failure = await outcome(caller.complete(CALL))
        assert isinstance(failure, CallFailedError)
        assert len(server.requests) == 1
        assert error["error"]["message"][:40] in failure.reason

    run(work())


def test_a_server_that_refuses_everything_comes_to_an_end() -> None:
    async def work() -> None:
        server = FakeServer(
            usual=fails(400, "max_tokens, max_completion_tokens, seed, top_p: unsupported. Use max_tokens")
        )
        async with calling(server) as (caller, _):
            failure = await outcome(caller.complete(CALL))
        assert isinstance(failure, CallFailedError)
        assert len(server.requests) < 12

    run(work())
