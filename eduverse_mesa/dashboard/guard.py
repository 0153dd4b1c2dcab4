"""Guard of the server: checks who sends each request, counts open pages and their connections, and gives a lost page
its place back."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any, NamedTuple, Protocol
from urllib.parse import parse_qs

import anyio
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from eduverse_mesa.dashboard.sessions import COOKIE, Rights, new_browser
from eduverse_mesa.dashboard.traffic import LONGEST, LONGEST_OF_GUESTS, Event, Receive, Traffic
from eduverse_mesa.web.addresses import host_of, is_from, refused_host
from eduverse_mesa.web.connections import recognise


class Kernels(Protocol):
    """Kernels as the guard needs them: one is what the server keeps of a page."""

    def alive(self) -> Collection[str]:
        """All of them."""

    def is_drawn(self, kernel: str) -> bool:
        """Return True if the kernel has drawn a page."""

    def has_page(self, kernel: str, page: str) -> bool:
        """Return True if the kernel has a page of this name."""

    def end(self, kernel: str) -> None:
        """Nobody comes back to it."""


@dataclass(frozen=True, eq=False)
class Visit:
    """The connection of an open page."""

    browser: str
    kernel: str
    end: Callable[[], object]


@dataclass
class Crowd:
    """Counts the connections of open pages, and the kernels that stand behind them.

    A kernel is what the server keeps of a page. It outlives the connection for a while, so that a page finds its own
    again; a browser that goes on asking for new ones must not fill the machine meanwhile. Some places are kept for
    researchers, and one for each seat. Where there is none left, what never drew a page is ended first, then what
    nobody looks at.
    """

    kernels: Kernels
    rights: Rights
    of_browser: int = 20
    """Pages that one browser may have open, and twice as many kernels."""
    in_all: int = 500
    """Pages that may be open in all, and as many kernels."""
    of_researchers: int = 20
    """Places that are kept for researchers."""
    _open: list[Visit] = field(default_factory=list)
    """Open pages, the oldest first."""
    _owners: dict[str, str] = field(default_factory=dict)
    """By their kernels, in the order in which those came."""
    _door: threading.Lock = field(default_factory=threading.Lock)

    def come(self, browser: str, kernel: str, end: Callable[[], object]) -> Visit | None:
        """Count a page in; None where there is no room for it. Who came in has to go again. `end` ends it, where
        another needs its place."""
        with self._door:
            alive = {*self.kernels.alive(), *(one.kernel for one in self._open)}
            self._owners = {one: owner for one, owner in self._owners.items() if one in alive}
            if sum(one.browser == browser for one in self._open) >= self.of_browser:
                return None
            new = kernel not in alive
            if new and sum(owner == browser for owner in self._owners.values()) >= 2 * self.of_browser:
                return None
            while not self._has_room(browser, new):
                if not self._make_room():
                    return None
            visit = Visit(browser, kernel, end)
            self._open.append(visit)
            self._owners[kernel] = browser
            return visit

    def go(self, visit: Visit) -> None:
        """This page is closed. What has drawn none until then never will."""
        with self._door:
            if visit in self._open:
                self._open.remove(visit)
            left = all(one.kernel != visit.kernel for one in self._open)
            if left and not self.kernels.is_drawn(visit.kernel):
                self._end(visit.kernel)

    def has_page(self, browser: str, kernel: str, page: str) -> bool:
        """Return True if a browser has a page of this name, which it may close."""
        with self._door:
            return self._owners.get(kernel) == browser and self.kernels.has_page(kernel, page)

    def _has_room(self, browser: str, new: bool) -> bool:
        pages, kernels = Counter(one.browser for one in self._open), Counter(self._owners.values())
        return self._has_place(browser, pages) and (not new or self._has_place(browser, kernels))

    def _has_place(self, browser: str, taken: Counter[str]) -> bool:
        """Return True if one more place of a kind may be taken: as many stay free as are kept for those who have
        none."""
        guests = self.rights.guests
        researchers = sum(count for one, count in taken.items() if self.rights.is_researcher(one))
        kept_here = max(0, self.of_researchers - researchers)
        kept_seats = min(sum(one not in taken for one in guests), self.in_all // 2)
        if (browser in guests and browser not in taken) or (self.rights.is_researcher(browser) and kept_here):
            kept_here = kept_seats = 0
        return taken.total() + kept_here + kept_seats < self.in_all

    def _make_room(self) -> bool:
        """End the page that has been open longest without drawing anything; else a kernel that nobody looks at, of
        whoever has most of them."""
        for visit in self._open:
            if not self.kernels.is_drawn(visit.kernel):
                self._open.remove(visit)
                self._owners.pop(visit.kernel, None)
                visit.end()
                return True
        looked_at = {one.kernel for one in self._open}
        left = {kernel: owner for kernel, owner in self._owners.items() if kernel not in looked_at}
        if not left:
            return False
        most = Counter(left.values()).most_common(1)[0][0]
        self._end(next(kernel for kernel, owner in left.items() if owner == most))
        return True

    def _end(self, kernel: str) -> None:
        self._owners.pop(kernel, None)
        self.kernels.end(kernel)


_PATIENCE = 20.0
"""Seconds that the old line has to end: what it was asked last may take a while."""
_ENDED: Event = {"type": "websocket.disconnect", "code": 1012}


class Page(NamedTuple):
    """A page as a connection names it."""

    browser: str
    kernel: str
    name: str


class _Line:
    """A connection, until another of the same page takes its place."""

    def __init__(self) -> None:
        self.taken = anyio.Event()
        self.over = anyio.Event()
        self._open = False

    def hearing(self, receive: Receive) -> Receive:
        """Return a receiver of what comes over this line; it receives the end when the line is taken."""

        async def hear() -> Event:
            if not self._open:
                self._open = True  # the handshake comes first, always
                return await receive()
            heard = _ENDED
            async with anyio.create_task_group() as group:

                async def watch() -> None:
                    await self.taken.wait()
                    group.cancel_scope.cancel()

                group.start_soon(watch)
                if not self.taken.is_set():
                    heard = await receive()
                group.cancel_scope.cancel()
            return heard

        return hear


class Lines:
    """The lines of all pages."""

    def __init__(self) -> None:
        self._held: dict[Page, _Line] = {}

    def end(self, page: Page) -> None:
        """End this page's line: another needs its place."""
        line = self._held.get(page)
        if line is not None:
            line.taken.set()

    async def hold(self, page: Page, receive: Receive, serve: Callable[[Receive], Awaitable[None]]) -> None:
        """Serve a page over this line, as soon as the one before it has ended."""
        line, before = _Line(), self._held.get(page)
        self._held[page] = line
        try:
            if before is not None:
                before.taken.set()
                with anyio.move_on_after(_PATIENCE):
                    await before.over.wait()
            await serve(line.hearing(receive))
        finally:
            line.over.set()
            if self._held.get(page) is line:
                del self._held[page]


Scope = dict[str, Any]
OPEN = re.compile(r"/eduverse/[\w.-]+|/enter|/join/[^/]+")
"""Paths that a browser may get before it has said who it is: our own style sheet, icon and scripts, and the two
doors."""
_STEPS = frozenset({".", ".."})
"""Parts of a path that lead elsewhere than it says."""
_CLOSED = ("/resourcez", "/readyz", "/_solara/api/evict/")
"""Solara's own windows into all kernels."""
_FULL = "Too many pages are open. Close some, or wait a little."
_KERNELS = "/jupyter/api/kernels/"
_CLOSE = "/_solara/api/close/"
_LANGUAGES, _BROWSERS = 200, 2000
"""The letters that are kept of a list of languages, and the browsers it is kept of."""


@dataclass(frozen=True)
class Guard:
    """Names browsers, refuses foreign pages, hosts and crowds, and shows who has no rights the door."""

    app: Callable[..., Awaitable[None]]
    rights: Rights
    crowd: Crowd
    loopback: bool
    address: str = ""
    """Address at which a proxy serves this, if one does: https://class.school.example"""
    traffic: Traffic = field(default_factory=Traffic)
    lines: Lines = field(default_factory=Lines)
    _languages: dict[str, str] = field(default_factory=dict)
    """The languages that browsers asked for pages in, by their names; who came last stands last."""

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        browser = _cookie(headers.get("cookie", ""))
        refusal = self._refusal(scope, headers, browser)
        if refusal is not None:
            await _refuse(scope, receive, send, refusal)
            return
        if self.rights.may_enter(browser or ""):
            recognise(scope)
        scope.setdefault("state", {})["browser"] = browser or new_browser()
        if scope["type"] == "websocket":
            await self._connect(self._in_page_language(scope, browser or ""), receive, send, browser or "")
            return
        self._note_language(scope["state"]["browser"], headers.get("accept-language"))
        if self._secure:
            scope["scheme"] = "https"  # so that whatever is made of this request knows it, Solara's cookie too
        await self.app(scope, receive, _naming(send, scope, browser, secure=self._secure))

    async def _connect(self, scope: Scope, receive: Any, send: Any, browser: str) -> None:
        """Let a page have its connection, where there is room for one more. Pages without a cookie count as one."""
        kernel = scope["path"].removeprefix(_KERNELS).partition("/")[0]
        name = "".join(parse_qs(scope["query_string"].decode("latin-1")).get("session_id", ()))
        page = Page(browser, kernel, name)
        visit = self.crowd.come(browser, kernel, lambda: self.lines.end(page))
        if visit is None:
            await _refuse(scope, receive, send, PlainTextResponse(_FULL, 503))
            return
        client = scope.get("client")

        def longest() -> int:
            return LONGEST if self.rights.is_researcher(browser) else LONGEST_OF_GUESTS

        watched = self.traffic.watch(browser, client[0] if client else "somewhere", longest, receive, send)
        try:
            await self.lines.hold(page, watched, lambda heard: self.app(scope, heard, send))
        finally:
            self.crowd.go(visit)

    def _note_language(self, browser: str, accepted: str | None) -> None:
        self._languages.pop(browser, None)
        if accepted:
            self._languages[browser] = accepted[:_LANGUAGES]
            for old in list(self._languages)[:-_BROWSERS]:
                del self._languages[old]

    def _in_page_language(self, scope: Scope, browser: str) -> Scope:
        """A connection in the language of the page that makes it: Chromium (150) names another there where a page's
        language was set for it alone."""
        accepted = self._languages.get(browser)
        if accepted is None:
            return scope
        others = [pair for pair in scope["headers"] if pair[0].lower() != b"accept-language"]
        return {**scope, "headers": [*others, (b"accept-language", accepted.encode("latin-1"))]}

    @property
    def _secure(self) -> bool:
        return self.address.startswith("https:")

    def _refusal(self, scope: Scope, headers: dict[str, str], browser: str | None) -> Response | None:
        host, path, origin = headers.get("host", ""), scope["path"], headers.get("origin")
        refused = refused_host(host, loopback=self.loopback, address=self.address)
        if refused is not None:
            return PlainTextResponse(refused[1], refused[0])
        if origin is not None and host_of(origin) is None:
            return PlainTextResponse("This is no address.", 400)
        if origin is not None and origin != self.address and not is_from(origin, host):
            return PlainTextResponse("Another site may not use this one.", 403)
        if path.startswith(_CLOSED) or not _STEPS.isdisjoint(path.split("/")):
            return PlainTextResponse("There is no such page.", 404)
        if path.startswith(_CLOSE) and not self._may_close(scope, browser or ""):
            return PlainTextResponse("There is no such page.", 404)
        if OPEN.fullmatch(path) is None and not self.rights.may_enter(browser or ""):
            return RedirectResponse("/enter", 303)
        return None

    def _may_close(self, scope: Scope, browser: str) -> bool:
        pages = parse_qs(scope["query_string"].decode("latin-1")).get("session_id", ())
        return self.crowd.has_page(browser, scope["path"].removeprefix(_CLOSE), "".join(pages))


async def _refuse(scope: Scope, receive: Any, send: Any, refusal: Response) -> None:
    if scope["type"] == "websocket":
        await receive()  # the handshake has to come before it can be refused
        await send({"type": "websocket.close", "code": 1008})  # a browser shows no page for it, whatever is sent
    else:
        await refusal(scope, receive, send)


def _cookie(header: str) -> str | None:
    try:
        morsel = SimpleCookie(header).get(COOKIE)
    except Exception:  # a cookie of somebody else that cannot be read
        return None
    return morsel.value if morsel is not None and morsel.value else None


def _naming(send: Any, scope: Scope, known: str | None, *, secure: bool) -> Any:
    """Tell the browser its name where it has none yet, or where a door has given it another."""

    async def named(message: dict[str, Any]) -> None:
        browser = scope["state"]["browser"]
        if message["type"] == "http.response.start" and browser != known:
            cookie = (
                f"{COOKIE}={browser}; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000{'; Secure' if secure else ''}"
            )
            message["headers"] = [*message["headers"], (b"set-cookie", cookie.encode())]
        await send(message)

    return named
