"""Headers that every page of the dashboard is sent with, so that a browser lets nothing else in."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, MutableMapping
from typing import Any, NamedTuple

from starlette.datastructures import MutableHeaders

Scope = MutableMapping[str, Any]
Send = Callable[[dict[str, Any]], Any]

# Vue's templates and Vega's expressions are compiled in the browser, which needs 'unsafe-eval'; no text of ours is ever
# a template. Scripts of a page carry a number that is used once; widgets come as blobs.
_POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-eval' 'nonce-{nonce}' blob:; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; "
    "form-action 'self'; base-uri 'self'; frame-ancestors 'none'; object-src 'none'"
)
_ALWAYS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # the address of a join link is a secret
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
_SCRIPT = re.compile(rb"<script(?=[\s>])")
_ANY_SITE = re.compile(rb"SameSite=none", re.IGNORECASE)
_ICONS = re.compile(rb'<link rel="icon"[^>]*>\s*')
_VIEWPORT = re.compile(rb'(<meta name="viewport" content=")[^"]*')
# Solara's template is told that the page is light: told "auto" it leaves out what it needs itself.
_LIGHT = b'"variant": "light"'
_HEAD = b"</head>"
_OURS = b"""<link rel="icon" href="/eduverse/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/eduverse/style.css">
<script src="/eduverse/connection.js"></script>
"""
# What Solara says in English when the connection is lost; connection.js says it in the page's language.
_NOTICES = re.compile(
    rb'<v-overlay[^>]*"\(connectionStatus != .*?</v-overlay>|<v-alert v-if="needsRefresh.*?</v-alert>'
    rb'|<v-dialog v-model="needsRefresh".*?</v-dialog>',
    re.DOTALL,
)


def _own_site(header: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    """Over HTTPS Solara lets other sites that show a page in a frame have its cookie; ours may not be shown in any."""
    name, value = header
    return (name, _ANY_SITE.sub(b"SameSite=lax", value)) if name.lower() == b"set-cookie" else header


class Look(NamedTuple):
    """How a page is sent to a browser."""

    language: str
    theme: str
    """light, dark or auto."""


class Headers:
    """Puts the headers on every answer, and numbers the scripts of pages."""

    def __init__(self, app: Any, look: Callable[[Scope], Look]) -> None:
        self.app = app
        self._look = look

    async def __call__(self, scope: Scope, receive: Any, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        page = _Page(send, secrets.token_urlsafe(16), self._look(scope))
        await self.app(scope, receive, page.send)


class _Page:
    """One answer on its way out; a page is held back until it is whole."""

    def __init__(self, send: Send, nonce: str, look: Look) -> None:
        self._send = send
        self._nonce = nonce
        self._look = look
        self._start: dict[str, Any] = {}
        self._body: list[bytes] | None = None

    async def send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*map(_own_site, message["headers"])]
            headers = MutableHeaders(raw=message["headers"])
            for name, value in _ALWAYS.items():
                headers[name] = value
            headers["content-security-policy"] = _POLICY.format(nonce=self._nonce)
            if headers.get("content-type", "").startswith("text/html"):
                headers["cache-control"] = "no-store"
                self._start, self._body = message, []
                return
            await self._send(message)
        elif self._body is None:
            await self._send(message)
        else:
            self._body.append(message.get("body", b""))
            if not message.get("more_body"):
                body = self._rewritten(b"".join(self._body))
                MutableHeaders(raw=self._start["headers"])["content-length"] = str(len(body))
                await self._send(self._start)
                await self._send({"type": "http.response.body", "body": body})

    def _rewritten(self, page: bytes) -> bytes:
        page = _ICONS.sub(b"", _NOTICES.sub(b"", page))  # theirs, before ours come in
        page = page.replace(_HEAD, _OURS + _HEAD, 1)
        page = _SCRIPT.sub(b'<script nonce="' + self._nonce.encode() + b'"', page)
        page = page.replace(_LIGHT, b'"variant": "' + self._look.theme.encode() + b'"', 1)
        page = _VIEWPORT.sub(rb"\1width=device-width, initial-scale=1", page)  # people may zoom
        return page.replace(b"<html>", b'<html lang="' + self._look.language.encode() + b'">', 1)
