"""Messages that somebody writes by hand, over real connections: refused with a line each, and pages go on."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import pytest
from aiohttp import ClientSession, ClientWebSocketResponse, WSMsgType

from eduverse_mesa.dashboard.traffic import RefusedError, cost_of
from tests.browser import PATIENCE, Dashboard
from tests.dashboard.test_doors import finish

pytestmark = pytest.mark.xdist_group("browser-doors")


def message(kind: str, content: Any, **changes: Any) -> str:
    header = {"msg_id": str(uuid4()), "msg_type": kind, "session": "s", "username": "", "version": "5.2", "date": ""}
    return json.dumps({"header": header, "content": content, "channel": "shell", "buffers": [], **changes})


def to_widget(comm: str, **data: Any) -> str:
    return message("comm_msg", {"comm_id": comm, "data": data})


class Page:
    """A page as its front end has it: what it was sent, and what it can send."""

    def __init__(self, socket: ClientWebSocketResponse) -> None:
        self.socket = socket
        self.models: dict[str, dict[str, Any]] = {}

    async def open(self) -> None:
        """Have the page drawn."""
        await self.socket.send_str(message("comm_open", {"comm_id": "c", "target_name": "solara.control", "data": {}}))
        run = {"path": "/", "dark": False, "themes": {}, "appName": None}
        await self.socket.send_str(to_widget("c", method="run", args=run))
        while await self.hear() != "finished":
            pass

    async def hear(self) -> str:
        told = await self.socket.receive(PATIENCE / 1000)
        if told.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
            return "closed"
        heard: dict[str, Any] = (
            json.loads(told.data) if isinstance(told.data, str) else {"content": {}, "header": {"msg_type": ""}}
        )
        content = heard["content"]
        if heard["header"]["msg_type"] == "comm_open":
            self.models[content["comm_id"]] = content["data"].get("state", {})
        return str((content.get("data") or {}).get("method", heard["header"]["msg_type"]))

    async def answers(self) -> bool:
        """Whether the server still listens to it."""
        await self.socket.send_str(message("kernel_info_request", {}))
        while (what := await self.hear()) != "kernel_info_reply":
            if what == "closed":
                return False
        return True


@asynccontextmanager
async def connected(dashboard: Dashboard, browser: str = "") -> AsyncIterator[Page]:
    headers = {"Cookie": f"eduverse={browser or uuid4()}; solara-session-id=s", "Origin": dashboard.address}
    url = f"{dashboard.address.replace('http', 'ws')}/jupyter/api/kernels/{uuid4()}/channels?session_id={uuid4()}"
    async with ClientSession(headers=headers) as session, session.ws_connect(url, max_msg_size=0) as socket:
        yield Page(socket)


async def written(dashboard: Dashboard, before: int, lines: int) -> str:
    end = time.monotonic() + 90
    while len(dashboard.log()[before:].splitlines()) < lines and time.monotonic() < end:
        time.sleep(0.02)
    return dashboard.log()[before:]


DEEP = "[" * 100_000
BAD = {
    "no JSON": "hello",
    "too deep": DEEP,
    "a list": "[]",
    "no header": json.dumps({"content": {}, "channel": "shell"}),
    "a header within a header": message("comm_msg", {}, header={"header": "x", "msg_id": "1", "msg_type": "comm_msg"}),
    "an unknown kind": message("execute_request", {"code": "1/0"}),
    "an unknown channel": message("kernel_info_request", {}, channel={"a": 1}),
    "any widget": message("comm_open", {"comm_id": "x", "target_name": "jupyter.widget", "data": {"state": {}}}),
    "bytes": message("kernel_info_request", {}, buffers=["x"]),
    "eviction": to_widget("c", method="evict"),
    "no data": message("comm_msg", {"comm_id": "c", "data": []}),
    "an object of the server": to_widget("c", method="custom", content={"create_widget": ["os", "system"]}),
    "a setting of an object": to_widget("c", method="custom", content={"update_ref": {}, "id": "c", "prop": "x"}),
}


@pytest.mark.parametrize("name", BAD)
def test_what_no_page_sends_is_refused_in_one_short_line(dashboard: Dashboard, name: str) -> None:
    before = len(dashboard.log())

    async def go() -> tuple[bool, str]:
        async with connected(dashboard) as page:
            await page.socket.send_str(BAD[name])
            return await page.answers(), await written(dashboard, before, 1)

    answered, log = finish(go())
    assert answered
    assert "was refused" in log
    assert len(log.splitlines()) == 1
    assert len(log) < 300


def test_bytes_that_would_ask_for_gigabytes_are_refused(dashboard: Dashboard) -> None:
    before = len(dashboard.log())

    async def go() -> tuple[bool, str]:
        async with connected(dashboard) as page:
            await page.socket.send_bytes(b"\x7f\xff\xff\xff" + b"x" * 100)
            return await page.answers(), await written(dashboard, before, 1)

    answered, log = finish(go())
    assert answered
    assert len(log.splitlines()) == 1


def test_after_some_of_them_the_connection_ends_and_the_log_has_no_more(dashboard: Dashboard) -> None:
    before, browser = len(dashboard.log()), str(uuid4())

    async def go() -> list[bool]:
        ended = []
        for _ in range(3):
            async with connected(dashboard, browser) as page:
                for _ in range(8):
                    await page.socket.send_str("x")
                ended.append(not await page.answers())
        return ended

    assert finish(go()) == [True] * 3
    assert len(dashboard.log()[before:].splitlines()) == 5


def test_a_page_is_drawn_and_its_widgets_make_nothing_else(dashboard: Dashboard) -> None:
    before = len(dashboard.log())

    async def go() -> tuple[bool, str]:
        async with connected(dashboard) as page:
            await page.open()
            template = next(
                comm
                for comm, state in page.models.items()
                if state.get("_model_name", "").endswith("TemplateModel") and "events" in state
            )
            # `import this` says what it says on the server's output: any module would do.
            made = {"create_widget": ["this", "Zen"], "props": {}, "id": "x"}
            await page.socket.send_str(to_widget(template, method="custom", content=made))
            return await page.answers(), await written(dashboard, before, 1)

    answered, log = finish(go())
    assert answered
    assert len(log.splitlines()) == 1
    assert "objects of the server" in log


def test_values_that_no_widget_takes_cost_a_short_line_each_and_not_many(dashboard: Dashboard) -> None:
    before = len(dashboard.log())

    async def go() -> tuple[bool, str]:
        async with connected(dashboard) as page:
            await page.open()
            room = next(comm for comm, state in page.models.items() if "stage" in state)
            for _ in range(60):
                await page.socket.send_str(to_widget(room, method="update", state={"selected": ["x" * 5000]}))
            return await page.answers(), await written(dashboard, before, 20)

    answered, log = finish(go())
    assert answered
    assert "Traceback" not in log
    assert len(log.splitlines()) == 20
    assert len(log) < 20 * 600


def test_a_flood_waits_and_does_not_break_the_page(dashboard: Dashboard) -> None:
    async def go() -> tuple[bool, float]:
        async with connected(dashboard) as page:
            begun = time.monotonic()
            for _ in range(700):
                await page.socket.send_str(message("comm_close", {"comm_id": "nobody's"}))
            answered = await page.answers()
            return answered, time.monotonic() - begun

    answered, seconds = finish(go())
    assert answered
    assert seconds > 1.0, "a hundred more than may come at once, at sixty a second"


def test_what_is_long_costs_more_and_what_is_too_long_ends_at_the_limit() -> None:
    short, long = (
        message("comm_msg", {"comm_id": "c", "data": {"method": "custom", "content": {"id": "x" * n}}})
        for n in (1, 10**6)
    )
    assert cost_of(short) < 2
    assert cost_of(long) > 60
    assert cost_of(to_widget("c", method="run", args={"path": "/"})) > 40
    with pytest.raises(RefusedError, match=r"jupyter\.widget'"):
        cost_of(BAD["any widget"])
