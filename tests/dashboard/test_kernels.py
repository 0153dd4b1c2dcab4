"""A page has one line: one that comes back before its broken line is noticed takes its place, and lives on."""

from __future__ import annotations

from uuid import uuid4

import pytest
from aiohttp import ClientSession, WSMsgType

from tests.browser import Dashboard
from tests.dashboard.test_doors import finish
from tests.dashboard.test_traffic import Page

pytestmark = pytest.mark.xdist_group("browser-doors")


def test_a_page_that_comes_back_takes_the_place_of_its_broken_line(dashboard: Dashboard) -> None:
    """Solara took such a page for one that is gone, and complained at the end of its second line."""
    before = len(dashboard.log())
    headers = {"Cookie": f"eduverse={uuid4()}; solara-session-id=s", "Origin": dashboard.address}
    url = f"{dashboard.address.replace('http', 'ws')}/jupyter/api/kernels/{uuid4()}/channels?session_id={uuid4()}"

    async def go() -> list[bool]:
        async with (
            ClientSession(headers=headers) as session,
            session.ws_connect(url) as old,
            session.ws_connect(url) as new,
            session.ws_connect(f"{url}-2") as another,
        ):
            while (await old.receive(20)).type not in (WSMsgType.CLOSE, WSMsgType.CLOSED):
                pass  # what the kernel has said of itself so far
            return [await Page(new).answers(), await Page(another).answers()]

    assert finish(go()) == [True, True]
    assert dashboard.log()[before:] == ""
