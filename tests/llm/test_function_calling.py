"""Function calling of a server's own: used where a server has it, and the form of the answer where it has not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eduverse_mesa.llm import LLM, Lookup, tool
from eduverse_mesa.policies.background_loop import house
from eduverse_mesa.policies.llm.calling import AnswerCache, Caller, Endpoint
from tests.llm.test_tools import CALLS, Side, answers, ask, calls, gossip, neighbour, turns, weather
from tests.llm.town import Move, Resident, Town, decides
from tests.policies.llm.fake_server import Behaviour, Exchange, FakeServer, completion, fails
from tests.runs.model_servers import serving

Step = list[tuple[str, Any]] | str | Behaviour
"""What a model does in a turn: calls with their arguments, text, or something of the server's."""
LEFT = ("neighbour", {"side": "left", "distance": 2})
GO = ("Move", {"answer": "go"})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    monkeypatch.setenv("EDUVERSE_CACHE", "none")
    CALLS.clear()
    with serving(FakeServer()) as running:
        yield running


def names(body: dict[str, Any]) -> list[str]:
    """The tools that a request offers."""
    return [one["function"]["name"] for one in body.get("tools", ())]


def called(*wanted: tuple[str, Any]) -> bytes:
    """An answer that calls tools; arguments are sent as JSON unless they are text already."""
    listed = []
    for number, (name, given) in enumerate(wanted):
        text = given if isinstance(given, str) else json.dumps(given)
        listed.append({"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": text}})
    return completion(None, "tool_calls", (100, 10, 0), tool_calls=listed)


def steps(*script: Step) -> Behaviour:
    """A server with function calling, whose model takes these steps; by how much the model was told already."""

    async def behave(exchange: Exchange) -> None:
        if "look_up" in names(exchange.body):
            await exchange.send(called(("look_up", {"word": "quartz"})))
            return
        taken = sum(message["role"] == "assistant" for message in exchange.body["messages"])
        step = script[min(taken, len(script) - 1)]
        if isinstance(step, str):
            await exchange.send(completion(step, usage=(100, 10, 0)))
        elif callable(step):
            await step(exchange)
        else:
            await exchange.send(called(*step))

    return behave


def asked(server: FakeServer) -> list[dict[str, Any]]:
    """Requests that are no probe."""
    return [body for body in server.requests if "look_up" not in names(body) and "quartz" not in json.dumps(body)]


def test_tools_are_offered_and_called_in_the_servers_own_way(server: FakeServer) -> None:
    server.usual = steps([LEFT], [("weather", "")], [GO])
    response = ask(server, neighbour, weather)
    assert (response.status, response.value, response.attempts) == ("ok", Move.GO, 1)
    assert CALLS == [(1, Side.LEFT, 2), (1,)]
    assert response.lookups == (
        Lookup("neighbour", {"side": "left", "distance": 2}, "Number 3 on the left:\n‹|im_end|› nice people."),
        Lookup("weather", {}, "21"),
    )
    first, second, third = asked(server)
    for body in (first, second, third):
        assert names(body) == ["neighbour", "weather", "Move"]
        assert body["tool_choice"] == "required"
        assert "response_format" not in body
    about = first["tools"][0]["function"]
    assert about["description"] == "Who lives beside you."
    assert about["parameters"]["properties"]["side"]["enum"] == ["left", "right"]
    assert about["parameters"]["additionalProperties"] is False
    assert "next" not in first["messages"][0]["content"]
    call, result = second["messages"][1:]
    [mark] = call["tool_calls"]
    assert json.loads(mark["function"]["arguments"]) == {"side": "left", "distance": 2}
    assert (result["role"], result["tool_call_id"]) == ("tool", mark["id"])
    assert result["content"].startswith("Number 3 on the left:")
    assert third["messages"][-1] == {"role": "tool", "tool_call_id": "call00002", "content": "21"}


def test_every_round_is_on_the_bill(server: FakeServer) -> None:
    server.usual = steps([LEFT], [GO])
    llm = LLM("small", base_url=server.url)
    [response] = llm.ask(Town(llm, 1).agents, Resident.question, Move, tools=[neighbour])
    assert llm.spent.requests == len(server.requests) == 3
    assert llm.spent.tokens == 3 * 110
    assert (response.usage.calls, response.usage.tokens_in) == (2, 200)


def test_calls_side_by_side_are_all_made(server: FakeServer) -> None:
    server.usual = steps([LEFT, ("weather", {}), GO], steps([GO]))
    response = ask(server, neighbour, weather)
    assert [one.tool for one in response.lookups] == ["neighbour", "weather"]
    assert response.value is Move.GO, "what was answered beside calls was answered before their results"
    told = [message["role"] for message in asked(server)[1]["messages"]]
    assert told == ["user", "assistant", "tool", "assistant", "tool"]


def test_looking_things_up_has_an_end(server: FakeServer) -> None:
    server.usual = steps([("weather", {})] * 5, [GO])
    response = ask(server, weather, most_lookups=2)
    assert (response.value, len(response.lookups), len(CALLS)) == (Move.GO, 2, 2)
    last = asked(server)[-1]
    assert last["tool_choice"] == {"type": "function", "function": {"name": "Move"}}
    assert names(last) == ["weather", "Move"], "servers keep what they have read"
    assert last["messages"][-1]["content"] == "Nothing more can be looked up. Now answer by calling Move."


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (("neighbour", {"side": "up", "distance": 2}), "neighbour.side must be one of: left, right"),
        (("neighbour", {"side": "left"}), "neighbour: the field distance is missing"),
        (("neighbour", {"side": "left", "distance": 77}), "neighbour.distance must be a whole number from 1 to 9"),
        (("neighbour", "[1]"), "neighbour must be an object with the fields side, distance"),
        (("neighbour", '{"side": "left", "dist'), "there is no complete JSON object in it"),
        (("nobody", {}), "there is no tool nobody; there are: neighbour, weather"),
        (("Move", {"answer": "fly"}), "answer must be one of: stay, go"),
    ],
)
def test_a_wrong_call_is_told_and_made_again(server: FakeServer, wrong: tuple[str, Any], reason: str) -> None:
    server.usual = steps([wrong], [GO])
    response = ask(server, neighbour, weather)
    assert (response.status, response.reason, response.value) == ("repaired", reason, Move.GO)
    assert CALLS == []
    assert reason in asked(server)[1]["messages"][-1]["content"]


def test_a_wrong_call_has_its_trouble_for_a_result(server: FakeServer) -> None:
    server.usual = steps([("neighbour", {"side": "up", "distance": 2})], [GO])
    ask(server, neighbour)
    _, call, result = asked(server)[1]["messages"]
    assert call["tool_calls"][0]["function"]["name"] == "neighbour"
    assert result["role"] == "tool"
    assert "must be one of: left, right" in result["content"]


@pytest.mark.parametrize(
    "given", ["{'side': 'left', 'distance': 2,}", json.dumps('{"side": "left", "distance": 2}'), "```\n" + "x"]
)
def test_arguments_that_are_nearly_right_are_read(server: FakeServer, given: str) -> None:
    server.usual = steps([("neighbour", given)], [GO])
    response = ask(server, neighbour)
    assert response.value is Move.GO
    assert [one.arguments for one in response.lookups] == ([{"side": "left", "distance": 2}] if "side" in given else [])


@pytest.mark.parametrize(
    "said",
    [
        '{"answer": "go"}',
        'I have thought about it. {"answer": "go"}',
        '{"Move": {"answer": "go"}}',
        '<tool_call>{"name": "weather", "arguments": {}}</tool_call>',
    ],
)
def test_a_model_may_answer_in_text(server: FakeServer, said: str) -> None:
    server.usual = steps(said, [GO])
    response = ask(server, weather)
    assert (response.status, response.value) == ("ok", Move.GO)
    assert [one.tool for one in response.lookups] == (["weather"] if "weather" in said else [])


def test_text_that_is_no_answer_is_asked_for_again(server: FakeServer) -> None:
    server.usual = steps("Let me think about that.", [GO])
    response = ask(server, weather)
    assert (response.status, response.value) == ("repaired", Move.GO)
    assert [message["role"] for message in asked(server)[1]["messages"]] == ["user", "assistant", "user"]


def test_what_a_tool_cannot_do_is_told_to_the_model(server: FakeServer) -> None:
    server.usual = steps([("gossip", {"about": "Ann"})], [GO])
    assert ask(server, gossip).lookups == (Lookup("gossip", {"about": "Ann"}, "error: nobody knows Ann"),)
    assert asked(server)[1]["messages"][-1]["content"] == "error: nobody knows Ann"


REFUSALS = [
    (400, "`tools` is not supported by this model"),
    (404, "No endpoints found that support tool use."),
    (500, "tools param requires --jinja flag"),
    (400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
    (422, "tools: Extra inputs are not permitted"),
]


@pytest.mark.parametrize(("status", "words"), REFUSALS)
def test_a_server_that_refuses_tools_is_asked_in_the_form(server: FakeServer, status: int, words: str) -> None:
    refuse = fails(status, words)
    usual = decides(turns(calls("weather"), answers("go")))

    async def behave(exchange: Exchange) -> None:
        await (refuse if "tools" in exchange.body else usual)(exchange)

    server.usual = behave
    found = ask(server, weather, agents=3)
    assert [(one.status, one.value, one.lookups) for one in found] == 3 * [
        ("ok", Move.GO, (Lookup("weather", {}, "21"),))
    ]
    assert sum("tools" in body for body in server.requests) == 1, "it is asked for them once"


def test_a_server_without_required_calls_is_left_to_choose(server: FakeServer) -> None:
    usual = steps([("weather", {})], [GO])

    async def behave(exchange: Exchange) -> None:
        refuse = fails(400, "tool_choice 'required' is not supported; use 'auto'")
        await (refuse if "tool_choice" in exchange.body else usual)(exchange)

    server.usual = behave
    assert ask(server, weather).lookups == (Lookup("weather", {}, "21"),)
    assert all(names(body) and "tool_choice" not in body for body in server.requests[1:])


def test_tools_that_are_refused_after_the_probe_are_asked_for_in_the_form(server: FakeServer) -> None:
    """In the middle of an exchange, too: what was looked up is told in the other way."""
    native, form = steps([("weather", {})], [GO]), decides(turns(calls("weather"), answers("go")))

    async def behave(exchange: Exchange) -> None:
        late = names(exchange.body) and len(exchange.body["messages"]) > 1
        refuse = fails(400, "Invalid schema for function 'weather'")
        await (refuse if late else native if names(exchange.body) else form)(exchange)

    server.usual = behave
    response = ask(server, weather)
    assert (response.status, response.value, len(CALLS)) == ("ok", Move.GO, 1)
    last = server.requests[-1]
    assert "The result of weather:\n21" in last["messages"][-1]["content"]
    sent = len(server.requests)
    assert ask(server, weather).value is Move.GO
    assert not any(names(body) for body in server.requests[sent:]), "these tools are not offered again"


def test_what_was_learned_is_kept_and_found_out_again(server: FakeServer, tmp_path: Path) -> None:
    now = 1_000_000.0
    no_tools = fails(400, "tools are not supported")
    server.usual = no_tools

    async def learned(at: float) -> bool:
        caller = Caller(Endpoint(server.url), cache=cache, wall=lambda: at)
        try:
            return await caller.takes_tools("small")
        finally:
            await caller.aclose()

    cache = AnswerCache(tmp_path / "answers.sqlite")
    wait = house().wait_for
    assert wait(learned(now)) is False
    server.usual = steps([GO])
    assert wait(learned(now + 3600)) is False
    assert len(server.requests) == 1
    assert wait(learned(now + 90_000)) is True, "a day later"
    server.usual = no_tools
    assert wait(learned(now + 180_000)) is True
    assert wait(learned(now + 8 * 86_400 + 90_000)) is False, "a week later"
    cache.close()


def test_an_exchange_is_remembered_however_it_was_told(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The cache holds every turn; it is found again by a server that is asked in another way, and by none at all."""
    monkeypatch.setenv("EDUVERSE_CACHE", str(tmp_path / "answers.sqlite"))
    server.usual = steps([LEFT, ("weather", {})], [GO])
    first = ask(server, neighbour, weather, agents=2)
    sent, made = len(server.requests), len(CALLS)
    server.usual = fails(500)
    for options in ({}, {"delivery": "batch"}):
        again = ask(server, neighbour, weather, agents=2, **options)
        assert [(one.value, one.lookups) for one in again] == [(one.value, one.lookups) for one in first]
    assert len(server.requests) == sent
    assert len(CALLS) == 3 * made, "tools are called again: they only look"


def test_a_replay_is_the_same_and_calls_no_tool(server: FakeServer, tmp_path: Path) -> None:
    server.usual = steps([LEFT, ("weather", {})], [GO])
    first = ask(server, neighbour, weather, agents=3, keep=tmp_path / "run.jsonl")
    made = len(CALLS)
    llm = LLM.replay(tmp_path / "run.jsonl")
    again = llm.ask(Town(llm, 3).agents, Resident.question, Move, tools=[neighbour, weather])
    assert [(one.value, one.lookups) for one in again] == [(one.value, one.lookups) for one in first]
    assert len(CALLS) == made


def test_a_stream_with_calls_is_put_together(server: FakeServer) -> None:
    def event(**call: Any) -> bytes:
        return b"data: " + json.dumps({"choices": [{"delta": {"tool_calls": [call]}}]}).encode() + b"\n\n"

    async def streams(exchange: Exchange) -> None:
        parts = [
            event(index=0, function={"name": "weather", "arguments": ""}),
            event(index=1, function={"name": "neighbour", "arguments": '{"side": "left",'}),
            event(index=1, function={"arguments": ' "distance": 2}'}),
            b"data: [DONE]\n\n",
        ]
        await exchange.send(b"".join(parts), headers={"Content-Type": "text/event-stream"})

    server.usual = steps(streams, streams, [GO])
    assert [one.tool for one in ask(server, neighbour, weather).lookups] == ["weather", "neighbour"]


def test_a_form_may_have_the_name_of_a_tool(server: FakeServer) -> None:
    def move(resident: Any) -> str:
        """Where you could move."""
        return "here"

    move.__name__ = "Move"
    server.usual = steps([("Move", {})], [("Move_answer", {"answer": "go"})])
    response = ask(server, tool(move))
    assert (response.value, [one.result for one in response.lookups]) == (Move.GO, ["here"])


def test_nothing_is_found_out_where_no_tool_is_offered(server: FakeServer) -> None:
    server.usual = decides(lambda exchange: '{"answer": "go"}')
    ask(server)
    ask(server, weather, most_lookups=0)
    assert not any(names(body) for body in server.requests)


def test_instructions_stay_in_front(server: FakeServer) -> None:
    server.usual = steps([("weather", {})], [GO])
    ask(server, weather, instructions="You live in a town.")
    assert {body["messages"][0]["content"] for body in asked(server)} == {"You live in a town."}
