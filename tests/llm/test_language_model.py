"""Agents of any Mesa model ask: all at once, typed, in their order, and no failure looks like a decision."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, ClassVar

import mesa
import pytest
from pydantic import BaseModel, Field, field_validator

from eduverse_mesa.decisions import Bill
from eduverse_mesa.errors import BudgetError, NoModelError, PolicyError
from eduverse_mesa.llm import LLM, NoAnswerError
from eduverse_mesa.policies.llm.policy import UselessError
from tests.llm.town import Move, Resident, Town, by_number, decides, is_probe, played
from tests.policies.llm.fake_server import Behaviour, Exchange, FakeServer, completion, fails, says
from tests.runs.model_servers import serving

KEY = "sk-planted-90aa17c3d5e8"
PROBE = 1
"""Requests that find out what a server can do."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    """A server whose residents of odd numbers go."""
    monkeypatch.setenv("EDUVERSE_CACHE", "none")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving(FakeServer(usual=decides(by_number))) as running:
        yield running


def model(server: FakeServer, **options: Any) -> LLM:
    return LLM("small", base_url=server.url, **options)


def all_together(count: int) -> Behaviour:
    """Nobody is answered before all are there, and then the last is answered first."""
    waiting: list[Exchange] = []
    everybody = asyncio.Event()

    async def behave(exchange: Exchange) -> None:
        if is_probe(exchange):
            await decides(by_number)(exchange)
            return
        waiting.append(exchange)
        place = len(waiting)
        if place == count:
            everybody.set()
        await everybody.wait()
        while len(waiting) > place:
            await asyncio.sleep(0)
        await exchange.send(completion(by_number(exchange)))
        waiting.pop()

    return behave


def test_all_are_asked_at_once_and_answers_come_in_the_order_of_the_agents(server: FakeServer) -> None:
    server.usual = all_together(6)
    town = Town(model(server))
    places = {resident.unique_id: resident.place for resident in town.residents}
    town.step()
    assert server.most_out == 6
    assert [response.agent.unique_id for response in town.responses] == list(places)
    for response in town.responses:
        assert response.value is (Move.GO if places[response.agent.unique_id] % 2 else Move.STAY)
        assert (response.status, response.reason, response.attempts) == ("ok", "", 1)


def test_the_same_seed_and_answers_give_the_same_run(server: FakeServer) -> None:
    assert played(model(server)).history == played(model(server)).history
    assert len(server.requests) == PROBE + 2 * 3 * 6


def test_an_answer_that_cannot_be_used_is_asked_for_again(server: FakeServer) -> None:
    def choose(exchange: Exchange) -> str:
        again = len(exchange.body["messages"]) > 1
        return '{"answer": "Go."}' if again else '{"answer": "fly"}'

    server.usual = decides(choose)
    [response] = model(server).ask(Town(model(server), 1).agents, Resident.question, Move)
    assert (response.status, response.value, response.attempts) == ("repaired", Move.GO, 2)
    assert response.reason == "answer must be one of: stay, go"


def test_where_no_answer_comes_there_is_no_value(server: FakeServer) -> None:
    server.usual = decides(lambda exchange: "I would rather not say.")
    town = Town(model(server), 2)
    places = [resident.place for resident in town.residents]
    with pytest.warns(UserWarning, match=r"step 1: no answer of 2 could be used: .*no complete JSON object.* \(2\)"):
        town.step()
    assert [resident.place for resident in town.residents] == places
    assert town.llm.summary().startswith("2 answers: 0 ok, 0 repaired, 0 fallback, 2 failed. Not usable: there is no")
    for response in town.responses:
        assert (response.status, response.answered, response.attempts) == ("failed", False, 3)
        with pytest.raises(NoAnswerError, match="no complete JSON object"):
            _ = response.value


def test_what_is_done_without_an_answer_is_marked(server: FakeServer) -> None:
    server.usual = decides(lambda exchange: "I would rather not say.")
    with pytest.warns(UserWarning, match="no answer of 2"):
        town = played(model(server), 1, residents=2, otherwise=lambda resident: Move.STAY)
    assert [(one.status, one.value, one.source) for one in town.responses] == 2 * [("fallback", Move.STAY, "otherwise")]
    assert all(one.reason for one in town.responses)


def test_one_agent_without_an_answer_harms_no_other(server: FakeServer) -> None:
    server.usual = decides(
        lambda exchange: fails(400, "no such thing") if "resident 2." in exchange.question else by_number(exchange)
    )
    town = played(model(server), 1)
    assert [one.status for one in town.responses] == ["ok", "failed", "ok", "ok", "ok", "ok"]
    assert "no such thing" in town.responses[1].reason


def test_a_budget_ends_the_step_before_anybody_acts(server: FakeServer, tmp_path: Path) -> None:
    kept = tmp_path / "run.jsonl"
    llm = model(server, budget={"requests": PROBE + 9}, keep=kept)
    town = Town(llm)
    town.step()
    after = [resident.place for resident in town.residents]
    with pytest.raises(BudgetError, match="budget of requests"):
        town.step()
    assert [resident.place for resident in town.residents] == after
    assert len(server.requests) == PROBE + 9 == llm.spent.requests
    assert len(kept.read_text("utf-8").splitlines()) == 1 + 6  # the first line, and the step that was taken


def test_a_model_that_nobody_can_use_ends_the_run(server: FakeServer) -> None:
    server.usual = decides(lambda exchange: "{}")
    with pytest.raises(UselessError, match="in a row could not be used"):
        played(model(server), 2, residents=12)


def test_a_wrong_key_is_said_with_what_to_do(server: FakeServer) -> None:
    server.usual = fails(401, f"Incorrect API key provided: {KEY}")
    with pytest.raises(PolicyError, match="does not accept the key") as caught:
        played(model(server))
    assert KEY not in str(caught.value)


def test_remembered_answers_are_not_asked_for_again(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("EDUVERSE_CACHE", str(tmp_path / "answers.sqlite"))
    first = played(model(server), 2)
    sent = len(server.requests)
    again = played(model(server), 2)
    assert again.history == first.history
    assert len(server.requests) == sent
    played(model(server, seed=7), 2)
    assert len(server.requests) == sent + 2 * 6, "another seed is another draw"


def test_what_another_server_has_answered_is_taken_and_marked_as_remembered(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Also in the record, and in what is replayed from it."""
    monkeypatch.setenv("EDUVERSE_CACHE", str(tmp_path / "answers.sqlite"))
    server.usual = named("small-1")
    first = played(model(server), 1, residents=2)
    assert [one.remembered for one in first.responses] == [0, 0]
    assert "cache" not in first.llm.summary()
    with serving(FakeServer(usual=named("small-of-others"))) as other:
        again = Town(LLM("small", base_url=other.url, keep=tmp_path / "run.jsonl"), 2)
        again.step()
        with pytest.warns(UserWarning, match="answers as small-of-others; it answered as small-1 before"):
            again.llm.ask(again.residents[0], "And now?", Move)
        assert len(other.requests) == PROBE + 1
    assert [(one.remembered, one.model, one.usage.calls) for one in again.responses] == 2 * [(1, "small-1", 0)]
    assert again.llm.table()["remembered"].tolist() == [1, 1, 0]
    assert again.llm.summary().startswith("3 answers: 3 ok, 0 repaired, 0 fallback, 0 failed; 2 from the cache")
    replayed = Town(LLM.replay(tmp_path / "run.jsonl"), 2)
    replayed.step()
    assert [(one.remembered, one.model) for one in replayed.responses] == 2 * [(1, "small-1")]


@pytest.mark.parametrize("send_seed", [True, False])
def test_two_who_are_asked_the_same_answer_for_themselves(server: FakeServer, send_seed: bool) -> None:
    server.usual = decides(lambda exchange: '{"answer": true}')
    agents = Town(model(server)).agents
    assert all(one.value for one in model(server, send_seed=send_seed).ask(agents, "Heads?", bool))
    assert len(server.requests) == PROBE + 6


def test_instructions_come_first_and_may_be_each_agents_own(server: FakeServer) -> None:
    llm = model(server, instructions="You live in a town.")
    agents = Town(llm, 2).agents
    llm.ask(agents, Resident.question, Move)
    llm.ask(agents, Resident.question, Move, instructions=lambda resident: f"You are {resident.unique_id}.")
    told = {body["messages"][0]["content"] for body in server.requests[PROBE:] if len(body["messages"]) == 2}
    assert told == {"You live in a town.", "You are 1.", "You are 2."}


def test_the_language_of_answers_is_asked_for_and_checked(server: FakeServer) -> None:
    @dataclass
    class Said:
        words: str

    server.usual = decides(lambda exchange: json.dumps({"words": "Well, I think that this is a good idea for us."}))
    with pytest.warns(UserWarning, match="write Chinese"):
        [response] = model(server, language="zh", reasks=0).ask(Town(model(server), 1).agents, "你说什么？", Said)
    assert (response.status, response.reason) == ("failed", "it is not in Chinese; write Chinese")
    assert "请只用一个如下格式的 JSON 对象回答" in server.requests[-1]["messages"][0]["content"]


def test_it_works_where_an_event_loop_runs(server: FakeServer) -> None:
    async def in_a_notebook() -> Town:
        return played(model(server), 1)

    assert asyncio.run(in_a_notebook()).history == played(model(server), 1).history


def test_asynchronous_code_can_await_the_answers(server: FakeServer) -> None:
    town = Town(model(server))

    async def ask() -> list[Move]:
        return [one.value for one in await town.llm.ask_async(town.agents, Resident.question, Move)]

    assert asyncio.run(ask()) == [one.value for one in town.llm.ask(town.agents, Resident.question, Move)]


class _Drawn(mesa.Model):  # type: ignore[misc, unused-ignore]
    """A Mesa model that makes its own LLM, as batch_run wants it."""

    urls: ClassVar[list[str]] = []

    def __init__(self, rng: Any = None) -> None:
        super().__init__(rng=rng)
        self.given = rng
        self.llm = LLM("small", base_url=self.urls[-1])
        Resident.create_agents(self, 3)
        self.datacollector = mesa.DataCollector(model_reporters={"seed": lambda one: one.llm.seed, "given": "given"})

    def step(self) -> None:
        """All are asked the same."""
        self.llm.ask(self.agents, "Do you stay or go?", Move)
        self.datacollector.collect(self)
        self.running = False


def test_replications_ask_anew_and_the_same_seed_does_not(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("EDUVERSE_CACHE", str(tmp_path / "answers.sqlite"))
    server.usual = decides(lambda exchange: '{"answer": "stay"}')
    _Drawn.urls.append(server.url)
    seeds: Any = [1, 2, 2**80, 1]
    newer = "rng" in inspect.signature(mesa.batch_run).parameters  # Mesa 3.5: an argument of its own
    given: dict[str, Any] = {"parameters": {}, "rng": seeds} if newer else {"parameters": {"rng": seeds}}
    rows = mesa.batch_run(_Drawn, **given, display_progress=False)
    assert rows[0]["seed"] == rows[3]["seed"]
    assert len({row["seed"] for row in rows}) == 3
    assert len({body["seed"] for body in server.requests[PROBE:]}) == len(server.requests) - PROBE == 3 * 3
    for row in rows:
        assert row["seed"] == _drawn_seed(_Drawn(rng=row["given"])), "the model's own, in a batch and alone"
    assert len({_drawn_seed(_Drawn()) for _ in range(3)}) == 3, "without a seed Mesa draws one"


def test_an_llm_has_the_seed_that_its_mesa_model_was_given(server: FakeServer) -> None:
    server.usual = decides(lambda exchange: '{"answer": "stay"}')
    _Drawn.urls.append(server.url)
    small, large = [0, 1, 7, 2**31 - 1], [2**31, 2**63 - 1, 2**80, 2**80 + 1]
    assert [_drawn_seed(_Drawn(rng=seed)) for seed in small] == small
    found = [_drawn_seed(_Drawn(rng=seed)) for seed in large]
    assert found == [_drawn_seed(_Drawn(rng=seed)) for seed in large], "what no server takes becomes one that it does"
    assert len({*found, *small}) == len(large) + len(small), "and stays another one"


def _drawn_seed(model: _Drawn) -> int | None:
    model.step()
    return model.llm.seed


def test_the_seed_of_the_model_is_read_without_drawing() -> None:
    town, other = (Town(LLM.scripted(lambda resident: True), rng=3) for _ in range(2))
    town.random.random()
    town.rng.random()
    other.random.random()
    other.rng.random()
    town.llm.ask(town.agents, "Do you?", bool)
    assert town.llm.seed == 3
    assert (town.random.random(), town.rng.random()) == (other.random.random(), other.rng.random())


def test_who_is_asked_twice_may_answer_in_two_ways(server: FakeServer) -> None:
    town = Town(model(server), 1)
    for _ in range(2):
        town.llm.ask(town.agents, Resident.question, Move)
    assert len({body["seed"] for body in server.requests[PROBE:]}) == 2


@pytest.mark.parametrize("name", ["question", "asked", "question "])
def test_a_word_that_names_a_method_or_a_text_means_it(server: FakeServer, name: str) -> None:
    town = Town(model(server), 2)
    for resident in town.residents:
        resident.asked = resident.question()
    town.llm.ask(town.agents, name, Move)
    assert len(server.requests) == PROBE + 2
    assert all("You live at number" in body["messages"][0]["content"] for body in server.requests[PROBE:])


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (
            "questoin",
            r"^question: 'questoin' is one word, .* Resident 1 has nothing .* Did you mean 'question'\? Name a",
        ),
        ("question()", r"Did you mean 'question'\? "),
        ("Resident.question", r"Did you mean 'question'\? "),
        ("你去不去", r"lambda agent: '你去不去'\.$"),
    ],
)
def test_a_mistyped_name_is_not_asked_as_a_question(server: FakeServer, question: str, words: str) -> None:
    town = Town(model(server), 2)
    with pytest.raises(PolicyError, match=words):
        town.llm.ask(town.agents, question, Move)
    with pytest.raises(PolicyError, match=words.replace("question: ", "instructions: ")):
        town.llm.ask(town.agents, "Do you go?", Move, instructions=question)
    assert server.requests == []


def test_a_name_that_only_some_have_is_refused_with_who_lacks_it(server: FakeServer) -> None:
    town = Town(model(server), 3)
    town.residents[0].motto = "Do you go?"
    with pytest.raises(PolicyError, match="Resident 2 has nothing of that name"):
        town.llm.ask(town.agents, "motto", Move)


@pytest.mark.parametrize("question", ["Go?", "你去不去？", "Stay or go", lambda resident: "Go"])
def test_a_text_with_a_blank_or_a_mark_and_what_a_function_says_are_asked_as_they_are(
    server: FakeServer, question: Any
) -> None:
    server.usual = decides(lambda exchange: '{"answer": "go"}')
    town = Town(model(server), 1)
    [response] = town.llm.ask(town.agents, question, Move)
    assert response.value is Move.GO
    said = question if isinstance(question, str) else "Go"
    assert server.requests[-1]["messages"][0]["content"].startswith(said)


def test_one_agent_is_asked_as_a_list_of_one_is(server: FakeServer) -> None:
    town = Town(model(server), 2)
    first, second = town.residents
    [response] = town.llm.ask(second, Resident.question, Move)
    assert response.agent is second
    first.remove()
    assert town.llm.ask(first, Resident.question, Move) == []
    several: Any = (town.agents, town.agents.select(lambda one: True), (one for one in town.residents))
    assert [len(town.llm.ask(agents, Resident.question, Move)) for agents in several] == [1, 1, 1]


@pytest.mark.parametrize(
    "given", [3, None, Resident, "agents", mesa.Model()], ids=["number", "none", "class", "word", "model"]
)
def test_what_is_no_agent_is_refused_with_what_would_do(given: Any) -> None:
    with pytest.raises(PolicyError, match=r"^ask: .* is no agent of a model\. Ask an agent, or several: model\.agents"):
        LLM.scripted(lambda one: True).ask(given, "Do you go?", bool)


@pytest.mark.parametrize("place", ["question", "instructions"])
def test_a_function_that_breaks_names_the_agent(place: str) -> None:
    town = Town(LLM.scripted(lambda one: True), 2)
    given: dict[str, Any] = {"question": "Do you go?", place: lambda one: {1: "Do you?"}[one.unique_id]}
    words = rf"^Resident 2: the function of {place} has failed by a mistake of its own: KeyError: 2\."
    with pytest.raises(PolicyError, match=words) as caught:
        town.llm.ask(town.agents, form=bool, **given)
    assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(PolicyError, match=rf"^{place}: it has to take the agent, and nothing else"):
        town.llm.ask(town.agents, form=bool, **{**given, place: lambda: "Do you?"})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"question": "place"}, "Resident 1: what is asked is int, not text"),
        ({"tools": 3}, r"tools: 3 is no tool\. Name functions with @tool above them, e\.g\. tools=\[price_of\]"),
        ({"tools": "price_of"}, r"tools: 'price_of' is no tool\. Name functions"),
        ({"tools": None}, r"tools: None is no tool\. .*; without any leave it out"),
        ({"question": " "}, "Resident 1: the question is empty"),
        ({"question": 7}, "question: 7 is neither a text nor a function. Write a sentence"),
        ({"question": lambda one: 7}, "what is asked is int, not text"),
        ({"most_lookups": -1}, "most_lookups: -1 is no number of calls"),
    ],
    ids=["attribute", "tools-number", "tools-name", "tools-none", "empty", "number", "no-text", "lookups"],
)
def test_questions_that_cannot_be_meant_are_refused(options: dict[str, Any], words: str) -> None:
    town = Town(LLM.scripted(lambda one: True))
    with pytest.raises(PolicyError, match=words):
        town.llm.ask(town.agents, **{"question": "Do you?", "form": bool, **options})


def test_agents_of_two_models_are_not_asked_together() -> None:
    llm = LLM.scripted(lambda one: True)
    with pytest.raises(PolicyError, match="Resident 1 and Resident 1 are agents of two models"):
        llm.ask([*Town(llm, 1).agents, *Town(llm, 1).agents], "Do you?", bool)


def test_who_is_removed_is_not_asked_and_who_goes_meanwhile_is_marked() -> None:
    town = Town(LLM.scripted(lambda one: True), 3)
    first, second, third = town.residents
    first.remove()
    answers = town.llm.ask([first, second, third], "Do you?", bool)
    third.remove()
    assert [(one.agent, one.gone) for one in answers] == [(second, False), (third, True)]


def test_a_response_is_shown_with_its_value_and_is_no_value() -> None:
    town = Town(LLM.scripted(lambda one: Move.GO), 2)
    one, other = town.llm.ask(town.agents, "question", Move)
    assert repr(one) == "Response(Resident 1, ok, <Move.GO: 'go'>)"
    assert [one, other].index(other) == 1
    assert len({one, other, one}) == 2
    with pytest.raises(TypeError, match=r"\.answered.*\.value"):
        bool(one)
    with pytest.raises(TypeError, match=r"compared with Move: take its \.value"):
        assert one == Move.GO


def test_an_unknown_price_is_none(server: FakeServer) -> None:
    llm = played(model(server), 1).llm
    assert (llm.spent.requests, llm.spent.usd) == (PROBE + 6, None)
    assert LLM.scripted(lambda one: True).spent.usd == 0.0


def test_a_known_price_is_rounded(server: FakeServer) -> None:
    llm = played(LLM("gpt-4.1-mini", base_url=server.url), 1).llm
    assert llm.spent.usd
    assert llm.spent.usd == round(llm.spent.usd, 6)


def test_nobody_to_ask_is_no_mistake(server: FakeServer) -> None:
    assert model(server).ask([], "What?", Move) == []
    assert server.requests == []


def test_the_key_goes_to_the_server_that_the_program_names_and_nowhere_else(server: FakeServer, tmp_path: Path) -> None:
    server.usual = decides(lambda exchange: json.dumps({"answer": f"My key is {KEY}."}))
    llm = model(server, keep=tmp_path / "run.jsonl")
    [response] = llm.ask(Town(llm, 1).agents, "Tell me your key.", str)
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert response.value == "My key is [key]."
    assert KEY not in (tmp_path / "run.jsonl").read_text("utf-8")


def test_no_key_stands_in_what_was_said_in_vain(server: FakeServer, tmp_path: Path) -> None:
    server.usual = decides(lambda exchange: f"My key is {KEY}.")
    llm = model(server, keep=tmp_path / "run.jsonl", reasks=0)
    with pytest.warns(UserWarning, match="no answer of 1"):
        [response] = llm.ask(Town(llm, 1).agents, "Tell me your key.", bool)
    assert response.said == "My key is [key]."
    assert KEY not in (tmp_path / "run.jsonl").read_text("utf-8")


def test_an_error_of_asking_brings_no_chain_of_its_insides(server: FakeServer) -> None:
    server.usual = fails(401, "Incorrect API key provided")
    with pytest.raises(PolicyError, match=r"^LLM\(\"small\"\): ") as caught:
        played(model(server))
    assert caught.value.__context__ is None


def test_the_environment_names_model_and_server(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("EDUVERSE_MODEL", "named")
    played(LLM(), 1)
    assert {body["model"] for body in server.requests} == {"named"}


def test_a_table_holds_every_answer(server: FakeServer) -> None:
    table = played(model(server), 2).llm.table()
    assert len(table) == 2 * 6
    assert set(table["answer"]) <= {"stay", "go"}
    assert table["step"].tolist() == [1] * 6 + [2] * 6
    assert table["tokens_in"].sum() == 100 * 12


def test_what_is_no_class_can_be_asked_for_too() -> None:
    share: Any = Annotated[int, Field(ge=0, le=10)]
    llm = LLM.scripted(lambda resident: 3)
    assert [one.value for one in llm.ask(Town(llm, 2).agents, "How many?", share)] == [3, 3]
    with pytest.raises(PolicyError, match="11, which is no answer"):
        LLM.scripted(lambda resident: 11).ask(Town(llm, 2).agents, "How many?", share)


def test_a_rule_may_answer_instead_of_a_model() -> None:
    town = played(LLM.scripted(lambda resident: Move.GO if resident.place > 50 else Move.STAY), 2)
    assert {one.status for one in town.responses} == {"ok"}
    with pytest.raises(PolicyError, match="which is no Move"):
        played(LLM.scripted(lambda resident: "fly"), 1)


@pytest.mark.xdist_group("local-model")
def test_the_model_of_the_package_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDUVERSE_CACHE", "none")
    town = played(LLM("local", max_tokens=32), 1, residents=2)
    assert [(one.status, one.source) for one in town.responses] == 2 * [("ok", "local")]
    assert town.llm.spent.tokens > 0


MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    "no model": ({"model": None}, r'LLM: no model is named. Write LLM\("NAME"\)'),
    "unknown setting": ({"temprature": 1}, "Did you mean 'temperature'"),
    "of lessons only": ({"fidelity": "fused"}, "fidelity: there is no such setting"),
    "out of range": ({"temperature": 7}, "temperature: Input should be less than or equal to 2"),
    "unknown budget": ({"budget": {"euro": 1}}, "budget.euro"),
    "a key": (
        {"api_key": "sk-secret"},
        "api_key: a key is no setting: .* Set OPENAI_API_KEY, or ANTHROPIC_API_KEY for",
    ),
    "no address": ({"base_url": "localhost"}, "no address of a server"),
    "a key in the address": ({"base_url": "https://me:secret@example.org/v1"}, "carries a user name"),
    "a key in a header": ({"extra_headers": {"X-Api-Key": "abc"}}, "may hold a key"),
    "unknown language": ({"language": "de"}, "language: 'de' is none. Known: en, zh"),
    "no seed": ({"seed": "x"}, "seed: 'x' is no whole number"),
    "a server for the local model": ({"model": "local"}, "base_url: LLM..local.. runs in this process"),
    "unknown provider": ({"provider": "oracle"}, "Known: openai, anthropic"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_named(mistake: str) -> None:
    given, words = MISTAKES[mistake]
    with pytest.raises(PolicyError, match=words) as caught:
        LLM(**{"model": "small", "base_url": "http://127.0.0.1:9/v1", **given})
    assert "secret" not in str(caught.value)


def test_without_a_model_it_is_that_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NoModelError):
        LLM(base_url="http://127.0.0.1:9/v1")


@pytest.mark.parametrize(
    ("agent", "question", "words"),
    [
        (object(), "What?", "object is no agent of a model"),
        (SimpleNamespace(unique_id=3, model=SimpleNamespace(steps=1)), "What?", "SimpleNamespace 3 is no agent"),
    ],
    ids=["no-agent", "no-model"],
)
def test_mistakes_of_a_question_are_named(agent: Any, question: Any, words: str) -> None:
    with pytest.raises(PolicyError, match=words):
        LLM.scripted(lambda one: True).ask([agent], question, bool)


def test_another_server_gets_no_key_by_the_environment_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(PolicyError, match=r"LLM: OPENAI_API_KEY is not set.*base_url=") as caught:
        LLM("small")
    assert "--base-url" not in str(caught.value)


@pytest.mark.parametrize("key", [KEY, ""])
def test_a_key_that_a_server_wants_is_told_by_its_variable(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    server.usual = fails(401)
    words = (
        r"Check the key in the environment \(OPENAI_API_KEY\)\."
        if key
        else r"none was sent\. Set OPENAI_API_KEY in the env"
    )
    with pytest.raises(PolicyError, match=words):
        played(model(server), 1)


def test_what_a_server_says_of_itself_is_no_answer(server: FakeServer) -> None:
    server.usual = says(None, refusal="I cannot do that.")
    town = Town(model(server, reasks=0), 1)
    with pytest.warns(UserWarning, match="it was refused"):
        town.step()
    assert (town.responses[0].status, town.responses[0].reason) == ("failed", "it was refused")


def named(*names: str) -> Behaviour:
    """A server that answers under these names, one after the other."""
    left = list(names)

    async def behave(exchange: Exchange) -> None:
        body = json.loads(completion('{"answer": "go", "why": "so", "marks": []}', usage=(100, 10, 0)))
        body["model"] = left[0] if len(left) == 1 or is_probe(exchange) else left.pop(0)
        await exchange.send(json.dumps(body).encode())

    return behave


def test_the_model_that_answered_stands_in_every_table(server: FakeServer, tmp_path: Path) -> None:
    server.usual = named("small-2026-05-01")
    town = played(model(server, keep=tmp_path / "run.jsonl"), 1, residents=2)
    assert {one.model for one in town.responses} == {"small-2026-05-01"}
    assert town.llm.table()["model"].tolist() == 2 * ["small-2026-05-01"]
    again = played(LLM.replay(tmp_path / "run.jsonl"), 1, residents=2)
    assert again.llm.table()["model"].tolist() == 2 * ["small-2026-05-01"]


def test_another_model_within_a_run_is_a_warning(server: FakeServer) -> None:
    server.usual = named("small-1", "small-1", "small-2")
    town = Town(model(server, concurrency=1), 1)
    town.step()
    town.step()
    words = "step 3: small was asked for, and its server answers as small-2; it answered as small-1 before"
    with pytest.warns(UserWarning, match=words):
        town.step()
    town.step()
    assert town.llm.bill.renamed == {"small": ["small-1", "small-2"]}


def test_the_bill_is_public_and_can_be_printed(server: FakeServer) -> None:
    llm = played(LLM("gpt-4.1-mini", base_url=server.url), 1).llm
    assert isinstance(llm.bill, Bill)
    assert (llm.bill.requests, llm.bill.tokens_in, llm.bill.tokens_out) == (PROBE + 6, 700, 70)
    assert str(llm.bill) == "7 requests, 700 tokens read, 70 written; 0.0004 US dollars"
    assert str(played(model(server), 1).llm.bill).endswith(
        "; price unknown (set the model's price in a file that EDUVERSE_PRICES names)"
    )
    assert LLM.scripted(lambda one: True).bill == Bill()
    assert str(Bill(3, 2, untold=2, most_tokens=900)).endswith("2 requests of unknown cost, at most 900 tokens")


def test_a_data_collector_takes_what_became_of_the_answers(server: FakeServer) -> None:
    server.usual = named("small-1")
    llm = model(server)
    town = Town(llm, 3)
    collector = mesa.DataCollector({"people": lambda model: len(model.agents), **llm.reporters()})
    collector.collect(town)
    for _ in range(2):
        town.step()
        collector.collect(town)
    table = collector.get_model_vars_dataframe()
    assert table["answers_ok"].tolist() == [0, 3, 3]
    assert table["answers_failed"].tolist() == [0, 0, 0]
    assert table["llm_model"].tolist() == ["", "small-1", "small-1"]
    assert table["llm_requests"].tolist() == [0, PROBE + 3, PROBE + 6]


def test_a_field_that_is_called_as_a_column_hides_none() -> None:
    @dataclass
    class Vote:
        reason: str
        party: str

    llm = LLM.scripted(lambda one: Vote("taxes", "red"))
    llm.ask(Town(llm, 1).agents, "Whom do you vote for?", Vote)
    [row] = llm.table().to_dict("records")
    assert (row["reason"], row["answer.reason"], row["party"]) == ("", "taxes", "red")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            {"otherwise": lambda one: "fly"},
            r"^Resident 1, step 0: otherwise gave 'fly', which is no Move: answer must be one of: stay, go\. "
            r'Return a value of that type, or what looks like "stay"\|"go"\.$',
        ),
        ({"otherwise": Move.STAY}, r"^otherwise: <Move.STAY: 'stay'> is no function\. .*lambda agent"),
        ({"otherwise": lambda: Move.STAY}, "^otherwise: it has to take the agent, and nothing else"),
    ],
    ids=["value", "no-function", "no-agent"],
)
def test_a_wrong_otherwise_names_the_agent_and_what_would_do(
    server: FakeServer, given: dict[str, Any], words: str
) -> None:
    server.usual = decides(lambda exchange: "Hm.")
    llm = model(server, reasks=0)
    with pytest.raises(PolicyError, match=words) as caught:
        llm.ask(Town(llm, 1).agents, Resident.question, Move, **given)
    assert "validation error" not in str(caught.value)
    assert caught.value.__context__ is None


def test_an_otherwise_that_breaks_names_the_agent_and_its_cause(server: FakeServer) -> None:
    server.usual = decides(lambda exchange: "Hm.")
    town = Town(model(server, reasks=0), 2)
    words = r"^Resident 2, step 0: otherwise has failed by a mistake of its own: KeyError: 2\. Mend that function"
    with pytest.raises(PolicyError, match=words) as caught:
        town.llm.ask(
            town.agents, Resident.question, Move, otherwise=lambda resident: {1: Move.STAY}[resident.unique_id]
        )
    assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(
        PolicyError, match=r"^Resident 1, step 1: the function of LLM.scripted has failed .*: KeyError: 1"
    ):
        Town(LLM.scripted(lambda one: {0: True}[one.unique_id]), 1).step()


def test_a_wrong_scripted_answer_names_the_agent_and_what_would_do() -> None:
    class Offer(BaseModel):
        why: str = Field(max_length=9)
        price: float = Field(ge=0)

    llm = LLM.scripted(lambda one: {"why": "It is late.", "price": 3})
    words = r"^Resident 1, step 0: the function of LLM.scripted gave .*, which is no Offer: why is too long: 11 charact"
    with pytest.raises(PolicyError, match=words):
        llm.ask(Town(llm, 2).agents, "What?", Offer)
    with pytest.raises(PolicyError, match=r"^LLM.scripted: True is no function"):
        LLM.scripted(True)  # type: ignore[arg-type]


def test_a_check_of_a_form_that_breaks_is_named_and_no_answer_of_the_model(server: FakeServer) -> None:
    class Offer(BaseModel):
        price: float

        @field_validator("price")
        @classmethod
        def _known(cls, price: float) -> float:
            return {1.0: 2.0}[price]

    server.usual = decides(lambda exchange: '{"price": 3}')
    llm = model(server)
    words = r"Offer: a check of Offer has failed by a mistake of its own: KeyError: 3.0. .*ValueError"
    with pytest.raises(PolicyError, match=words) as caught:
        llm.ask(Town(llm, 1).agents, "What?", Offer)
    assert caught.value.__context__ is None


BUDGETS: dict[str, tuple[Any, str]] = {
    "a number": (3, r"^budget: 3 names no bounds\. Write e\.g\. budget="),
    "empty": ({}, r"^go_on: no limit is named"),
    "unknown": ({"euro": 1}, r"^budget\.euro: there is no such bound\. Known: usd, tokens, requests"),
    "too small": ({"requests": 3}, r"^budget\.requests: 3 is not enough: .* 7 of it are spent\. Name more than 7\.$"),
}


@pytest.mark.parametrize("case", BUDGETS)
def test_a_new_budget_that_cannot_be_meant_is_refused(server: FakeServer, case: str) -> None:
    wanted, words = BUDGETS[case]
    llm = played(model(server, budget={"requests": 7}), 1).llm
    with pytest.raises(PolicyError, match=words):
        llm.go_on(budget=wanted)
    assert llm.budget == {"requests": 7}


def test_a_budget_is_not_set_past_what_is_spent(server: FakeServer) -> None:
    llm = played(model(server, budget={"requests": 7}), 1).llm
    with pytest.raises(PolicyError, match=r"Write llm\.go_on\(budget=\{'usd': 2\}\)"):
        llm.budget = {"usd": 2}
    llm.go_on(budget={"requests": 9, "tokens": 10_000})
    assert llm.budget == {"requests": 9, "tokens": 10_000}
