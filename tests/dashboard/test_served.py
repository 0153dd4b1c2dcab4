"""A server that is really running: behind a proxy, in a crowd, with pages whose browser is gone, and at its end."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from aiohttp import (
    ClientConnectionResetError,
    ClientSession,
    ClientWebSocketResponse,
    TCPConnector,
    WSMsgType,
    WSServerHandshakeError,
)

from eduverse_mesa.store import Study
from tests.browser import PATIENCE, Dashboard, free_port
from tests.dashboard.seats import begin, form, open_lesson, sit_student
from tests.dashboard.test_doors import TOKEN, ask, finish, shake_hands
from tests.dashboard.test_server import soon
from tests.dashboard.test_traffic import Page, connected

pytestmark = pytest.mark.xdist_group("browser-doors")


@pytest.mark.parametrize(
    "header", [{"Host": "[::1"}, {"Host": "a:b"}, {"Origin": "http://[::1"}, {"Origin": "http://a:b"}]
)
def test_what_is_no_host_is_refused_without_a_word_in_the_log(dashboard: Dashboard, header: dict[str, str]) -> None:
    before = dashboard.log()
    assert ask(dashboard.address, "/", headers=header)[0] == 400
    if "Origin" in header:
        assert shake_hands(dashboard.address, **header) == 403
    assert dashboard.log() == before


def test_behind_a_proxy_links_begin_with_its_address(tmp_path: Path) -> None:
    port = free_port()
    served = Dashboard(
        tmp_path, "--port", str(port), "--address", "https://class.school.example/", EDUVERSE_TOKEN=TOKEN
    )
    try:
        ticket = served.entrance.removeprefix("https://class.school.example/enter?ticket=")
        assert "/" not in ticket
        here = f"http://127.0.0.1:{port}"
        passed_on = {"Host": "class.school.example", "X-Forwarded-Proto": "https"}
        status, headers, _ = ask(here, f"/enter?ticket={ticket}", headers=passed_on)
        assert status == 303
        assert all("; Secure" in cookie and "SameSite=Lax" in cookie for cookie in headers.getall("set-cookie"))
        assert ask(here, "/", headers={"Host": "evil.example"})[0] == 421
        assert ask(here, "/", headers=passed_on)[0] == 303, "what is open to others asks for the token"
        cookie = headers.getall("set-cookie")[0].partition(";")[0]
        inside = {**passed_on, "Cookie": cookie}
        status, headers, page = ask(here, "/", headers=inside)
        assert status == 200
        assert "127.0.0.1" not in page
        assert all("secure" in one.lower() and "samesite=lax" in one.lower() for one in headers.getall("set-cookie"))
        assert shake_hands(here, **inside, Origin="https://class.school.example") == 101
        assert shake_hands(here, Cookie=cookie, Origin="https://class.school.example") == 101, "Host was not passed on"
        assert shake_hands(here, **inside, Origin="https://evil.example") == 403
        assert "Traceback" not in served.log()
    finally:
        served.close()


def test_one_browser_opens_so_many_pages_and_no_more(dashboard: Dashboard) -> None:
    async def go() -> list[int]:
        headers = {"Cookie": f"eduverse={uuid4()}", "Origin": dashboard.address}
        async with ClientSession(headers=headers) as session, AsyncExitStack() as opened:
            statuses: list[int] = []
            for _ in range(22):
                url = f"{dashboard.address.replace('http', 'ws')}/jupyter/api/kernels/{uuid4()}/channels?session_id=x"
                try:
                    await opened.enter_async_context(session.ws_connect(url))
                    statuses.append(101)
                except WSServerHandshakeError as refused:
                    statuses.append(refused.status)
            return statuses

    assert finish(go()) == [101] * 20 + [403] * 2
    assert "Traceback" not in dashboard.log()


@pytest.mark.slow
def test_invented_kernels_keep_no_page_out_neither_open_nor_closed(tmp_path: Path) -> None:
    """More than there is room for, each from a browser of its own."""
    served = Dashboard(tmp_path)
    kernels = f"{served.address.replace('http', 'ws')}/jupyter/api/kernels"

    async def invent(session: ClientSession, stack: AsyncExitStack) -> ClientWebSocketResponse:
        headers = {"Cookie": f"eduverse={uuid4()}", "Origin": served.address}
        url = f"{kernels}/{uuid4()}/channels?session_id=x"
        return await stack.enter_async_context(session.ws_connect(url, headers=headers))

    async def listen(page: Page) -> None:
        """As a browser does: who answers no ping is taken for gone."""
        while await page.hear() != "closed":
            pass

    async def go() -> tuple[int, bool]:
        async with ClientSession(connector=TCPConnector(limit=0)) as session, connected(served) as before:
            await before.open()
            listening = asyncio.create_task(listen(before))
            async with AsyncExitStack() as stack:
                opened = [await invent(session, stack) for _ in range(520)]
                async with connected(served) as page:
                    await page.open()
                ended = sum([await has_ended(one) for one in opened])
            async with connected(served) as page:
                await page.open()
            there = not listening.done()
            listening.cancel()
            return ended, there

    async def has_ended(one: ClientWebSocketResponse) -> bool:
        try:
            return (await one.receive(0.02)).type in (WSMsgType.CLOSE, WSMsgType.CLOSED, WSMsgType.CLOSING)
        except TimeoutError:
            return False
        except ClientConnectionResetError:
            return True

    try:
        ended, there = finish(go())
        assert there, "a page that was drawn makes no room"
        assert ended >= 20, "so many had to make room"
        assert "Traceback" not in served.log()
    finally:
        served.close()


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_the_end_of_the_server_ends_what_goes_on(chromium: Any, tmp_path: Path, sent: int) -> None:
    served, contexts = Dashboard(tmp_path), []

    def look(path: str) -> Any:  # not by `visit`: these pages may complain that their server is gone
        contexts.append(chromium.new_context())
        page = contexts[-1].new_page()
        page.goto(served.address + path)
        page.wait_for_selector(".ev-main > *, .ev-door")
        return page

    def open_sittings() -> list[bool]:
        with Study.open(str(served.study)) as study:
            return [row.until is None for run in study.runs() for row in study.sittings(run.id)]

    try:
        host = open_lesson(look)
        student = sit_student(look, host)
        begin(host)
        form(student)
        assert open_sittings() == [True]
        served.process.send_signal(sent)
        served.process.wait(PATIENCE / 1000)  # and not the 600 s that the lesson would wait for its people
        with Study.open(str(served.study)) as study:
            assert [run.status for run in study.runs()] == ["interrupted"]
        assert True not in open_sittings()
        assert "Traceback" not in served.log()
    finally:
        for context in contexts:
            context.close()
        served.close()


def test_pages_whose_browser_is_gone_leave_nothing_behind(
    visit: Callable[..., Any], chromium: Any, tmp_path: Path
) -> None:
    served = Dashboard(tmp_path, SOLARA_KERNEL_CULL_TIMEOUT="1s")

    def threads() -> int:
        return len(list(Path(f"/proc/{served.process.pid}/task").iterdir()))

    def fewer() -> bool:
        """Fewer than with two pages. Each of the four has a thread; helpers that were started meanwhile stay."""
        return threads() <= four - 3

    try:
        ask(served.address, "/")
        none = threads()
        context = chromium.new_context()
        for _ in range(4):
            visit("/", address=served.address, context=context).wait_for_selector(".ev-room [role=button]")
        four = threads()
        assert four >= none + 4
        context.set_offline(True)  # so that no page can say goodbye
        context.close()
        assert soon(fewer), f"{four} with four pages, {threads()} with none"
    finally:
        served.close()
    assert "Traceback" not in served.log()


def test_the_theme_that_is_chosen_on_settings_is_kept(visit: Callable[..., Any]) -> None:
    page = visit("/settings")
    page.locator(".ev-house").get_by_role("button", name="Dark", exact=True).click()
    page.wait_for_selector(".theme--dark .ev-app")
    page.wait_for_selector(".ev-tools button[aria-label$='dark' i]")
    page.reload()
    page.wait_for_selector(".theme--dark .ev-app")
    page.wait_for_selector(".ev-house button[aria-pressed=true]:has-text('Dark')")
