"""What a server can do is found out once."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from eduverse_mesa.policies.llm.calling import ABILITIES, AnswerCache, Caller, Ledger
from eduverse_mesa.policies.llm.calling.dialect import request_body, strict
from eduverse_mesa.policies.llm.calls import Call, CallFailedError, Message, Sampling, Schema
from tests.policies.llm.calling.kit import ask, calling, outcome, run
from tests.policies.llm.fake_server import Behaviour, Exchange, FakeServer, completion, echoes, fails, says, sends

_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "words": {"type": "string", "minLength": 1, "maxLength": 5},
        "scores": {"type": "array", "maxItems": 3, "items": {"type": "integer", "minimum": 0}},
        "act": {"anyOf": [{"type": "string", "enum": ["ask"]}, {"type": "null"}]},
    },
    "required": ["words"],
}


def server_that(can: str, *, silently: bool = False) -> Behaviour:
    """A server that holds a model to a form as far as it can, and refuses what it cannot; or ignores it."""

    async def behave(exchange: Exchange) -> None:
        form = exchange.body.get("response_format")
        asked = "text" if form is None else {"json_object": "json"}.get(form["type"], "strict")
        if asked == "strict" and "maxLength" in json.dumps(form):
            asked = "bounded"
        if ABILITIES.index(asked) < ABILITIES.index(can):
            if not silently:
                await fails(400, f"{asked} is not supported")(exchange)
                return
            asked = can
        free = {"text": "The capital of France is Paris.", "json": '{"capital": "Paris"}'}
        text = free.get(asked) or json.dumps({"answer": "quartz", "why": "so", "marks": []})
        await exchange.send(completion(text))

    return behave


@pytest.mark.parametrize("silently", [False, True])
@pytest.mark.parametrize("can", ABILITIES)
def test_it_is_found_out_what_a_server_can_do(can: str, silently: bool) -> None:
    async def work() -> None:
        server = FakeServer(usual=server_that(can, silently=silently))
        async with calling(server) as (caller, _):
            found = await caller.ability("model")
        # Who ignores bounds without a word still holds a model to the schema.
        assert found == ("bounded" if silently and can == "strict" else can)

    run(work())


def test_calls_at_once_share_one_probe_and_it_is_remembered(tmp_path: Path) -> None:
    async def work() -> None:
        server = FakeServer(usual=server_that("json"))
        ledger = Ledger(tokens=100_000)
        async with calling(server, cache=(cache := AnswerCache(tmp_path / "answers.sqlite"))) as (caller, _):
            calls = [ask(f"{number}", schema=_SCHEMA) for number in range(5)]
            await asyncio.gather(*(caller.complete(call, ledger) for call in calls))
            assert len(server.requests) == ledger.spent.requests == 5 + 3
            assert server.requests[-1]["response_format"] == {"type": "json_object"}
            again = Caller(caller.endpoint, cache=cache)
            assert await again.ability("model") == "json"
            assert len(server.requests) == 5 + 3
            assert await again.ability("another model") == "json"
            assert len(server.requests) == 5 + 3 + 3
        cache.close()

    run(work())


def test_a_call_without_a_schema_needs_no_probe() -> None:
    async def work() -> None:
        server = FakeServer()
        async with calling(server) as (caller, _):
            await caller.complete(ask())
        assert len(server.requests) == 1

    run(work())


@pytest.mark.parametrize(("status", "trouble"), [(401, "account"), (403, "account"), (404, "account")])
def test_what_stands_in_the_way_of_the_probe_is_said_once(status: int, trouble: str) -> None:
    async def work() -> None:
        server = FakeServer(usual=fails(status))
        async with calling(server) as (caller, _):
            calls = [ask(str(number), schema=_SCHEMA) for number in range(5)]
            failures = await asyncio.gather(*(outcome(caller.complete(call)) for call in calls))
        assert len(server.requests) == 1
        assert {failure.trouble for failure in failures if isinstance(failure, CallFailedError)} == {trouble}

    run(work())


def test_a_probe_that_failed_is_tried_again_by_the_next_call() -> None:
    async def work() -> None:
        server = FakeServer([fails(401)], server_that("bounded"))
        async with calling(server) as (caller, _):
            assert isinstance(await outcome(caller.complete(ask(schema=_SCHEMA))), CallFailedError)
            assert await caller.ability("model") == "bounded"

    run(work())


def test_an_ability_can_be_given() -> None:
    async def work() -> None:
        server = FakeServer(usual=says("{}"))
        async with calling(server, ability="strict") as (caller, _):
            await caller.complete(ask(schema=_SCHEMA))
        [body] = server.requests
        assert body["response_format"]["json_schema"]["schema"] == strict(_SCHEMA)

    run(work())


def test_odd_answers_to_the_probe_are_no_ability() -> None:
    async def work(text: bytes) -> str:
        server = FakeServer(usual=sends(text))
        async with calling(server) as (caller, _):
            return await caller.ability("model")

    for content in ("[]", "3", '"quartz"', "null", "[" * 5000, "quartz"):
        assert run(work(completion(content))) == "text"


def test_the_strict_part_of_a_schema() -> None:
    def check(schema: Schema) -> None:
        assert not {"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"} & schema.keys()
        if "properties" in schema:
            assert schema["additionalProperties"] is False
            assert schema["required"] == list(schema["properties"])
            for inner in schema["properties"].values():
                check(inner)
        if "items" in schema:
            check(schema["items"])
        for inner in schema.get("anyOf", ()):
            check(inner)

    check(strict(_SCHEMA))
    parts = strict(_SCHEMA)["properties"]
    assert parts["act"]["anyOf"][0] == {"type": "string", "enum": ["ask"]}
    assert parts["words"]["description"] == "from 1 to 5 characters"
    assert (parts["scores"]["description"], parts["scores"]["items"]["description"]) == (
        "at most 3 entries",
        "at least 0",
    )


def test_bodies_have_the_same_beginning() -> None:
    system = Message("system", "rules " * 100)
    bodies = [request_body(Call("m", (system, Message("user", str(n))), schema=_SCHEMA), "bounded") for n in range(3)]
    beginning = len(b'{"model":"m","messages":[') + 600
    assert len({body[:beginning] for body in bodies}) == 1


def refuses_bounds_in(name: str) -> Behaviour:
    """A server that holds a model to bounds, except in schemas with a property of this name."""

    async def behave(exchange: Exchange) -> None:
        form = json.dumps(exchange.body.get("response_format"))
        if name in form and "maxLength" in form and "quartz" not in form:
            await fails(400, "Invalid schema for response_format 'answer'", "invalid_request_error")(exchange)
        else:
            await server_that("bounded")(exchange)

    return behave


def test_a_server_that_refuses_one_schema_gets_less_of_that_one() -> None:
    async def work() -> None:
        server = FakeServer(usual=refuses_bounds_in("words"))
        async with calling(server) as (caller, _):
            await caller.complete(ask(schema=_SCHEMA))
            await caller.complete(ask("next", schema=_SCHEMA))
            assert len(server.requests) == 1 + 2 + 1
            other = {**_SCHEMA, "properties": {"other": {"type": "string", "maxLength": 5}}, "required": ["other"]}
            await caller.complete(ask(schema=other))
            assert "maxLength" in json.dumps(server.requests[-1])
            assert await caller.ability("model") == "bounded"

    run(work())


def test_a_server_that_refuses_schema_after_schema_gets_less_and_later_more_again(tmp_path: Path) -> None:
    now = 1_000_000.0

    async def work() -> None:
        server = FakeServer(usual=refuses_bounds_in("words"))
        cache = AnswerCache(tmp_path / "answers.sqlite")
        async with calling(server, cache=cache, wall=lambda: now) as (caller, _):
            for number in range(3):
                await caller.complete(ask(schema={**_SCHEMA, "description": str(number)}))
            assert await caller.ability("model") == "strict"
            again = Caller(caller.endpoint, cache=cache, wall=lambda: now + 3700)
            server.usual = server_that("bounded")
            assert await again.ability("model") == "bounded"
        cache.close()

    run(work())


def test_a_probe_leaves_room_to_think_and_samples_as_the_run_does() -> None:
    async def thinks(exchange: Exchange) -> None:
        """Spends 1,500 tokens on thoughts before the answer."""
        if exchange.body["max_tokens"] < 1500:
            await exchange.send(completion("", "length"))
        else:
            await server_that("strict")(exchange)

    async def work() -> None:
        server = FakeServer(usual=thinks)
        async with calling(server) as (caller, _):
            call = Call("model", (Message("user", "x"),), Sampling(temperature=None, top_p=0.7), schema=_SCHEMA)
            await caller.complete(msgspec.structs.replace(call, sampling=Sampling(None, 0.7, 2000)))
            assert await caller.ability("model") == "strict"
        assert {request.get("temperature") for request in server.requests} == {None}
        assert {request["top_p"] for request in server.requests} == {0.7}

    run(work())


def test_a_server_that_calls_max_tokens_something_else() -> None:
    async def usual(exchange: Exchange) -> None:
        if "max_tokens" in exchange.body:
            message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            await fails(400, message, "unsupported_parameter")(exchange)
        else:
            assert exchange.body["max_completion_tokens"] == 50
            await echoes()(exchange)

    async def work() -> None:
        server = FakeServer(usual=usual)
        async with calling(server) as (caller, _):
            assert (await caller.complete(ask("first"))).usage.calls == 2
            assert (await caller.complete(ask("second"))).usage.calls == 1
            server.usual = fails(400, "max_completion_tokens is unknown, too")
            failure = await outcome(caller.complete(ask("third")))
        assert isinstance(failure, CallFailedError)
        assert failure.attempts == 1

    run(work())
