"""An address that is nearly right: what is probably wrong about it is told, and no key goes where it points."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.policies.llm.calling import Backoff, Caller, Endpoint, Extras
from eduverse_mesa.policies.llm.calling.failures import Failure, failed_address
from eduverse_mesa.policies.llm.calls import CallFailedError
from tests.policies.llm.calling.kit import KEY, Pauses, ask, outcome, run
from tests.policies.llm.fake_server import FakeServer, echoes, fails, sends


def failed_at(server: FakeServer, path: str) -> CallFailedError:
    """What a call to a path of this server says."""

    async def work() -> CallFailedError:
        async with server.running():
            caller = Caller(Endpoint(server.url.removesuffix("/v1") + path, KEY), sleep=Pauses())
            failure = await outcome(caller.complete(ask()))
            await caller.aclose()
        assert isinstance(failure, CallFailedError)
        return failure

    return run(work())


def lost(url: str, **options: Any) -> CallFailedError:
    """The failure of a call to an address at which nobody is."""

    async def work() -> CallFailedError:
        caller = Caller(Endpoint(url, KEY, **options), sleep=Pauses(), backoff=Backoff(attempts=1))
        failure = await outcome(caller.complete(ask()))
        await caller.aclose()
        assert isinstance(failure, CallFailedError)
        return failure

    return run(work())


def test_a_host_without_an_address_is_named() -> None:
    failure = lost("https://nobody.invalid:8443/v1")
    assert failure.reason == "the server cannot be reached", "a log of answers holds no address"
    assert failure.mend == "There is no machine called nobody.invalid: check the base URL, and the network."


@pytest.mark.parametrize(
    ("address", "place"), [("http://[::1]:9/v1", "[::1]:9"), ("http://127.0.0.1/v1", "127.0.0.1:80")]
)
def test_an_address_at_which_nobody_listens_is_named_with_its_port(address: str, place: str) -> None:
    assert lost(address).mend.startswith(f"Nobody answers at {place}: ")


def test_a_key_in_the_place_of_a_host_is_not_repeated() -> None:
    assert KEY not in lost(f"http://{KEY}.invalid/v1").mend


def test_a_proxy_that_is_gone_is_named_without_its_password() -> None:
    failure = lost("http://127.0.0.1:8/v1", extras=Extras(proxy="http://me:secret@127.0.0.1:9"))
    assert failure.reason == "the proxy cannot be reached"
    assert failure.mend == "Nobody answers at 127.0.0.1:9: check the proxy (EDUVERSE_PROXY)."


@pytest.mark.parametrize(
    ("key", "address", "told"),
    [
        (KEY, "", "the server does not accept the key. Check the key in the environment (OPENAI_API_KEY)."),
        (
            "",
            "",
            "the server wants a key, and none was sent. Set OPENAI_API_KEY in the environment; a key is sent only to "
            "the address that it is for, such as that in OPENAI_BASE_URL.",
        ),
    ],
)
def test_a_key_that_is_wrong_or_missing_is_told_with_its_variable(key: str, address: str, told: str) -> None:
    async def work() -> None:
        server = FakeServer(usual=fails(401))
        async with server.running():
            caller = Caller(Endpoint(server.url, key), sleep=Pauses())
            failure = await outcome(caller.complete(ask()))
            await caller.aclose()
        assert isinstance(failure, CallFailedError)
        assert f"{failure.reason}. {failure.mend}" == told

    run(work())


def test_azures_key_is_told_with_both_of_its_variables() -> None:
    assert Endpoint("https://me.openai.azure.com/openai/v1").key_variable == "AZURE_OPENAI_API_KEY or OPENAI_API_KEY"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_and_says_what_is_missing(status: int) -> None:
    async def work() -> None:
        async with FakeServer(usual=echoes()).running() as other:
            server = FakeServer(usual=sends(b"", status, location=f"{other.url}/chat/completions"))
            async with server.running():
                caller = Caller(Endpoint(server.url.removesuffix("/v1"), KEY), sleep=Pauses())
                failure = await outcome(caller.complete(ask()))
                await caller.aclose()
            assert isinstance(failure, CallFailedError)
            assert failure.trouble == "endpoint"
            assert failure.reason == f"the server points to another address (HTTP {status})"
            assert "/v1" in failure.mend
            assert len(server.requests) == 1
            assert other.requests == []

    run(work())


def test_http_for_https_is_told() -> None:
    server = FakeServer(usual=sends(b"", 308, location="https://127.0.0.1/v1/chat/completions"))
    assert f"Write the base URL with https: https://127.0.0.1:{server.port or ''}"[:45] in failed_at(server, "/v1").mend


def test_another_host_is_named_and_not_asked() -> None:
    server = FakeServer(usual=sends(b"", 302, location=f"https://{KEY}.login.example/v1?key={KEY}"))
    mend = failed_at(server, "/v1").mend
    assert "login.example" in mend
    assert KEY not in mend


@pytest.mark.parametrize("status", [404, 405])
def test_a_path_too_much_or_too_few_is_told(status: int) -> None:
    told = json.dumps({"detail": "Method Not Allowed"}).encode()
    whole = failed_at(FakeServer(usual=sends(told, status)), "/v1/chat/completions")
    assert "Leave /chat/completions out" in whole.mend
    bare = failed_at(FakeServer(usual=sends(told, status)), "")
    assert "/v1" in bare.mend
    assert "Method Not Allowed" in bare.reason


@pytest.mark.parametrize("location", ["", "http://[", "//", "?", "https://"])
def test_a_place_that_is_none_does_no_harm(location: str) -> None:
    assert failed_at(FakeServer(usual=sends(b"", 301, location=location)), "/v1").mend == "Check the base URL."


def test_a_missing_model_is_said_in_the_servers_words() -> None:
    failure = failed_at(FakeServer(usual=fails(404, 'model "x" not found, try pulling it first')), "/v1")
    assert "try pulling it first" in failure.reason


@given(
    location=st.text() | st.text().map(lambda text: f"https://{text}") | st.just(f"//{KEY}:{KEY}@h:1/{KEY}"),
    status=st.sampled_from([301, 302, 307, 308, 404, 405]),
    path=st.sampled_from(["", "/v1", "/v1/chat/completions"]),
)
def test_whatever_a_server_points_to_the_line_is_short_and_holds_no_key(location: str, status: int, path: str) -> None:
    told = failed_address(Failure("refused", "x", status=status), f"http://h{path}", location, KEY)
    assert KEY not in told.mend
    assert told.mend.isprintable()
    assert len(told.mend) < 300
    assert told.mend or status == 404
