"""A dashboard that is really served, and a browser that tells on every page that does what it should not."""

from __future__ import annotations

import os
import random
import re
import shutil
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

# The one without windows of its own first: it draws the same, and spares the eighth of a page that its frame costs.
_KINDS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, _KINDS)), None)
# Nothing is typed into an address bar, whose popups are two web pages that a browser loads with every page of ours: a
# third of what a page costs. This switch stands in for Playwright's own, so what matters of that is said again.
_WITHOUT = (
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "AimEnabled",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "SpareRendererForSitePerProcess",  # a process for a page that nobody has asked for, with every page
)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    f"--disable-features={','.join(_WITHOUT)}",
    # Whoever drives a browser has it say where each function stands. Noted at once, that spares reading the front end
    # a second time: a seventh of what a page costs.
    "--js-flags=--no-enable-lazy-source-positions",
    # A picture that moves is drawn sixty times a second, by the processor: a third of what a page costs that is open.
    "--force-prefers-reduced-motion",
]
# How most tests look at a page.
USUAL: dict[str, Any] = {
    "viewport": {"width": 1440, "height": 900},
    "color_scheme": "light",
    "locale": "en-US",
    "accept_downloads": True,
}
# Two cores that others keep busy are no bug of ours: whatever a test waits for in a browser, it waits so long.
PATIENCE = 120_000
# Vue's own remark on a template of Solara, which is as it should be.
_KNOWN = ("Failed to evaluate Vue script",)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What looks into a browser, or at a served dashboard, is marked by what it asks for, so that none is forgotten.

    It comes last: a browser leaves no room in its process for tests with a loop of their own. The largest groups of it
    come first, so that no process is left alone with one at the end.
    """
    for item in items:
        if {"chromium", "dashboard"} & set(getattr(item, "fixturenames", ())):
            item.add_marker("browser")
    last = {_group_of(item) for item in items if item.get_closest_marker("browser")}
    sizes = Counter(map(_group_of, items))
    items.sort(key=lambda item: sizes[_group_of(item)] if _group_of(item) in last else sys.maxsize, reverse=True)


def _group_of(item: pytest.Item) -> str:
    """Tests of a group run in one process; a test of none is its own."""
    mark = item.get_closest_marker("xdist_group")
    return str(mark.args[0] if mark.args else mark.kwargs["name"]) if mark is not None else item.nodeid


def free_port() -> int:
    """A port that nobody listens at, below those that connections are given by themselves."""
    for port in random.sample(range(20_000, 32_000), 1_000):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("all ports are taken")


class Dashboard:
    """A served dashboard: its address, its study, and what it has written to its log."""

    def __init__(self, folder: Path, *options: str, before: tuple[str, ...] = (), **environment: str) -> None:
        self.folder = folder
        self.study = folder / "class.study"
        self._log = (folder / "server.log").open("wb")
        command = [sys.executable, "-m", "eduverse_mesa", "app", "--no-open", "--port", "0", "--study", str(self.study)]
        self.process = subprocess.Popen(
            [*before, *command, *options],
            stdout=subprocess.PIPE,
            stderr=self._log,
            env={**os.environ, "PYTHONUNBUFFERED": "1", **environment},
        )
        assert self.process.stdout is not None
        self.greeting = self.process.stdout.readline().decode()
        found = re.search(r"(https?://[^/\s]+)(/\S*)", self.greeting)
        assert found, self.greeting + self.log()
        self.address, self.entrance = found[1], found[1] + found[2]

    def log(self) -> str:
        """What the server had to complain of."""
        return (self.folder / "server.log").read_text(encoding="utf-8", errors="replace")

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE / 1000)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._log.close()


class Browser:
    """A browser whose pages have patience, also those that no visitor opens."""

    def __init__(self, kept: Any) -> None:
        """From one that keeps on its disk what it has made of scripts, which spares a sixth of a page. There is but one
        such, lent to whoever asks first for one of the usual look; all others are of the kind that keeps nothing."""
        self._opened = kept.browser
        self._blank = kept.pages[0]  # where all its pages are closed, it ends
        kept.set_default_timeout(PATIENCE)
        self._rested: dict[str, list[Any]] = {repr(USUAL): [kept]}

    def lend_context(self, **look: Any) -> Any:
        """A browser that knows nobody, but may have what never changes, fonts and scripts, from somebody before."""
        rested = self._rested.get(repr(look))
        return rested.pop() if rested else self.new_context(**look)

    def take_back(self, context: Any, **look: Any) -> None:
        """Close its pages and forget who it was, as a new one would have."""
        for page in context.pages:
            if page is self._blank:
                continue
            page.evaluate("() => { try { localStorage.clear(); } catch { /* a page without an address has none */ } }")
            page.close()
        context.clear_cookies()
        self._rested.setdefault(repr(look), []).append(context)

    def new_context(self, **look: Any) -> Any:
        context = self._opened.new_context(**look)
        context.set_default_timeout(PATIENCE)
        return context

    def new_page(self, **look: Any) -> Any:
        """A page whose context goes with it."""
        page = self._opened.new_page(**look)
        page.set_default_timeout(PATIENCE)
        return page


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if CHROMIUM is None and not os.environ.get("CI"):
        pytest.skip("no Chromium here: apt-get install chromium")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        kept = playwright.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("chromium"), executable_path=CHROMIUM, args=FLAGS, timeout=PATIENCE, **USUAL
        )
        yield Browser(kept)
        kept.close()


@pytest.fixture(scope="session")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """One dashboard for all tests of a worker. Each browser has a desk of its own."""
    served = Dashboard(tmp_path_factory.mktemp("dashboard"))
    yield served
    served.close()


class Visitor:
    """Opens pages in browsers: visit("/design"). Tells where a page asks another host for anything, complains in its
    console, opens a dialog, or the server logs a traceback."""

    def __init__(self, chromium: Any, dashboard: Dashboard) -> None:
        self._chromium = chromium
        self._dashboard = dashboard
        self._trouble: list[str] = []
        self._lent: list[tuple[Any, dict[str, Any]]] = []
        self._read = len(dashboard.log())

    def __call__(
        self,
        path: str = "/",
        *,
        width: int = 1440,
        scheme: str = "light",
        language: str = "en-US",
        context: Any = None,
        address: str = "",
    ) -> Any:
        """A page, in a browser of its own unless one is given."""
        if context is None:
            viewport = {**USUAL["viewport"], "width": width}
            look = {**USUAL, "viewport": viewport, "color_scheme": scheme, "locale": language}
            context = self._chromium.lend_context(**look)
            self._lent.append((context, look))
        page = context.new_page()
        page.on("console", self._told)
        page.on("pageerror", lambda error: self._trouble.append(f"script: {error}"))
        page.on("dialog", self._refuse)
        page.on("request", self._asked)
        page.goto((address or self._dashboard.address) + path)
        page.wait_for_selector(".ev-main > *, .ev-door")
        return page

    def check(self) -> None:
        """Nothing has gone wrong since the last time."""
        log = self._dashboard.log()
        new, self._read = log[self._read :], len(log)
        trouble, self._trouble = self._trouble, []
        assert "Traceback" not in new, new
        assert trouble == []

    def close(self) -> None:
        for context, look in self._lent:
            self._chromium.take_back(context, **look)
        self._lent.clear()

    def shown(self) -> str:
        """Texts of all pages that are open, for whoever reads why a test has failed."""
        texts = []
        for page in (page for context, _ in self._lent for page in context.pages if page.url != "about:blank"):
            page.set_default_timeout(5000)  # it may hang: that is told, too
            try:
                texts.append(f"{page.url}\n{page.locator('body').inner_text()}")
            except Exception as error:
                texts.append(f"{page.url}\n{error}")
        return "\n\n".join([*texts, *self._trouble])

    def _told(self, message: Any) -> None:
        if message.type in ("error", "warning") and not any(known in message.text for known in _KNOWN):
            self._trouble.append(f"console: {message.text}")

    def _asked(self, request: Any) -> None:
        parts = urlsplit(request.url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname not in ("127.0.0.1", "localhost"):
            self._trouble.append(f"asked another host: {request.url}")

    def _refuse(self, dialog: Any) -> None:
        self._trouble.append("a dialog")
        dialog.dismiss()


_FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Its pages want to know, while they are open, that a test has failed."""
    report = yield
    if report.failed:
        item.stash[_FAILED] = True
    return report


@pytest.fixture
def visit(chromium: Any, dashboard: Dashboard, request: pytest.FixtureRequest) -> Iterator[Visitor]:
    """Pages for one test; where it fails, their texts are in its report."""
    visitor = Visitor(chromium, dashboard)
    yield visitor
    if request.node.stash.get(_FAILED, False):
        sys.stdout.write(visitor.shown())
    visitor.close()
    visitor.check()


@pytest.fixture(scope="module")
def stay(chromium: Any, dashboard: Dashboard) -> Iterator[Visitor]:
    """Pages that the tests of a module share: opening one takes longer than most of what is done on it. Whoever hands
    such a page to a test checks the visitor after it."""
    visitor = Visitor(chromium, dashboard)
    yield visitor
    visitor.close()
    visitor.check()


@pytest.fixture
def draw(chromium: Any) -> Iterator[Any]:
    """Rooms alone in a page: draw(drawing(model, step))."""
    from tests.visualization.rooms import draw_rooms

    yield from draw_rooms(chromium)
