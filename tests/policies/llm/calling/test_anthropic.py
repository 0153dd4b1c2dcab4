"""Anthropic's own protocol: by its own package, over real sockets, with everything else as for any other server.

What needs the package is skipped without it. The server is a stand-in; Anthropic's own has never been asked.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.llm import LLM
from eduverse_mesa.policies.llm.calling import anthropic_endpoint as theirs
from eduverse_mesa.policies.llm.calling.dialect import USUAL
from eduverse_mesa.policies.llm.calling.reply import read_reply
from eduverse_mesa.policies.llm.calls import Call, Message, Sampling
from tests.llm.test_tools import neighbour, weather
from tests.llm.town import Move, Resident, Town, played
from tests.policies.llm.fake_server import Behaviour, Exchange, FakeServer, sends, silent
from tests.runs.model_servers import serving

KEY = "sk-ant-planted-77e0a1b2c3"
SCHEMA = {"type": "object", "properties": {"answer": {"type": "integer", "minimum": 1}}, "required": ["answer"]}


@pytest.fixture
def package() -> Any:
    return pytest.importorskip("anthropic")


@pytest.fixture
def server(package: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    monkeypatch.setenv("EDUVERSE_CACHE", "none")
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with serving(FakeServer(usual=gives("go"))) as running:
        running_url = running.url.removesuffix("/v1")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", running_url)
        yield running


def message(*blocks: dict[str, Any], stop: str = "tool_use", **usage: int) -> bytes:
    """The body of an answer."""
    counted = {"input_tokens": 40, "output_tokens": 7, "cache_read_input_tokens": 60} | usage
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x-1", "stop_sequence": None}
    return json.dumps({**head, "content": blocks, "stop_reason": stop, "usage": counted}).encode()


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def gives(answer: str) -> Behaviour:
    """Fill in the form that is asked for."""

    async def behave(exchange: Exchange) -> None:
        name = exchange.body["tool_choice"]["name"]
        block = {"type": "tool_use", "id": "toolu_1", "name": name, "input": {"answer": answer}}
        await exchange.send(message(text("I will."), block))

    return behave


def refuses(status: int, words: str, **headers: str) -> Behaviour:
    """An error in their form."""
    body = {"type": "error", "error": {"type": "some_error", "message": words}}
    return sends(json.dumps(body).encode(), status, **headers)


def model(**options: Any) -> LLM:
    return LLM("claude-x", provider="anthropic", **options)


def ask_tools(llm: LLM, *tools: Any, most_lookups: int = 4) -> Any:
    town = Town(llm, 1)
    [response] = llm.ask(town.agents, Resident.question, Move, tools=tools, most_lookups=most_lookups)
    return response


def test_a_question_is_asked_in_their_way() -> None:
    messages = (
        Message("system", "Rules."),
        Message("user", "What?"),
        Message("assistant", "Hm."),
        Message("user", "So?"),
    )
    call = Call("claude-x", messages, Sampling(seed=3), SCHEMA, "Move")
    assert theirs._arguments(call, USUAL, {}) == {
        "model": "claude-x",
        "max_tokens": 512,
        "system": "Rules.",
        "messages": [
            {"role": "user", "content": "What?"},
            {"role": "assistant", "content": "Hm."},
            {"role": "user", "content": "So?"},
        ],
        "extra_body": {"temperature": 0.5, "top_p": 0.9},
        "tools": [
            {
                "name": "Move",
                "description": "Take the answer.",
                "input_schema": {
                    "type": "object",
                    "properties": {"answer": {"type": "integer", "minimum": 1}},
                    "required": ["answer"],
                },
            }
        ],
        "tool_choice": {"type": "tool", "name": "Move"},
    }
    left = theirs._arguments(Call("claude-x", messages), USUAL.without(["top_p"]), {"metadata": {"user_id": "x"}})
    assert "tools" not in left
    assert left["extra_body"] == {"temperature": 0.5, "metadata": {"user_id": "x"}}


@pytest.mark.parametrize(
    ("body", "said", "finish"),
    [
        (message(text("Well. "), {"type": "tool_use", "input": {"answer": 3}}), '{"answer": 3}', "stop"),
        (message(text("One, "), text("two."), stop="end_turn"), "One, two.", "stop"),
        (message({"type": "thinking", "thinking": "Hm."}, text("Yes."), stop="end_turn"), "Yes.", "stop"),
        (message(text("It goes o"), stop="max_tokens"), "It goes o", "length"),
        (message(text("No."), stop="refusal"), "No.", "refused"),
        (message(stop="end_turn"), "", "stop"),
    ],
    ids=["form", "text", "thought", "cut-off", "refused", "empty"],
)
def test_an_answer_is_read_as_any_other(body: bytes, said: str, finish: str) -> None:
    answer = read_reply(json.dumps(theirs._as_choice(json.loads(body))).encode(), KEY)
    assert (answer.text, answer.finish, answer.model) == (said, finish, "claude-x-1")
    assert (answer.usage.tokens_in, answer.usage.tokens_out, answer.usage.tokens_cached) == (100, 7, 60)


@pytest.mark.parametrize("usage", [None, {}, {"input_tokens": "many"}])
def test_a_usage_that_is_not_told_is_unknown(usage: Any) -> None:
    answer = read_reply(json.dumps(theirs._as_choice({"content": [text("x")], "usage": usage})).encode(), "")
    assert (answer.usage.tokens_in, answer.usage.tokens_out) == (None, None)


def test_without_the_package_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anthropic", None)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with pytest.raises(PolicyError, match=r"needs the anthropic package. pip install 'eduverse-mesa\[anthropic\]'"):
        model()


def test_without_a_key_it_is_said_where_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_BASE_URL", raising=False)
    with pytest.raises(PolicyError, match="ANTHROPIC_API_KEY is not set"):
        model()


def test_agents_ask_it(server: FakeServer) -> None:
    town = played(model(), 1, residents=3)
    assert [(one.status, one.value) for one in town.responses] == 3 * [("ok", Move.GO)]
    assert len(server.requests) == 3, "there is nothing to find out first"
    told = server.headers[0]
    assert KEY in (told.get("x-api-key"), told.get("authorization", "").removeprefix("Bearer ")), "as the package likes"
    assert town.llm.spent.tokens == 3 * 107


def test_tools_are_called_in_their_way(server: FakeServer) -> None:
    def use(name: str, **given: Any) -> dict[str, Any]:
        return {"type": "tool_use", "id": "toolu_9", "name": name, "input": given}

    async def behave(exchange: Exchange) -> None:
        told = len(exchange.body["messages"])
        first = [text("I look."), use("weather"), use("neighbour", side="left", distance=2)]
        blocks = {1: first, 5: [use("Move", answer="fly")]}.get(told, [use("Move", answer="go")])
        await exchange.send(message(*blocks))

    server.usual = behave
    response = ask_tools(model(), neighbour, weather)
    assert (response.status, response.value, response.reason) == (
        "repaired",
        Move.GO,
        "answer must be one of: stay, go",
    )
    assert [(one.tool, one.result[:6]) for one in response.lookups] == [("weather", "21"), ("neighbour", "Number")]
    assert len(server.requests) == 3, "there is nothing to find out first"
    first, second, third = server.requests
    assert [one["name"] for one in first["tools"]] == ["neighbour", "weather", "Move"]
    assert first["tools"][0]["input_schema"]["properties"]["side"]["enum"] == ["left", "right"]
    assert first["tool_choice"] == {"type": "any"}
    call, result = second["messages"][1:3]
    assert call["content"] == [{"type": "tool_use", "id": "toolu_00001", "name": "weather", "input": {}}]
    assert result["content"] == [{"type": "tool_result", "tool_use_id": "toolu_00001", "content": "21"}]
    assert third["messages"][-2]["content"][0]["input"] == {"answer": "fly"}
    assert "must be one of: stay, go" in third["messages"][-1]["content"][0]["content"]


def test_the_last_turn_has_to_be_the_answer(server: FakeServer) -> None:
    async def behave(exchange: Exchange) -> None:
        name = exchange.body["tool_choice"].get("name", "weather")
        given = {"answer": "go"} if name == "Move" else {}
        await exchange.send(message({"type": "tool_use", "id": "toolu_9", "name": name, "input": given}))

    server.usual = behave
    response = ask_tools(model(), weather, most_lookups=2)
    assert (response.value, len(response.lookups)) == (Move.GO, 2)
    assert server.requests[-1]["tool_choice"] == {"type": "tool", "name": "Move"}
    assert [one["name"] for one in server.requests[-1]["tools"]] == ["weather", "Move"]


def test_what_it_refuses_is_left_out(server: FakeServer) -> None:
    server.script = [refuses(400, "`temperature` and `top_p` cannot both be specified for this model.")]
    assert played(model(), 1, residents=1).responses[0].status == "ok"
    assert [{"temperature", "top_p"} & body.keys() for body in server.requests] == [
        {"temperature", "top_p"},
        {"temperature"},
    ]


@pytest.mark.parametrize("status", [429, 500, 529])
def test_what_passes_is_tried_again(server: FakeServer, status: int) -> None:
    server.script = [refuses(status, "Overloaded", retry_after="0")]
    assert played(model(), 1, residents=1).responses[0].status == "ok"
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, r"does not accept the key\. Check the key in the environment \(ANTHROPIC_API_KEY\)"),
        (403, "may not use"),
        (404, "no such model"),
    ],
)
def test_what_does_not_pass_is_said(server: FakeServer, status: int, words: str) -> None:
    server.usual = refuses(status, f"invalid x-api-key {KEY}")
    with pytest.raises(PolicyError, match=words) as caught:
        played(model(), 1, residents=1)
    assert KEY not in str(caught.value)


def test_a_server_that_says_nothing_is_given_up(server: FakeServer) -> None:
    server.usual = silent()
    deadlines = {"connect": 1, "read": 1, "attempt": 0.2, "total": 0.4}
    with pytest.warns(UserWarning, match="took too long"):
        [response] = model(deadlines=deadlines).ask(Town(model(), 1).agents, Resident.question, Move)
    assert response.status == "failed"


def test_a_server_that_is_gone_is_said(package: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("EDUVERSE_CACHE", "none")

    async def port() -> int:
        closed = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
        number = closed.sockets[0].getsockname()[1]
        closed.close()
        return int(number)

    gone = f"http://127.0.0.1:{asyncio.run(port())}"
    with pytest.raises(PolicyError, match=r"cannot be reached\. Nobody answers at 127\.0\.0\.1:\d+: check host"):
        played(model(base_url=gone, deadlines={"total": 1}), 1, residents=1)
