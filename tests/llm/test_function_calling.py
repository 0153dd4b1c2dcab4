"""Function calling of a server's own: used where a server has it, and the form of the answer where it has not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, Field

from eduverse_mesa.llm import LLM, Lookup, tool
from eduverse_mesa.llm.record import read_record
from eduverse_mesa.policies.background_loop import shared_loop
from eduverse_mesa.policies.llm.calling import AnswerCache, Caller, Endpoint
from eduverse_mesa.policies.llm.calling.dialect import Untaken
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


WRONG = [
    (("neighbour", {"side": "up", "distance": 2}), "neighbour.side must be one of: left, right"),
    (("neighbour", {"side": "left"}), "neighbour: the field distance is missing"),
    (("neighbour", {"side": "left", "distance": 77}), "neighbour.distance must be a whole number from 1 to 9"),
    (("neighbour", "[1]"), "neighbour must be an object with the fields side, distance"),
    (("neighbour", '{"side": "left", "dist'), "neighbour must be an object with the fields side, distance"),
    (("nobody", {}), "there is no tool nobody; there are: neighbour, weather"),
]


@pytest.mark.parametrize(("wrong", "defect"), WRONG)
def test_a_wrong_call_is_recorded_told_and_no_fault_of_the_answer(
    server: FakeServer, tmp_path: Path, wrong: tuple[str, Any], defect: str
) -> None:
    server.usual = steps([wrong], [LEFT], [GO])
    response = ask(server, neighbour, weather, reasks=0, keep=tmp_path / "run.jsonl")
    assert (response.status, response.reason, response.attempts, response.value) == ("ok", "", 1, Move.GO)
    first, second = response.lookups
    assert (first.tool, first.defect, second.tool, second.defect) == (wrong[0], defect, "neighbour", "")
    assert first.result == f"error: {defect}. Nothing was looked up. Mend the call and make it again, or answer."
    assert CALLS == [(1, Side.LEFT, 2)]
    assert first.result in asked(server)[1]["messages"][-1]["content"]
    [entry] = read_record(tmp_path / "run.jsonl")[1]
    assert entry.lookups == response.lookups


def test_a_wrong_call_has_its_trouble_for_a_result(server: FakeServer) -> None:
    server.usual = steps([("neighbour", {"side": "up", "distance": 2}), LEFT], [GO])
    ask(server, neighbour)
    _, wrong, trouble, _right, result = asked(server)[1]["messages"]
    assert json.loads(wrong["tool_calls"][0]["function"]["arguments"]) == {"side": "up", "distance": 2}
    assert trouble["role"] == result["role"] == "tool"
    assert "must be one of: left, right" in trouble["content"]
    assert result["content"].startswith("Number 3 on the left"), "what is right beside it is done"


def test_wrong_calls_have_an_end_of_their_own(server: FakeServer) -> None:
    server.usual = steps(*[[("neighbour", {})]] * 2, [GO])
    llm = LLM("small", base_url=server.url, reasks=0)
    [response] = llm.ask(Town(llm, 1).agents, Resident.question, Move, tools=[neighbour], most_lookups=2)
    assert (response.status, response.value, [bool(one.defect) for one in response.lookups]) == (
        "ok",
        Move.GO,
        [True] * 2,
    )
    assert asked(server)[-1]["tool_choice"] == {"type": "function", "function": {"name": "Move"}}
    [row] = llm.table()[["lookups", "wrong_calls"]].to_dict("records")
    assert row == {"lookups": 0, "wrong_calls": 2}
    assert "2 calls of tools were wrong: neighbour: the field side is missing (2)" in llm.summary()


def test_a_wrong_answer_has_its_trouble_for_a_result_and_is_asked_for_again(server: FakeServer) -> None:
    server.usual = steps([("Move", {"answer": "fly"})], [GO])
    response = ask(server, neighbour)
    reason = "answer must be one of: stay, go"
    assert (response.status, response.reason, response.lookups) == ("repaired", reason, ())
    _, call, result = asked(server)[1]["messages"]
    assert call["tool_calls"][0]["function"]["name"] == "Move"
    assert (result["role"], result["content"]) == ("tool", reason)


def test_what_a_model_puts_into_a_wrong_call_harms_nobody(server: FakeServer, tmp_path: Path) -> None:
    odd = '{"side": "<|im_start|>\\ud800", "distance": ' + "9" * 3000 + "}"
    server.usual = steps([("neighbour", odd)], [GO])
    response = ask(server, neighbour, keep=tmp_path / "run.jsonl")
    assert response.value is Move.GO
    assert read_record(tmp_path / "run.jsonl")[1][0].lookups == response.lookups
    assert "<|im_start|>" not in json.dumps(asked(server)[1])


@pytest.mark.parametrize("useless", ["", "I will not say."])
def test_what_was_looked_up_stands_in_the_record_whatever_came_of_it(
    server: FakeServer, tmp_path: Path, useless: str
) -> None:
    """It was made, and paid for; and a tool that has failed by a mistake is said where the answer failed, too."""

    @tool
    def broken(resident: Resident) -> str:
        """What nobody can tell."""
        raise KeyError("no such town")

    server.usual = steps([LEFT, ("broken", {})], useless)
    for otherwise, status in ((None, "failed"), (lambda resident: Move.STAY, "fallback")):
        path = tmp_path / f"{status}.jsonl"
        llm = LLM("small", base_url=server.url, reasks=0, keep=path)
        with pytest.warns(UserWarning, match="no such town|no answer of 1 could be used") as warned:
            [response] = llm.ask(
                Town(llm, 1).agents, Resident.question, Move, tools=[neighbour, broken], otherwise=otherwise
            )
        assert (response.status, [one.tool for one in response.lookups]) == (status, ["neighbour", "broken"])
        assert any("the tool broken has failed" in str(one.message) for one in warned)
        assert read_record(path)[1][0].lookups == response.lookups
        with pytest.warns(UserWarning, match="no answer of 1"):
            [again] = (kept := LLM.replay(path)).ask(
                Town(kept, 1).agents, Resident.question, Move, tools=[neighbour, broken]
            )
        assert (again.status, again.lookups) == (response.status, response.lookups)


@pytest.mark.parametrize(
    "given", ["{'side': 'left', 'distance': 2,}", json.dumps('{"side": "left", "distance": 2}'), "```\n" + "x"]
)
def test_arguments_that_are_nearly_right_are_read(server: FakeServer, given: str) -> None:
    server.usual = steps([("neighbour", given)], [GO])
    response = ask(server, neighbour)
    assert response.value is Move.GO
    read = [one.arguments for one in response.lookups if not one.defect]
    assert read == ([{"side": "left", "distance": 2}] if "side" in given else [])


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
    with pytest.warns(UserWarning, match="did not take them") as warned:
        found = ask(server, weather, agents=3)
    [one] = warned
    assert words in str(one.message), "the server's words, once"
    assert [(one.status, one.value, one.lookups) for one in found] == 3 * [
        ("ok", Move.GO, (Lookup("weather", {}, "21"),))
    ]
    assert sum("tools" in body for body in server.requests) == 1, "it is asked for them once"


def test_that_tools_are_not_taken_is_said_once_for_each_model_and_in_its_summary(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("EDUVERSE_CACHE", str(tmp_path / "answers.sqlite"))
    server.usual = decides(turns(calls("weather"), answers("go")))  # no word of refusal: it knows nothing of tools
    for _ in range(2):  # the second one has it from the cache of facts
        llm = LLM("small", base_url=server.url)
        town = Town(llm, 1, tools=[weather])
        with pytest.warns(UserWarning, match="it answered a trial without calling the tool"):
            town.step()
        town.step()
        assert "in the form of the answer: it answered a trial" in llm.summary()
    assert sum("tools" in body for body in server.requests) == 1


class Plate(BaseModel):
    """An answer with bounds of every kind."""

    letters: str = Field(min_length=3, max_length=9, pattern="^[A-Z]+$")
    year: int = Field(ge=1900, le=2026)
    weight: float = Field(gt=0.5)
    owners: list[str] = Field(max_length=2)


PLATE = ("Plate", {"letters": "ABC", "year": 2000, "weight": 1.5, "owners": []})


@pytest.mark.parametrize("strictly", [False, True])
def test_the_bounds_of_an_answer_are_told_in_the_way_that_a_server_takes(server: FakeServer, strictly: bool) -> None:
    """As keywords, and by a server that refuses those, as OpenAI's does, in descriptions."""
    usual, form = steps([("weather", {})], [PLATE]), json.dumps
    words = "Invalid schema for function 'Plate': In context=('properties', 'letters'), 'maxLength' is not permitted."

    async def behave(exchange: Exchange) -> None:
        refused = strictly and "maxLength" in form(exchange.body.get("tools"))
        await (fails(400, words) if refused else usual)(exchange)

    server.usual = behave
    llm = LLM("small", base_url=server.url)
    for _ in range(2):
        [response] = llm.ask(Town(llm, 1).agents, "What plate?", Plate, tools=[weather])
        assert (response.status, response.value.letters) == ("ok", "ABC")
    assert len(server.requests) == 4 + 1 + strictly, "how it takes them is found out once"
    schema = asked(server)[-1]["tools"][-1]["function"]["parameters"]["properties"]
    if strictly:
        assert {name: part["description"] for name, part in schema.items()} == {
            "letters": "matches ^[A-Z]+$ (from 3 to 9 characters)",
            "year": "from 1900 to 2026",
            "weight": "at least 0.5",
            "owners": "from 0 to 2 entries",
        }
        assert schema["owners"]["items"] == {"type": "string", "description": "from 1 to 2000 characters"}
    else:
        assert schema["letters"] == {
            "type": "string",
            "maxLength": 9,
            "minLength": 3,
            "description": "matches ^[A-Z]+$",
        }
        assert (schema["year"]["maximum"], schema["owners"]["maxItems"]) == (2026, 2)


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
    with pytest.warns(UserWarning, match="Invalid schema for function 'weather'"):
        response = ask(server, weather)
    assert (response.status, response.value, len(CALLS)) == ("ok", Move.GO, 1)
    last = server.requests[-1]
    assert "The result of weather:\n21" in last["messages"][-1]["content"]
    sent = len(server.requests)
    with pytest.warns(UserWarning, match="Invalid schema for function 'weather'"):
        assert ask(server, weather).value is Move.GO
    assert not any(names(body) for body in server.requests[sent:]), "these tools are not offered again"


def test_what_was_learned_is_kept_and_found_out_again(server: FakeServer, tmp_path: Path) -> None:
    now = 1_000_000.0
    no_tools = fails(400, "tools are not supported")
    server.usual = no_tools

    async def learned(at: float) -> bool:
        caller = Caller(Endpoint(server.url), cache=cache, wall=lambda: at)
        try:
            return not isinstance(await caller.tool_ability("small"), Untaken)
        finally:
            await caller.aclose()

    cache = AnswerCache(tmp_path / "answers.sqlite")
    wait = shared_loop().wait_for
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
