"""Each fault of a server ends in the right way, and harms no other call."""

from __future__ import annotations

import asyncio
import json
import socket
import traceback

import pytest

from eduverse_mesa.policies.llm.calling import Backoff, Breaker, Caller, Deadlines, Endpoint, Ledger
from eduverse_mesa.policies.llm.calls import CallFailedError
from tests.policies.llm.calling.kit import KEY, Pauses, ask, calling, outcome, run
from tests.policies.llm.fake_server import (
    Behaviour,
    Exchange,
    FakeServer,
    completion,
    drips,
    echoes,
    ends,
    fails,
    hangs_up,
    head,
    says,
    sends,
    silent,
)

_DATE = "Thu, 21 Oct 2055 07:28:00 GMT"
_HALF = head(500) + b'{"choices": ['
_QUICK = Deadlines(connect=5, read=0.3, attempt=0.6, total=100)
_PATIENT = Deadlines(connect=10, read=2, attempt=4, total=1000)
"""Two dozen calls at once on cores that others keep busy: no answer is late that only had to wait."""

PASSING: dict[str, Behaviour] = {
    "429": fails(429),
    "429 seconds": fails(429, retry_after="3"),
    "429 date": fails(429, retry_after=_DATE),
    "429 absurd": fails(429, retry_after="1e12"),
    "429 negative": fails(429, retry_after="-5"),
    "429 words": fails(429, retry_after="soon"),
    "500": fails(500),
    "502": sends(b"<html>bad gateway</html>", 502),
    "503": fails(503, retry_after="1"),
    "504": fails(504),
    "529": fails(529),
    "408": fails(408),
    "reset before headers": hangs_up(),
    "closed before headers": ends(b""),
    "reset in the headers": hangs_up(b"HTTP/1.1 200 O"),
    "reset mid-body": hangs_up(_HALF),
    "closed mid-body": ends(_HALF),
    "silent": silent(),
    "drips": drips(0.05),
    "truncated JSON": sends(completion("hello")[:-20]),
    "web page": sends(b"<!doctype html><html><body>Welcome</body></html>", 200, content_type="text/html"),
    "empty body": sends(b""),
    "no object": sends(b"[1, 2]"),
    "null choices": sends(b'{"choices": null}'),
    "no choices": sends(b'{"choices": []}'),
    "deep nesting": sends(b"[" * 100_000),
    "no HTTP": ends(b"SSH-2.0-OpenSSH_9.6\r\n\r\n"),
    "error with status 200": sends(b'{"error": {"code": 503, "message": "supplier down"}}'),
}
"""Faults that pass: another attempt may succeed."""

FINAL: dict[str, tuple[Behaviour, str, str]] = {
    "400": (fails(400, "bad thing"), "call", "refused the request (HTTP 400): bad thing"),
    "401": (fails(401, f"Incorrect API key provided: {KEY}"), "account", "does not accept the key"),
    "402": (fails(402), "account", "quota"),
    "403": (fails(403), "account", "may not use"),
    "404": (fails(404, "no such model"), "account", "no such model"),
    "413": (fails(413), "call", "longer than"),
    "422": (fails(422, "odd"), "call", "refused the request (HTTP 422): odd"),
    "redirect": (sends(b"", 307, location="http://127.0.0.1:1/"), "endpoint", "HTTP 307"),
    "405": (fails(405, "Method Not Allowed"), "endpoint", "HTTP 405"),
    "request too large": (
        fails(429, "Request too large for m on tokens per min (TPM): Limit 3, Requested 4.", "rate_limit_exceeded"),
        "call",
        "too large for the account: Request too large for m on tokens per min (TPM): Limit 3, Requested 4",
    ),
    "422 of FastAPI": (
        sends(b'{"detail": [{"type": "missing", "loc": ["body", "messages"], "msg": "Field required"}]}', 422),
        "call",
        "messages: Field required",
    ),
    "too long": (fails(400, "x", "context_length_exceeded"), "call", "longer than the model's context"),
    "too long, in words": (
        fails(400, "This model's maximum context length is 4096 tokens"),
        "call",
        "longer than the model's context",
    ),
    "quota": (fails(429, "You exceeded your current quota", "insufficient_quota"), "account", "quota"),
    "too large": (sends(b" " * (9 * 2**20)), "call", "larger than 8 MB"),
    "quota with status 200": (sends(b'{"error": {"code": 402, "message": "pay"}}'), "account", "quota"),
}
"""Faults that stay: nobody tries again."""


@pytest.mark.parametrize("name", PASSING)
def test_a_fault_that_passes_is_tried_again(name: str) -> None:
    async def work() -> None:
        server = FakeServer([PASSING[name]], echoes())
        ledger = Ledger(tokens=10_000)
        async with calling(server, deadlines=_QUICK) as (caller, _):
            answer = await caller.complete(ask(), ledger)
        assert answer.text == "hello"
        assert answer.usage.calls == 2
        assert len(server.requests) == ledger.spent.requests == 2
        assert ledger.held.tokens == 0
        assert caller.meter.retries == 1
        assert caller.meter.failures.total() == 1

    run(work())


@pytest.mark.parametrize("name", FINAL)
def test_a_fault_that_stays_is_said_once(name: str) -> None:
    async def work() -> None:
        behave, trouble, words = FINAL[name]
        server = FakeServer([behave], echoes())
        async with calling(server) as (caller, pauses):
            failure = await outcome(caller.complete(ask()))
            assert isinstance(failure, CallFailedError)
            assert failure.trouble == trouble
            assert words in failure.reason
            assert failure.attempts == len(server.requests) == 1
            assert pauses.seconds == []
            assert KEY not in "".join(traceback.format_exception(failure)) + failure.mend
            # The next call is not harmed.
            answer = await caller.complete(ask("next"))
            assert answer.text == "next"

    run(work())


@pytest.mark.parametrize(
    ("asked", "least", "most"),
    [("3", 3, 3.5), ("-5", 0, 0.5), ("1e12", 60, 60.5), (_DATE, 60, 60.5), ("nan", 0, 0.5), ("", 0, 0.5)],
    ids=[
        "seconds",
        "negative",
        "absurd",
        "date",
        "no number",
        "nothing",
    ],  # not by value: the date is another each time
)
def test_a_server_is_given_the_time_that_it_asks_for(asked: str, least: float, most: float) -> None:
    async def work() -> None:
        server = FakeServer([fails(429, retry_after=asked)], echoes())
        async with calling(server) as (caller, pauses):
            await caller.complete(ask())
        [pause] = pauses.seconds
        assert least <= pause <= most

    run(work())


def test_attempts_end() -> None:
    async def work() -> None:
        server = FakeServer(usual=fails(503))
        async with calling(server, breaker=Breaker(after=100)) as (caller, pauses):
            failure = await outcome(caller.complete(ask()))
        assert isinstance(failure, CallFailedError)
        assert (failure.trouble, failure.attempts) == ("call", 5)
        assert failure.reason == "the server failed (HTTP 503)"
        assert pauses.seconds == [0.25, 0.5, 1.0, 2.0]

    run(work())


def test_the_total_deadline_ends_attempts() -> None:
    async def work() -> None:
        server = FakeServer(usual=fails(503))
        deadlines = Deadlines(total=1.2)
        pauses = Pauses()
        options = {"deadlines": deadlines, "backoff": Backoff(draw=lambda: 1.0), "clock": pauses.clock}
        async with calling(server, pauses=pauses, **options) as (caller, _):
            failure = await outcome(caller.complete(ask()))
        assert isinstance(failure, CallFailedError)
        assert failure.attempts == 2  # the second pause would be longer than the time that is left
        assert pauses.seconds == [0.5]

    run(work())


def test_a_server_that_is_not_there() -> None:
    async def work() -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))  # bound, and nobody listens
            port = taken.getsockname()[1]
            caller = Caller(Endpoint(f"http://127.0.0.1:{port}/v1", KEY), sleep=Pauses())
            ledger = Ledger(tokens=1000)
            failure = await outcome(caller.complete(ask(), ledger))
            await caller.aclose()
        assert isinstance(failure, CallFailedError)
        assert failure.trouble == "endpoint"
        assert "cannot be reached" in failure.reason
        assert str(port) not in failure.reason
        assert f"Nobody answers at 127.0.0.1:{port}: check host and port of the base URL" in failure.mend
        assert ledger.spent.tokens == 0  # nothing arrived, so nothing can be charged

    run(work())


def test_connecting_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(*args: object, **kwargs: object) -> None:
        await asyncio.Event().wait()

    async def work() -> None:
        server = FakeServer()
        deadlines = Deadlines(connect=0.05)
        async with calling(server, deadlines=deadlines, backoff=Backoff(attempts=2)) as (caller, _):
            # No address swallows a connection on every machine, so the loop does.
            monkeypatch.setattr("aiohttp.connector.aiohappyeyeballs.start_connection", never)
            failure = await outcome(caller.complete(ask()))
        assert isinstance(failure, CallFailedError)
        assert (failure.trouble, failure.attempts) == ("endpoint", 2)
        assert failure.reason == "connecting took too long"
        assert "http or https included, and that the server at 127.0.0.1:" in failure.mend

    run(work())


def test_what_may_have_been_charged_counts_and_what_cannot_does_not() -> None:
    async def spent(behave: Behaviour) -> tuple[int, int]:
        server = FakeServer([behave])
        ledger = Ledger(tokens=10_000)
        async with calling(server, deadlines=_QUICK, backoff=Backoff(attempts=1, limited_attempts=1)) as (caller, _):
            await outcome(caller.complete(ask(), ledger))
        assert ledger.held.tokens == 0
        assert ledger.spent.requests == 1
        return ledger.spent.tokens, ledger.bill.untold

    for name in ("500", "429", "503", "502"):
        assert run(spent(PASSING[name])) == (0, 0), name
    for name in ("silent", "drips", "reset mid-body", "truncated JSON", "null choices"):
        tokens, unaccounted = run(spent(PASSING[name]))
        assert tokens > 50, name
        assert unaccounted == 1, name
    assert run(spent(says("hi", usage=None)))[1] == 1
    assert run(spent(says("hi", usage=(10, 5, 0)))) == (15, 0)


CONTENT: dict[str, tuple[Behaviour, str, str]] = {
    "cut off": (says('{"a": "b', finish="length"), '{"a": "b', "length"),
    "empty": (says(""), "", "stop"),
    "null": (says(None), "", "stop"),
    "refusal": (says(None, refusal="I cannot."), "I cannot.", "refused"),
    "filtered": (says("", finish="content_filter"), "", "refused"),
    "parts": (sends(b'{"choices": [{"message": {"content": [{"text": "a"}, {"text": "b"}, 3]}}]}'), "ab", "stop"),
    "no message": (sends(b'{"choices": [{}]}'), "", "stop"),
    "NaN": (says('{"score": NaN}'), '{"score": NaN}', "stop"),
    "nested": (says("[" * 10_000), "[" * 10_000, "stop"),
    "1 MB": (says("x" * 2**20), "x" * 2**20, "stop"),
    "half character": (sends(b'{"choices": [{"message": {"content": "a\\ud800b"}}]}'), "a\ufffdb", "stop"),
    "whole character": (sends(b'{"choices": [{"message": {"content": "\\ud83d\\ude00"}}]}'), "😀", "stop"),
    "bytes that are no text": (sends(b'{"choices": [{"message": {"content": "a\xffb"}}]}'), "a\ufffdb", "stop"),
    "NaN in the envelope": (sends(b'{"x": NaN, "choices": [{"message": {"content": "a"}}]}'), "a", "stop"),
    "odd usage": (sends(b'{"choices": [{"message": {"content": "a"}}], "usage": {"prompt_tokens": -1}}'), "a", "stop"),
}
"""What a model says is for the reader to judge; the transport hands it on as it is."""


@pytest.mark.parametrize("name", CONTENT)
def test_content_is_handed_on(name: str) -> None:
    async def work() -> None:
        behave, text, finish = CONTENT[name]
        server = FakeServer([behave])
        async with calling(server) as (caller, _):
            answer = await caller.complete(ask())
        assert (answer.text, answer.finish) == (text, finish)
        assert answer.text.encode("utf-8").decode() == answer.text

    run(work())


def test_a_fault_harms_no_other_call() -> None:
    async def work() -> None:
        faults = [*PASSING.items()]

        async def usual(exchange: Exchange) -> None:
            # Each question meets its fault the first time that it is asked.
            for place, (name, behave) in enumerate(faults):
                if exchange.question == name:
                    del faults[place]
                    await behave(exchange)
                    return
            await echoes()(exchange)

        server = FakeServer(usual=usual)
        ledger = Ledger(tokens=10**6)
        async with calling(server, deadlines=_PATIENT, start=64) as (caller, _):
            names = [*PASSING, *(f"healthy {number}" for number in range(20))]
            answers = await asyncio.gather(*(caller.complete(ask(name), ledger) for name in names))
        assert [answer.text for answer in answers] == names
        assert all(answer.usage.calls == 1 for answer in answers[len(PASSING) :])
        assert ledger.spent.requests == len(server.requests) == len(names) + len(PASSING)
        assert (ledger.held.tokens, ledger.held.requests) == (0, 0)

    run(work())


def test_the_excerpt_of_an_error_is_short_clean_and_without_the_key() -> None:
    async def work() -> None:
        message = f"bad\nkey {KEY}\u202e and sk-other-0123456789 " + "long " * 100
        server = FakeServer([sends(json.dumps({"error": {"message": message}}).encode(), 400)])
        async with calling(server) as (caller, _):
            failure = await outcome(caller.complete(ask()))
        assert isinstance(failure, CallFailedError)
        assert failure.reason.startswith("the server refused the request (HTTP 400): bad key [key] and [key] long")
        assert failure.reason.isprintable()
        assert len(failure.reason) <= 200  # as long as a reason in the log may be

    run(work())
