"""The two doors: the token's, and join links'. Plain pages without a script."""

from __future__ import annotations

from collections.abc import MutableMapping
from html import escape
from typing import Any
from urllib.parse import parse_qs

from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from eduverse_mesa.dashboard.headers import Look
from eduverse_mesa.dashboard.sessions import OFFICE, TooManyGuessesError, new_browser
from eduverse_mesa.visualization.words import Words, load_words, preferred, run_on
from eduverse_mesa.visualization.words.errors import error_text
from eduverse_mesa.web.addresses import network_of
from eduverse_mesa.web.alerts import help_words

_LONGEST = 4096
"""Bytes of a form at most."""

_PAGE = """<!doctype html>
<html>
<head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
</head>
<body class="ev-door"><main><p class="ev-brand">EduVerse</p><h1>{title}</h1><p>{text}</p>{wrong}
<form method="post">{field}<button type="submit">{go}</button></form></main></body>
</html>
"""


def language_of(scope: MutableMapping[str, Any]) -> str:
    """The language a browser asks for, unless one was chosen in it."""
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
    browser = scope.get("state", {}).get("browser", "")
    return OFFICE.language_of(browser) or preferred(headers.get("accept-language", ""))


def look_of(scope: MutableMapping[str, Any]) -> Look:
    """How this browser wants its pages."""
    dark = OFFICE.theme_of(scope.get("state", {}).get("browser", ""))
    return Look(language_of(scope), "auto" if dark is None else "dark" if dark else "light")


def _words(request: Request) -> Words:
    return load_words(language_of(request.scope))


def _door(title: str, text: str, go: str, *, field: str = "", wrong: str = "", status: int = 200) -> HTMLResponse:
    told = f'<p role="alert" class="ev-wrong">{escape(wrong)}</p>' if wrong else ""
    page = _PAGE.format(title=escape(title), text=escape(text), go=escape(go), field=field, wrong=told)
    return HTMLResponse(page, status)


async def enter(request: Request) -> Response:
    """The researcher's door: a ticket opens it from an address, the token from its form."""
    t, wrong, status = _words(request), "", 200
    ticket = request.query_params.get("ticket")
    if request.method == "POST":
        token = await _posted(request, "token")
        address = network_of(request.client.host) if request.client is not None else ""
        try:
            if await OFFICE.guesses.look(address, lambda: OFFICE.rights.is_token(token), request.is_disconnected):
                return _entered(request)
            wrong, status = t("app.enter.wrong"), 403
        except TooManyGuessesError:
            wrong, status = t("app.enter.wait"), 429
    elif ticket is not None and request.method == "GET":  # whoever only asks for the headers does not come in
        if OFFICE.rights.take_ticket(ticket):
            return _entered(request)
        wrong, status = t("app.enter.used"), 403
    label = escape(t("app.enter.token"))
    field = f'<label>{label} <input name="token" type="password" autocomplete="off" autofocus required></label>'
    return _door(t("app.enter.title"), t("app.enter.text"), t("app.enter.go"), field=field, wrong=wrong, status=status)


def _entered(request: Request) -> Response:
    """In, under a new name: whoever planted the one that this browser came with does not come in with it."""
    request.state.browser = new_browser()
    OFFICE.rights.admit(request.state.browser)
    return RedirectResponse("/", 303)


async def join(request: Request) -> Response:
    """A guest's door. Looking at it does not use the link up: programs that show previews look at links, too."""
    t, token, browser = _words(request), request.path_params["token"], request.state.browser
    role = OFFICE.lessons.role_of(token, browser)
    if role is None:
        return _used(t)
    if request.method == "POST":
        if not OFFICE.knows(browser):
            browser = request.state.browser = new_browser()
        return _joined(token, browser, await _posted(request, "name"), t)
    help_line = run_on(help_words(t, await run_sync(lambda: OFFICE.alerts.adult)))  # a name is listened to, too
    name, help_text = escape(t("app.join.name")), escape(t("app.join.name_help"))
    field = (
        f'<label>{name} <input name="name" maxlength="40" autocomplete="off" aria-describedby="about"></label>'
        f'<small id="about">{help_text}</small><small>{escape(t("app.join.notice"))}</small>'
        f"<small>{escape(help_line)}</small>"
    )
    return _door(
        t("app.join.title"), t(f"app.join.{role}"), t("app.join.go"), field="" if role == "researcher" else field
    )


def _joined(token: str, browser: str, name: str, t: Words) -> Response:
    from eduverse_mesa.dashboard.lessons.sitter import sitting

    mine = sitting(OFFICE.desk(browser))
    mine.sit(token, name)
    if mine.trouble is not None:
        error, mine.trouble = mine.trouble, None
        return _used(t, error_text(error, t))
    OFFICE.rights.seat(browser)
    return RedirectResponse("/seat", 303)


async def missing(request: Request, _: Exception) -> Response:
    """An address that leads nowhere."""
    t = _words(request)
    page = _door(
        t("app.missing.title"), t("app.missing.text", path=request.url.path[:200]), t("app.missing.go"), status=404
    )
    return HTMLResponse(bytes(page.body).replace(b'method="post"', b'action="/"'), 404)


async def _posted(request: Request, field: str) -> str:
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _LONGEST:
            return ""
    return next(iter(parse_qs(body.decode("utf-8", "replace")).get(field, [])), "")


def _used(t: Words, why: str = "") -> HTMLResponse:
    page = _PAGE.format(title=escape(t("app.join.title")), text="", wrong="", field="", go="")
    told = f'<p role="alert" class="ev-wrong">{escape(why or t("app.join.used"))}</p>'
    return HTMLResponse(page[: page.index("<form")] + told + "</main></body>\n</html>\n", 410)
