"""A connection that is lost: the page says so in its own words, claims nothing else, and finds its way back."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from eduverse_mesa.visualization.words import load_words
from tests.browser import Dashboard
from tests.dashboard.test_doors import ask

pytestmark = pytest.mark.xdist_group("browser-doors")

SLOW = 0.7
"""Seconds that a message takes from a server that has much to do: Solara's page waits half a second for an answer."""


class Line:
    """A line to a server that can be cut and mended, and be slow after that."""

    def __init__(self, port: int) -> None:
        self.to = port
        self.port = 0
        self.slow_until = 0.0
        self._ends: list[socket.socket] = []
        self.mend()

    def mend(self, slow: float = 0.0) -> None:
        self.slow_until = time.monotonic() + slow
        self._door = socket.socket()
        self._door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._door.bind(("127.0.0.1", self.port))
        self._door.listen()
        self.port = int(self._door.getsockname()[1])
        threading.Thread(target=self._answer, args=(self._door,), daemon=True).start()

    def cut(self) -> None:
        self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()
        for end in self._ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self._ends.clear()

    def _answer(self, door: socket.socket) -> None:
        with suppress(OSError):
            while True:
                here, _ = door.accept()
                there = socket.create_connection(("127.0.0.1", self.to))
                self._ends += [here, there]
                for one, other in ((here, there), (there, here)):
                    threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(65536):
                if time.monotonic() < self.slow_until:
                    time.sleep(SLOW)
                other.sendall(data)
        with suppress(OSError):
            other.shutdown(socket.SHUT_WR)


def port_of(served: Dashboard) -> int:
    return int(served.address.rpartition(":")[2])


def moved_on(page: Any) -> None:
    """Wait until the page has heard of another step."""
    shown = page.inner_text(".ev-told")
    page.wait_for_function("shown => document.querySelector('.ev-told')?.textContent !== shown", arg=shown)


def test_nothing_of_solaras_own_notices_is_sent(dashboard: Dashboard) -> None:
    page = ask(dashboard.address, "/")[2]
    assert "solaraInit('solara-main')" in page
    assert "/eduverse/connection.js" in page
    for said in ("disconnected.", "Please refresh the page", "Could not restore session"):
        assert said not in page
    assert page.count("<v-overlay") == page.count("</v-overlay>") == 1, "the one for pages that move to another server"


def test_a_lost_connection_is_told_and_found_again(chromium: Any, dashboard: Dashboard, tmp_path: Path) -> None:
    """In the end another server stands behind the line, as after a restart: one that knows nothing of the page."""
    t = load_words("zh")
    first = Dashboard(tmp_path)
    line, context = Line(port_of(first)), chromium.new_context(locale="zh-CN")
    said_before = dashboard.log()
    try:
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{line.port}/")
        page.wait_for_selector(".ev-room [role=button]")
        playing = t("classroom.status.playing")
        page.click(".ev-play")
        page.wait_for_selector(f".ev-standing:has-text('{playing}')")
        page.evaluate("window.stillHere = true")

        line.cut()
        page.wait_for_selector(f".ev-lost:has-text('{t('app.lost.what')}')")
        expect(page.locator(".ev-standing")).to_be_hidden()
        assert "disconnected" not in page.inner_text("body")
        line.mend(slow=5)
        page.wait_for_selector(".ev-lost", state="detached")
        moved_on(page)
        assert page.evaluate("window.stillHere"), "the page goes on where it was"
        typed = page.get_by_label(t("classroom.transcript.search"))
        typed.press_sequentially("grass")

        line.cut()
        first.close()
        page.wait_for_selector(".ev-lost")
        line.to = port_of(dashboard)
        line.mend()
        page.wait_for_function("!window.stillHere")
        page.wait_for_selector(".ev-room [role=button]")
        expect(page.locator(".ev-lost")).to_be_hidden()
        expect(typed, "what was typed outlives the page").to_have_value("grass")
        assert "Traceback" not in first.log() + dashboard.log().removeprefix(said_before)
    finally:
        context.close()
        line.cut()
        if first.process.poll() is None:
            first.close()


def test_pages_say_what_they_would_say(visit: Callable[..., Any]) -> None:
    page = visit("/settings")
    told = page.get_attribute(".ev-app", "data-lost")
    assert told == load_words("en")("app.lost.what")
    page.click(".ev-language[lang=zh]")
    page.wait_for_selector(f".ev-app[data-lost='{load_words('zh')('app.lost.what')}']")
