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

QUESTION = (Message("system", "Be brief."), Message("user", "Hello?"))
CALL = Call("model", QUESTION, Sampling(0.5, 0.9, 50, 0.2, seed=7))


def openai_error(message: str, param: str, code: str) -> Any:
    """As api.openai.com and Azure send it."""
    return {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}}


def unsupported(name: str) -> Any:
    """The error of OpenAI's reasoning models."""
    return openai_error(
        f"Unsupported parameter: '{name}' is not supported with this model.", name, "unsupported_parameter"
    )


def unknown_names(*names: str) -> Any:
    """The error of Gemini's compatible endpoint: a list of one."""
    lines = [f'Invalid JSON payload received. Unknown name "{name}": Cannot find field.' for name in names]
    return [{"error": {"code": 400, "message": "\n".join(lines), "status": "INVALID_ARGUMENT"}}]


def extra_forbidden(name: str) -> Any:
    """The error of servers that check with pydantic."""
    return [{"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs are not permitted", "input": 0.2}]


ONLY_ONE = "`temperature` and `top_p` cannot both be specified for this model. Please use only one."
ALTERNATE = "Conversation roles must alternate user/assistant/user/assistant/..."

FAMILIES: dict[str, dict[Any, tuple[int, Any]]] = {
    # diffbot/code-gpt-docs#445, tmc/langchaingo#1355
    "gpt-5": {
        "max_tokens": (400, openai_error(
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead.", "max_tokens", "unsupported_parameter")),
        "temperature": (400, openai_error(
            "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is "
            "supported.", "temperature", "unsupported_value")),
        "top_p": (400, unsupported("top_p")),
        "frequency_penalty": (400, unsupported("frequency_penalty")),
    },
    # openai/openai-python#2072: `param` names the model, and the words name the parameter
    "o3-mini": {
        "temperature": (400, openai_error(
            "Unsupported parameter: 'temperature' is not supported with this model.", "model",
            "unsupported_parameter")),
        "top_p": (400, unsupported("top_p")),  # aandrew-me/tgpt#333, lobehub/lobehub#7747
    },
    # SalesforceAIResearch/MCP-Universe#49, Vali-98/ChatterUI#564
    "claude": {
        ("temperature", "top_p"): (400, {
            "type": "error", "error": {"type": "invalid_request_error", "message": ONLY_ONE}}),
    },
    # Vali-98/ChatterUI#227
    "gemini-2.0": {("frequency_penalty", "seed"): (400, unknown_names("frequency_penalty", "seed"))},
    # vercel/ai#8943, PublicAffairs/openai-gemini#63
    "gemini-2.5": {
        "frequency_penalty": (400, [{"error": {
            "code": 400, "message": "Penalty is not enabled for models/gemini-2.5-flash",
            "status": "INVALID_ARGUMENT"}}]),
    },
    # QuantumNous/new-api#6081, BerriAI/litellm#16265: `error` is the text, `code` stands beside it
    "grok-4": {
        "frequency_penalty": (400, {
            "code": "Client specified an invalid argument",
            "error": "Model grok-4 does not support parameter frequencyPenalty."}),
    },
    # editor-code-assistant/eca#231: `message` is an object
    "mistral": {"seed": (422, {
        "object": "error", "message": {"detail": extra_forbidden("seed")}, "type": "invalid_request_error"})},
    # mistralai/platform-docs-public#7: `message` is JSON in a text
    "mistral, earlier": {"frequency_penalty": (422, {
        "object": "error", "message": json.dumps({"detail": extra_forbidden("frequency_penalty")}), "code": "1000"})},
    # NVIDIA/garak#748
    "nvidia nim": {"frequency_penalty": (422, {
        "title": "Unprocessable Entity", "status": 422,
        "detail": "body -> frequency_penalty\n  Extra inputs are not permitted (type=extra_forbidden)"})},
    # BerriAI/litellm#7748: a gateway
    "litellm": {"frequency_penalty": (400, {"error": {"message": (
        "litellm.UnsupportedParamsError: gemini does not support parameters: {'frequency_penalty': 0.5}")}})},
    # the form of any server built on FastAPI: fastapi.tiangolo.com, "Handling Errors"
    "fastapi": {"top_p": (422, {"detail": extra_forbidden("top_p")})},
}  # fmt: skip
"""By model: the parts that it refuses, alone or together, and the error as it was published."""

SYSTEM = {
    # animalnots/BetterChatGPT-PLUS#90
    "o1-mini": (400, openai_error(
        "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
        "messages[0].role", "unsupported_value")),
    # suitenumerique/conversations#197
    "gemma 3, vLLM": (400, {"error": {"message": f"{ALTERNATE} {ALTERNATE}", "type": "BadRequestError", "code": 400}}),
    # anomalyco/opencode#5034: llama.cpp says it with a 500
    "ministral, llama.cpp": (500, {"error": {
        "code": 500, "message": "Only user, assistant and tool roles are supported, got system"}}),
    # Gemma at Google, from memory: no public place was found
    "gemma at Google": (400, [{"error": {
        "code": 400, "message": "Developer instruction is not enabled for models/gemma-3-27b-it",
        "status": "INVALID_ARGUMENT"}}]),
}  # fmt: skip


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
