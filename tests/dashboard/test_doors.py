"""Who gets in: tokens, cookies, foreign pages, and the headers on everything. The server is really running."""

from __future__ import annotations

import asyncio
import http.client
import re
import socket
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit
from uuid import uuid4

import pytest
from aiohttp import ClientSession, CookieJar, WSServerHandshakeError
from yarl import URL

from tests.browser import Dashboard
from tests.cli.commands import refusal

pytestmark = pytest.mark.xdist_group("browser-doors")

TOKEN = "a-token-for-the-test"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A dashboard that asks for a token."""
    served = Dashboard(tmp_path_factory.mktemp("guarded"), EDUVERSE_TOKEN=TOKEN)
    yield served
    served.close()


def finish(work: Coroutine[Any, Any, Any]) -> Any:
    """Run it in a thread of its own: Playwright keeps a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def ask(address: str, path: str | URL, *, method: str = "GET", cookies: CookieJar | None = None, **given: Any) -> Any:
    """A request without a browser: status, headers, text."""

    async def go() -> Any:
        jar = cookies or CookieJar(unsafe=True)
        async with (
            ClientSession(cookie_jar=jar) as session,
            session.request(
                method, path if isinstance(path, URL) else address + path, allow_redirects=False, **given
            ) as answer,
        ):
            return answer.status, answer.headers, await answer.text()

    return finish(go())


def shake_hands(address: str, **headers: str) -> int:
    """Ask for a kernel's websocket; the status of the handshake."""

    async def go() -> int:
        async with ClientSession() as session:
            url = f"{address.replace('http', 'ws')}/jupyter/api/kernels/{uuid4()}/channels?session_id=x"
            try:
                async with session.ws_connect(url, headers=headers) as socket:
                    await socket.close()
            except WSServerHandshakeError as refused:
                return refused.status
            return 101

    return finish(go())


def test_every_page_is_sent_with_the_headers(dashboard: Dashboard) -> None:
    status, headers, page = ask(dashboard.address, "/")
    assert status == 200
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    nonce = re.search(r"'nonce-([^']+)'", policy)
    assert nonce is not None
    assert "unsafe-inline" not in policy.partition("script-src")[2].partition(";")[0]
    scripts = re.findall(r"<script[^>]*>", page)
    assert scripts
    assert all(f'nonce="{nonce[1]}"' in script for script in scripts)
    assert headers["referrer-policy"] == "same-origin"
    assert headers["x-frame-options"] == "DENY"
    assert headers["cache-control"] == "no-store"
    other = ask(dashboard.address, "/")[1]["content-security-policy"]
    assert other != policy, "a number that is used twice protects nothing"


def test_cookies_are_out_of_reach_of_scripts(dashboard: Dashboard) -> None:
    cookies = ask(dashboard.address, "/")[1].getall("set-cookie")
    assert len(cookies) == 2
    assert all("httponly" in cookie.lower() and "samesite=lax" in cookie.lower() for cookie in cookies)


def test_nothing_on_a_page_names_another_host(dashboard: Dashboard) -> None:
    page = ask(dashboard.address, "/")[2]
    assert re.findall(r"""(?:src|href)\s*=\s*["']?(?:https?:)?//""", page) == []


def test_a_name_that_was_made_to_point_here_is_refused(dashboard: Dashboard) -> None:
    assert ask(dashboard.address, "/", headers={"Host": "evil.example"})[0] == 421
    port = urlsplit(dashboard.address).port
    assert ask(dashboard.address, "/", headers={"Host": f"localhost:{port}"})[0] == 200


def test_a_foreign_page_gets_no_kernel(dashboard: Dashboard) -> None:
    assert shake_hands(dashboard.address, Origin="http://evil.example") == 403
    assert shake_hands(dashboard.address, Origin=dashboard.address) == 101


@pytest.mark.parametrize("path", ["/resourcez", "/resourcez/", "/readyz", "/_solara/api/evict/x"])
def test_windows_into_all_kernels_are_closed(dashboard: Dashboard, path: str) -> None:
    assert ask(dashboard.address, path)[0] == 404


@pytest.mark.parametrize("path", ["x", "x?session_id=", "x?session_id=y"])
def test_nobody_closes_the_pages_of_others(dashboard: Dashboard, path: str) -> None:
    assert ask(dashboard.address, f"/_solara/api/close/{path}", method="POST")[0] == 404


@pytest.mark.parametrize(
    "path", ["/nowhere", "/design/nowhere", "/static/../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd"]
)
def test_what_is_not_there_is_said_in_plain_words(dashboard: Dashboard, path: str) -> None:
    status, _, page = ask(dashboard.address, path)
    assert status == 404
    assert "root:" not in page
    assert "Traceback" not in page


def test_an_address_is_shown_as_text(dashboard: Dashboard) -> None:
    page = ask(dashboard.address, "/%3Cimg%20src=x%20onerror=alert(1)%3E")[2]
    assert "<img" not in page
    assert "&lt;img" in page


def test_without_the_token_there_is_only_the_door(guarded: Dashboard) -> None:
    for path in ("/", "/design", "/studies", "/_solara/cdn/requirejs@2.3.6/require.js"):
        status, headers, page = ask(guarded.address, path)
        assert (status, headers["location"]) == (303, "/enter")
        assert "solara" not in page
    assert shake_hands(guarded.address, Origin=guarded.address) == 403
    assert shake_hands(guarded.address, Cookie="eduverse=guessed", Origin=guarded.address) == 403


def test_the_token_opens_once_for_this_browser(guarded: Dashboard) -> None:
    async def go() -> list[Any]:
        async with ClientSession(cookie_jar=CookieJar(unsafe=True)) as session:
            found = []
            for token in ("guess", TOKEN):
                data = {"token": token}
                async with session.post(f"{guarded.address}/enter", data=data, allow_redirects=False) as answer:
                    found.append(answer.status)
            async with session.get(f"{guarded.address}/", allow_redirects=False) as answer:
                return [*found, answer.status]

    assert finish(go()) == [403, 303, 200]
    assert ask(guarded.address, "/")[0] == 303, "another browser is another browser"


def test_the_printed_address_lets_one_browser_in_and_does_not_hold_the_token(tmp_path: Path) -> None:
    served = Dashboard(tmp_path, EDUVERSE_TOKEN=TOKEN)
    try:
        assert served.entrance.startswith(f"{served.address}/enter?ticket=")
        assert TOKEN not in served.entrance
        path = served.entrance.removeprefix(served.address)
        assert ask(served.address, path, method="HEAD")[0] == 200, "whoever only looks at it does not use it up"
        status, headers, _ = ask(served.address, path)
        assert (status, headers["location"]) == (303, "/")
        cookie = headers.getall("set-cookie")[0].partition(";")[0]
        assert ask(served.address, "/", headers={"Cookie": cookie})[0] == 200
        status, _, page = ask(served.address, path)
        assert status == 403
        assert "used before" in page
        assert ask(served.address, f"/enter?token={TOKEN}")[0] == 200, "the token is shown in the form alone"
    finally:
        served.close()


def test_guessing_is_slowed_and_locks_nobody_out_elsewhere(tmp_path: Path) -> None:
    """One after the other, as a script does that has one connection; the header says who else it would like to be."""
    served = Dashboard(tmp_path, EDUVERSE_TOKEN=TOKEN)
    try:

        def guess(token: str, here: str = "127.0.0.1", **headers: str) -> tuple[int, float]:
            begun = time.monotonic()
            port = int(served.address.rpartition(":")[2])
            with closing(http.client.HTTPConnection("127.0.0.1", port, 60, source_address=(here, 0))) as connection:
                connection.request("POST", "/enter", urlencode({"token": token}), headers)
                return connection.getresponse().status, time.monotonic() - begun

        tries = [guess(f"guess{number}", **{"X-Forwarded-For": f"10.0.0.{number}"}) for number in range(9)]
        assert [status for status, _ in tries] == [403] * 9
        assert all(took >= least for (_, took), least in zip(tries[5:], (0.5, 1, 2, 4), strict=True))
        with ThreadPoolExecutor(20) as pool:
            many = [pool.submit(guess, f"guess{number}") for number in range(20)]
            status, took = guess(TOKEN, "127.0.0.2")
            assert status == 303
            assert took < 5, "the right one from elsewhere is looked at without delay"
            served.process.terminate()
            wait(many)
        assert TOKEN not in served.log()
    finally:
        served.close()


def test_a_drawn_token_is_shown_on_a_terminal_alone(tmp_path: Path) -> None:
    served = Dashboard(tmp_path, "--address", "https://class.school.example")
    try:
        assert served.process.stdout is not None
        told = [served.process.stdout.readline().decode() for _ in range(2)]
        assert "within a minute" in told[0]
        assert "This is no terminal" in told[1]
        assert "EDUVERSE_TOKEN" in told[1]
    finally:
        served.close()


def test_a_token_that_can_be_guessed_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDUVERSE_TOKEN", "1234")
    told = refusal(capsys, "app", "--no-open", "--port", 0)
    assert "EDUVERSE_TOKEN" in told
    assert "1234" not in told


def test_a_port_that_is_taken_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        told = refusal(capsys, "app", "--no-open", "--port", taken.getsockname()[1])
    assert "cannot listen" in told
    assert "--port" in told


def test_the_door_can_be_used(visit: Callable[..., Any], guarded: Dashboard) -> None:
    page = visit("/", address=guarded.address)
    assert page.url.endswith("/enter")
    page.fill("input[name=token]", TOKEN)
    page.click("button")
    page.wait_for_selector(".ev-main .ev-card")
    assert TOKEN not in page.url


def test_the_server_asks_no_other_host(tmp_path: Path) -> None:
    """What its front end lacks is not fetched from elsewhere, whoever wants it."""
    with socket.socket() as proxy:
        proxy.bind(("127.0.0.1", 0))
        proxy.listen()
        proxy.settimeout(0.5)
        there = f"http://127.0.0.1:{proxy.getsockname()[1]}"
        served = Dashboard(tmp_path, HTTPS_PROXY=there, HTTP_PROXY=there, NO_PROXY="127.0.0.1")
        try:
            assert ask(served.address, "/_solara/cdn/requirejs@2.3.6/require.js")[0] == 200
            assert ask(served.address, "/_solara/cdn/evil@1/x.js")[0] == 404
            with pytest.raises(TimeoutError):
                proxy.accept()
        finally:
            served.close()


def test_no_way_around_the_door(guarded: Dashboard) -> None:
    for path in ("/eduverse/../studies", "/enter/../studies", "/enterprise", "/join/a/../../studies", "/join/a/b"):
        status, headers, _ = ask(guarded.address, URL(guarded.address + path, encoded=True))
        assert status == 404 or headers.get("location") == "/enter"


def test_a_planted_name_does_not_come_in(guarded: Dashboard) -> None:
    """Whoever gave this browser its name before it showed the token stays outside."""
    planted = {"Cookie": "eduverse=planted"}
    assert ask(guarded.address, "/enter", method="POST", data={"token": TOKEN}, headers=planted)[0] == 303
    assert ask(guarded.address, "/", headers=planted)[0] == 303
