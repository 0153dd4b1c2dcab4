"""Asks whoever comes in who they are, before any page sees the request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http.cookies import SimpleCookie
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from starlette.responses import PlainTextResponse, RedirectResponse, Response

from eduverse_mesa.visualization.app.rights import COOKIE, Rights, new_browser

Scope = dict[str, Any]
OPEN = ("/eduverse/", "/enter", "/join/")
"""What a browser gets before it has said who it is: our own style sheet, and the two doors."""
_CLOSED = ("/resourcez", "/readyz", "/_solara/api/evict/")
"""Solara's own windows into all kernels."""


@dataclass(frozen=True)
class Guard:
    """Names browsers, refuses foreign pages and hosts, and shows who has no rights the door."""

    app: Callable[..., Awaitable[None]]
    rights: Rights
    loopback: bool

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
        scope.setdefault("state", {})["browser"] = browser or new_browser()
        if browser is None and scope["type"] == "http":
            send = _naming(send, scope["state"]["browser"])
        await self.app(scope, receive, send)

    def _refusal(self, scope: Scope, headers: dict[str, str], browser: str | None) -> Response | None:
        host, path = headers.get("host", ""), scope["path"]
        # A foreign page can make a name of its own point to this machine, and then read what is served here.
        if self.loopback and not is_loopback(urlsplit(f"//{host}").hostname or ""):
            return PlainTextResponse("This address is not served here.", 421)
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return PlainTextResponse("Another site may not use this one.", 403)
        if path.startswith(_CLOSED):
            return PlainTextResponse("There is no such page.", 404)
        if not path.startswith(OPEN) and not self.rights.may_enter(browser or ""):
            return RedirectResponse("/enter", 303)
        return None


async def _refuse(scope: Scope, receive: Any, send: Any, refusal: Response) -> None:
    if scope["type"] == "websocket":
        await receive()  # the handshake has to come before it can be refused
        await send({"type": "websocket.close", "code": 1008})
    else:
        await refusal(scope, receive, send)


def _cookie(header: str) -> str | None:
    try:
        morsel = SimpleCookie(header).get(COOKIE)
    except Exception:  # a cookie of somebody else that cannot be read
        return None
    return morsel.value if morsel is not None and morsel.value else None


def _naming(send: Any, browser: str) -> Any:
    async def named(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            cookie = f"{COOKIE}={browser}; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000"
            message["headers"] = [*message["headers"], (b"set-cookie", cookie.encode())]
        await send(message)

    return named


def is_loopback(host: str) -> bool:
    """Whether an address is this machine's own."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
