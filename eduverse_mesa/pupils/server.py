"""The server: routes, headers, and the hall that runs behind them."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from shlex import quote
from typing import Any

import msgspec
from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.datastructures import Headers as HTTPHeaders
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.pupils import logins, student
from eduverse_mesa.pupils.dialogues import Dialogues, Minds, Snapshot, kind_of
from eduverse_mesa.pupils.markup import page, tag
from eduverse_mesa.pupils.request import Answer, Ask, NotLoggedInError, Site, answering, refuse_zeros
from eduverse_mesa.pupils.retention import data, tend
from eduverse_mesa.pupils.teacher.routes import ROUTES
from eduverse_mesa.pupils.typesetting import Piece, typeset
from eduverse_mesa.runs.kernel import OtherwiseError
from eduverse_mesa.runs.studies import open_study
from eduverse_mesa.store import Study
from eduverse_mesa.store.accounts import add_account, all_accounts, draw_password
from eduverse_mesa.store.dialogues import Keep, set_keep_days, set_reader
from eduverse_mesa.store.logins import is_logged_in
from eduverse_mesa.visualization.widgets.base import asset
from eduverse_mesa.web.addresses import bind, clear_warning, is_loopback, lan_address, public_address, refused_host
from eduverse_mesa.web.connections import recognise
from eduverse_mesa.web.logs import write_logs

_DARK = re.compile(r"\.theme--dark[^{]*\{([^}]*)\}")


def assets() -> list[tuple[str, str, str]]:
    """Each file's name, text and kind: one style sheet, of all that lie here, and every script."""
    own, app = (files(f"eduverse_mesa.{room}") for room in ("pupils.static", "dashboard"))
    sheets = "".join(file.read_text("utf-8") for file in _ending(own, ".css"))
    return [
        ("style.css", colours() + sheets, "text/css"),
        *((file.name, file.read_text("utf-8"), "text/javascript") for file in _ending(own, ".js")),
        ("icon.svg", (app / "icon.svg").read_text("utf-8"), "image/svg+xml"),
    ]


def _ending(folder: Traversable, end: str) -> list[Traversable]:
    """Its files with this ending, by their names."""
    return sorted((file for file in folder.iterdir() if file.name.endswith(end)), key=lambda file: file.name)


def colours() -> str:
    """The house's colours; the dark ones where the system is dark, since no script sets a class on these pages."""
    tokens = asset("tokens.css")
    dark = _DARK.search(tokens)
    assert dark is not None
    return f"{tokens}@media (prefers-color-scheme: dark) {{ :root {{{dark[1]}}} }}\n"


SAID = {403: "foreign", 404: "nothing", 405: "nothing", 400: "unread", 408: "unread", 413: "unread", 429: "often"}
"""Words that belong to a status; `broken` to any other."""
_log = logging.getLogger(__name__)

Handler = Callable[[Request, Exception], Awaitable[Response]]


def handlers(site: Site) -> dict[Any, Handler]:
    """Return the handlers that answer where a page cannot."""

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        said = error.detail if error.detail == "erased" else SAID.get(error.status_code, "broken")
        return await run_sync(_page, Ask(request, site), error.status_code, error.headers, said)

    async def otherwise(request: Request, _: Exception) -> Response:
        return await run_sync(_page, Ask(request, site), 409, None, "otherwise")

    async def broken(request: Request, _: Exception) -> Response:
        return await run_sync(_page, Ask(request, site), 500, None, "broken")

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


_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


class Hosts:
    """Refuses requests by which another site's page would reach this machine."""

    def __init__(self, app: Any, *, loopback: bool, address: str) -> None:
        self.app, self._loopback, self._address = app, loopback, address

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request, or refuse it."""
        refused = None
        if scope["type"] == "http":
            header = HTTPHeaders(scope=scope).get("host", "")
            refused = refused_host(header, loopback=self._loopback, address=self._address)
        if refused is not None:
            await PlainTextResponse(refused[1], refused[0])(scope, receive, send)
        else:
            await self.app(scope, receive, send)


class Headers:
    """Puts the headers on every answer; pages are kept by nobody."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request."""

        async def sent(message: Any) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
            await send(message)

        await self.app(scope, receive, sent)


def make_app(
    site: Site, ready: Callable[[], None] = lambda: None, *, loopback: bool = False, address: str = ""
) -> Starlette:
    """All pages as an ASGI application. `loopback`: only this machine reaches it, or a proxy that serves it at
    `address`."""

    @asynccontextmanager
    async def living(_: Any) -> AsyncIterator[None]:
        under_way = [asyncio.create_task(site.dialogues.drive()), asyncio.create_task(tend(site))]
        ready()
        yield
        for task in under_way:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    def route(path: str, answer: Answer, *methods: str) -> Route:
        return Route(path, answering(site, answer), methods=list(methods or ("GET",)))

    def in_turn(request: Request) -> AbstractAsyncContextManager[None]:
        return site.dialogues.turn(request.path_params["run"])

    return Starlette(
        routes=[
            route("/", logins.home),
            route("/login", logins.login, "GET", "POST"),
            route("/logout", logins.logout, "POST"),
            route("/language", logins.language, "POST"),
            route("/data", data, "GET", "POST"),
            route("/work", student.work),
            route("/work/{assignment}/{number}", student.solve),
            route("/consent", student.agree, "POST"),
            route("/survey/{assignment}", student.survey, "GET", "POST"),
            Route("/talk/{run}/say", answering(site, student.say, in_turn), methods=["POST"]),
            route("/talk/{run}/typing", student.typing, "POST"),
            Route("/talk/{run}/events", _events(site)),
            *(route(path, answer, *methods) for path, answer, methods in ROUTES),
            *(Route(f"/static/{name}", _static(text, kind)) for name, text, kind in assets()),
        ],
        exception_handlers=handlers(site),
        lifespan=living,
        middleware=[Middleware(Headers), Middleware(Hosts, loopback=loopback, address=address)],
    )


def serve(
    host: str,
    port: int,
    study: str,
    *,
    address: str,
    typing: float,
    minds: Minds,
    tell: Callable[[str], object],
    tell_secret: Callable[[str], object] | None = None,
    keep: Keep | None = None,
    prepare: Callable[[Study], object] = lambda _: None,
) -> None:
    """Serve the pages until they are stopped. `address`: where browsers find them behind a proxy; `minds`: who may
    think for the peers; `tell`: says what may stand in a log; `tell_secret`: says what may not, None where nobody
    looks on; `keep`: how long dialogues are kept from now on; `prepare`: what is done with the study first."""
    missing = [name for name in ("starlette", "uvicorn", "argon2", "latex2mathml") if find_spec(name) is None]
    if missing:
        raise MathematicsError(
            f"the pages need {', '.join(missing)}, which is not installed.", mend="pip install 'eduverse-mesa[app]'"
        )
    from eduverse_mesa.web.connections import make_server

    public = public_address(address)
    write_logs()
    with open_study(study, create=True) as opened:
        sock = bind(host, port)
        prepare(opened.study)
        first = first_teacher(opened.study)
        if keep is not None:
            set_keep_days(opened.study, keep.days)
        set_reader(opened.study, minds.reader)
        here = public or f"http://{lan_address(host)}:{sock.getsockname()[1]}"

        def ready() -> None:
            tell(f"Mathematics is at {here}/ (Ctrl-C ends it). Everything is kept in {opened.study.path}")
            if warning := clear_warning(host, public):
                tell(warning)
            if first is not None:
                _tell_first(first, opened.study.path, tell, tell_secret)

        site = Site(opened, Dialogues(opened, typing, minds), secure=public.startswith("https:"))
        app = make_app(site, ready, loopback=is_loopback(host), address=public)
        make_server(app, proxied=bool(public), grace=_GRACE).run(sockets=[sock])


def _tell_first(
    first: tuple[str, str], study: str, tell: Callable[[str], object], tell_secret: Callable[[str], object] | None
) -> None:
    name, password = first
    if tell_secret is not None:
        tell_secret(f"The first teacher's name is {name}, the password {password} - it is not shown again.")
        return
    command = f"eduverse mathvc password {quote(study)} {name}"
    tell(f"The first teacher's name is {name}. This is no terminal, so the password is not shown; set one: {command}")


_GRACE = 2
"""Seconds for answers that are under way when the server is stopped."""


class MathematicsError(EduverseError):
    """The pages cannot be served."""


def first_teacher(study: Study) -> tuple[str, str] | None:
    """Name and password of a teacher made now, where there is none: somebody has to make the other accounts."""
    if all_accounts(study, "teacher"):
        return None
    password = draw_password()
    return add_account(study, "teacher", "teacher", password, language="").name, password


def _static(text: str, kind: str) -> Any:
    async def serve(_: Request) -> Response:
        return Response(text, media_type=kind, headers={"cache-control": "no-cache"})

    return serve


class _Said(msgspec.Struct):
    step: int
    speaker: str
    text: str
    shown: tuple[Piece, ...]
    """The text with its mathematics, as a tree."""


class _Sent(msgspec.Struct):
    messages: list[_Said]
    stage: str
    typing: tuple[str, ...]
    over: bool
    away: bool
    right: bool
    waits: str


def _events(site: Site) -> Any:
    async def events(request: Request) -> Response:
        refuse_zeros(request)
        ask = Ask(request, site)
        try:
            me, run = await run_sync(student.my_talk, ask)
        except NotLoggedInError:
            return Response(status_code=401)
        except EduverseError:
            return Response(status_code=503)
        seen = (request.query_params.get("after", "0"), request.headers.get("last-event-id", "0"))
        recognise(request.scope)
        if request.method == "HEAD":  # it ends with the headers
            return Response(media_type="text/event-stream")
        after = max(int(one) for one in (*seen, "0") if one.isascii() and one.isdecimal() and len(one) < 7)

        def still() -> bool:
            return is_logged_in(site.study, ask.token, site.clock())

        async def lines() -> AsyncIterator[bytes]:
            try:
                async for standing in site.dialogues.watch(run, after, still, me.id):
                    yield b": still here\n\n" if standing is None else _event(standing)
            except EduverseError as error:
                _log.warning("a dialogue cannot be shown: %s", kind_of(error))

        return StreamingResponse(lines(), media_type="text/event-stream", headers={"x-accel-buffering": "no"})

    return events


def _event(standing: Snapshot) -> bytes:
    said = [_Said(row.step, row.speaker, row.text, typeset(row.text)) for row in standing.messages]
    now = (standing.stage, standing.typing, standing.over, standing.failed, standing.right, standing.waits)
    data = msgspec.json.encode(_Sent(said, *now))
    name = b"id: %d\n" % said[-1].step if said else b""
    return name + b"data: " + data + b"\n\n"
