"""Addresses and keys."""

from __future__ import annotations

import logging
import subprocess
import sys
import traceback

import pytest

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.llm.calling import Backoff, Caller, Deadlines, Endpoint
from eduverse_mesa.policies.llm.calling.failures import AttemptFailedError
from eduverse_mesa.policies.llm.calls import Completion
from tests.policies.llm.calling.kit import KEY, ask, calling, outcome, run
from tests.policies.llm.fake_server import FakeServer, drips, echoes, fails, hangs_up, sends


@pytest.mark.parametrize("url", ["http://h/v1", "https://h:8443", " https://h/v1/ ", "http://[::1]:8000/v1"])
def test_addresses(url: str) -> None:
    assert Endpoint(url).base_url == url.strip().rstrip("/")


@pytest.mark.parametrize("url", ["", "h/v1", "ftp://h", "http://", "file:///etc/passwd", "http://h:99999", "http://["])
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(PolicyError, match="no address"):
        Endpoint(url)


@pytest.mark.parametrize(
    "url", ["http://me:secret@h/v1", "http://me@h", "http://h/v1?api-key=secret", "http://h#secret"]
)
def test_an_address_holds_no_secrets(url: str) -> None:
    with pytest.raises(PolicyError, match="end up in logs") as caught:
        Endpoint(url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("key", ["sk-a\nb", "sk-a b", "sk-é"])
def test_a_key_that_is_none(key: str) -> None:
    with pytest.raises(PolicyError, match="characters that no key has") as caught:
        Endpoint("http://h", key)
    assert key not in str(caught.value)


def _everything(error: BaseException) -> list[str]:
    """All that can be read from an error and from those that hang on to it."""
    texts = ["".join(traceback.format_exception(error))]
    one: BaseException | None = error
    while one is not None:
        texts += [str(one), repr(one), repr(vars(one))]
        one = one.__cause__ or one.__context__
    return texts


def test_the_key_is_found_nowhere(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    async def work() -> list[str]:
        echo = sends(f'{{"error": {{"message": "your key is {KEY}"}}}}'.encode(), 400)
        script = [fails(401, KEY), echo, hangs_up(), drips(0.01), sends(f"<html>{KEY}</html>".encode()), echoes()]
        server = FakeServer(script, fails(503, KEY))
        seen = []
        async with calling(server, backoff=Backoff(attempts=2), deadlines=Deadlines(attempt=0.5)) as (caller, _):
            for number in range(5):
                result = await outcome(caller.complete(ask(str(number))))
                seen += [repr(result)] if isinstance(result, Completion) else _everything(result)
            return [*seen, repr(caller.endpoint), repr(caller.meter), repr(vars(caller.meter))]

    seen = run(work())
    assert len(seen) > 15
    assert KEY not in "".join(seen)
    assert KEY not in caplog.text


def test_importing_needs_no_client() -> None:
    code = (
        "import sys, eduverse_mesa.policies.llm.calling as calling\n"
        "loaded = {'openai', 'aiohttp', 'httpx2', 'httpx'} & set(sys.modules)\n"
        "assert not loaded, loaded\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_the_client_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "eduverse_mesa.policies.llm.calling.transport", None)

    async def work() -> None:
        async with calling(FakeServer()) as (caller, _):
            with pytest.raises(PolicyError, match=r"pip install 'eduverse-mesa\[llm\]'"):
                await caller.complete(ask())

    run(work())


def test_without_a_key_none_is_sent() -> None:
    async def work() -> None:
        server = FakeServer(usual=echoes())
        async with server.running():
            caller = Caller(Endpoint(server.url))
            await caller.complete(ask())
            await caller.aclose()
        assert "authorization" not in server.headers[0]

    run(work())


def test_whatever_else_the_client_sends_goes_the_same_way() -> None:
    from eduverse_mesa.policies.llm.calling.transport import Client

    async def work() -> None:
        server = FakeServer([sends(b'{"data": [{"id": "m"}], "object": "list"}'), sends(b" " * (9 * 2**20))])
        async with server.running(), Client(server.url, KEY, Deadlines()) as client:
            assert [model.id async for model in client.models.list()] == ["m"]
            with pytest.raises(AttemptFailedError, match="larger than 8 MB"):
                await client.models.list()
        assert server.headers[0]["authorization"] == f"Bearer {KEY}"
        assert not [name for name in server.headers[0] if name.startswith("x-stainless-os")]

    run(work())
