"""Asks whoever comes in who they are, before any page sees the request."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from starlette.responses import PlainTextResponse, RedirectResponse, Response

from eduverse_mesa.visualization.app.addresses import host_of, is_from, refused_host
from eduverse_mesa.visualization.app.crowd import Crowd
from eduverse_mesa.visualization.app.lines import Lines, Page
from eduverse_mesa.visualization.app.rights import COOKIE, Rights, new_browser
from eduverse_mesa.visualization.app.traffic import LONGEST, LONGEST_OF_GUESTS, Traffic
from eduverse_mesa.visualization.recognition import recognise

Scope = dict[str, Any]
OPEN = re.compile(r"/eduverse/[\w.-]+|/enter|/join/[^/]+")
"""What a browser gets before it has said who it is: our own style sheet, and the two doors."""
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
    """Where a proxy serves this, if one does: https://class.school.example"""
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
