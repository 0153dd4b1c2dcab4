"""A server that says 429: its words are told, its pauses bounded, and where it says nothing else, that is the end."""

from __future__ import annotations

import asyncio
import json

import pytest

from eduverse_mesa.policies.llm.calling import Backoff, Deadlines
from eduverse_mesa.policies.llm.calls import CallFailedError, Completion
from tests.policies.llm.calling.kit import KEY, Pauses, ask, calling, outcome, run
from tests.policies.llm.fake_server import Behaviour, FakeServer, echoes, fails, sends

EXHAUSTED = {"error": {"code": 429, "message": "Resource has been exhausted.", "status": "RESOURCE_EXHAUSTED"}}
GEMINI: dict[str, Behaviour] = {
    "an object": sends(json.dumps(EXHAUSTED).encode(), 429),
    "a list": sends(json.dumps([EXHAUSTED]).encode(), 429),
}


@pytest.mark.parametrize("form", GEMINI)
def test_a_limit_for_good_is_the_servers_trouble_with_its_words_and_a_mend(form: str) -> None:
    async def work() -> None:
        server = FakeServer(usual=GEMINI[form])
        pauses = Pauses()
        async with calling(server, pauses=pauses, clock=pauses.clock) as (caller, _):
            failure = await outcome(caller.complete(ask()))
        assert isinstance(failure, CallFailedError)
        assert failure.trouble == "endpoint"
        assert failure.reason == "the server's rate limit: Resource has been exhausted"
        assert "llm.concurrency" in failure.mend
        assert len(server.requests) <= Backoff().limited_attempts
        assert sum(pauses.seconds) < Deadlines().total

    run(work())


def test_a_limit_that_others_get_past_is_that_calls_own() -> None:
    async def work() -> None:
        pauses = Pauses()
        backoff = Backoff(limited_attempts=3, draw=lambda: 0.5)
        server = FakeServer([fails(429), echoes(), fails(429), fails(429)], echoes())
        async with calling(server, pauses=pauses, clock=pauses.clock, backoff=backoff, start=1) as (caller, _):
            results = await asyncio.gather(*(outcome(caller.complete(ask(name))) for name in "ab"))
        [failure] = [one for one in results if isinstance(one, CallFailedError)]
        assert failure.trouble == "call"
        assert len([one for one in results if isinstance(one, Completion)]) == 1

    run(work())


@pytest.mark.parametrize("asked", ["1e9", "3600", "30"])
def test_a_pause_holds_no_call_beyond_its_deadline(asked: str) -> None:
    """Neither the one that hears of it nor those that wait beside it."""

    async def work() -> None:
        pauses = Pauses()
        server = FakeServer(usual=fails(429, "slow down", retry_after=asked))
        options = {"deadlines": Deadlines(total=20), "clock": pauses.clock, "start": 1}
        async with calling(server, pauses=pauses, **options) as (caller, _):
            async with asyncio.timeout(30):
                failures = await asyncio.gather(*(outcome(caller.complete(ask(f"{number}"))) for number in range(8)))
        wait = "a day or more" if asked == "1e9" else f"{asked} s"
        reason = f"the server's rate limit: slow down; it asks for a wait of {wait}, and a call has 20 s in all"
        assert {one.reason for one in failures if isinstance(one, CallFailedError)} == {reason}
        assert len(server.requests) == 1, "nobody who cannot wait asks"
        assert pauses.seconds == []

    run(work())


def test_who_waits_beside_a_call_that_is_refused_for_good_does_not_begin_anew() -> None:
    """Eight calls, one after the other, took eight times as long as a call may take."""

    async def work() -> None:
        pauses = Pauses()
        server = FakeServer(usual=fails(429, "slow down", retry_after="30"))
        async with calling(server, pauses=pauses, clock=pauses.clock, start=1) as (caller, _):
            for number in range(8):
                failure = await outcome(caller.complete(ask(f"{number}")))
                assert isinstance(failure, CallFailedError)
                assert failure.trouble == "endpoint"
        assert sum(pauses.seconds) <= Deadlines().total + 60
        assert len(server.requests) < 2 * Backoff().limited_attempts + 8

    run(work())


def test_words_of_a_limit_hold_no_fragment_of_the_key() -> None:
    async def work() -> None:
        server = FakeServer(usual=fails(429, f"limit of key {KEY[4:]} reached", retry_after="1e9"))
        async with calling(server, deadlines=Deadlines(total=5)) as (caller, _):
            failure = await outcome(caller.complete(ask()))
        assert isinstance(failure, CallFailedError)
        assert failure.reason.startswith("the server's rate limit: limit of key [key] reached; it asks for")

    run(work())


LESS = {
    "OpenAI": "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000. The input or output "
    "tokens must be reduced in order to run successfully.",
    "Groq": "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 7000, please reduce "
    "your message size and try again.",
}


@pytest.mark.parametrize("maker", LESS)
def test_a_request_that_is_too_large_is_no_limit_to_wait_for(maker: str) -> None:
    async def work() -> None:
        server = FakeServer([fails(429, LESS[maker], "rate_limit_exceeded", retry_after="3")], echoes())
        async with calling(server, start=8) as (caller, pauses):
            failure = await outcome(caller.complete(ask()))
            assert isinstance(failure, CallFailedError)
            assert (failure.trouble, failure.attempts, pauses.seconds) == ("call", 1, [])
            assert LESS[maker][:80] in failure.reason
            assert "max_tokens" in failure.mend
            assert caller.limiter.limit == 8, "others are not slowed down by it"

    run(work())
