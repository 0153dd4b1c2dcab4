"""Pages for what cannot be answered, in words for whoever sits before them; what exactly went wrong they do not say."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any

from anyio.to_thread import run_sync
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from eduverse_mesa.runs.collaboration.talking import OtherwiseError
from eduverse_mesa.visualization.mathematics.asking import Ask, House
from eduverse_mesa.visualization.mathematics.markup import page, tag

SAID = {403: "foreign", 404: "nothing", 405: "nothing", 400: "unread", 408: "unread", 413: "unread", 429: "often"}
"""Which words belong to a status; `broken` to any other."""
_log = logging.getLogger(__name__)

Handler = Callable[[Request, Exception], Awaitable[Response]]


def handlers(house: House) -> dict[Any, Handler]:
    """What answers where a page cannot."""

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        said = error.detail if error.detail == "erased" else SAID.get(error.status_code, "broken")
        return await run_sync(_page, Ask(request, house), error.status_code, error.headers, said)

    async def otherwise(request: Request, _: Exception) -> Response:
        return await run_sync(_page, Ask(request, house), 409, None, "otherwise")

    async def broken(request: Request, _: Exception) -> Response:
        return await run_sync(_page, Ask(request, house), 500, None, "broken")

    return {HTTPException: refused, OtherwiseError: otherwise, Exception: broken}


def _page(ask: Ask, status: int, headers: Any, said: str) -> Response:
    if "x-csrf" in ask.request.headers:  # a script asked, and nobody reads it
        return Response(status_code=status, headers=headers)
    try:
        answer = ask.page(ask.say(f"trouble.{said}"), *_body(ask, said), status=status)
    except Exception:  # the study itself may be what cannot be read; then without a name in the head
        _log.exception("the page of a trouble could not be made as usual")
        title = ask.say(f"trouble.{said}")
        made = page(title, tag("main", tag("h1", title), *_body(ask, said), id="main"), language=ask.t.language)
        return HTMLResponse(made, status, headers)
    answer.headers.update(headers or {})
    return answer


def _body(ask: Ask, said: str) -> list[object]:
    start = tag("a", ask.say("trouble.start"), href="/", class_="ev-button")
    if said == "erased":
        start = tag("a", ask.teach("to_class"), href="/class", class_="ev-button")
    return [tag("section", tag("p", ask.say(f"trouble.{said}_mend")), tag("p", start), class_="ev-card ev-narrow")]
