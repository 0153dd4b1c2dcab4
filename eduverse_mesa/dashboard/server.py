"""The server: Solara's pages inside our guard, with our headers, no word to anybody else, and mended scripts."""

from __future__ import annotations

import gc
import logging
import os
import secrets
import subprocess
import sys
import warnings
import webbrowser
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager
from functools import cache
from importlib.resources import files
from threading import Lock, Thread
from typing import Any

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.visualization.vega import EMBEDDED, keep_bundle, kept_bundle, vega_bundle
from eduverse_mesa.visualization.widgets.base import asset
from eduverse_mesa.visualization.widgets.chart import SERVED
from eduverse_mesa.web.addresses import bind, clear_warning, is_loopback, lan_address, public_address

TOKEN = "EDUVERSE_TOKEN"
"""Environment: the researcher's token, where it is not to be drawn anew at each start."""

_SHORTEST = 12
"""Characters of a token that somebody has thought of: guesses are slowed for each address, and there are many."""

_APP = "eduverse_mesa.dashboard.main"
_KERNEL_STAYS = "10m"
"""How long what the server keeps of a page waits for it to come back. Its desk stays longer: see sessions."""
_GRACE = 3
"""Seconds for answers that are under way when the server is stopped."""
_CDN = "/_solara/cdn"
_SCRIPTS = ("typed.js", "connection.js", "openers.js")
_FOREVER = {"cache-control": "public, max-age=86400"}


class AppError(EduverseError):
    """The dashboard cannot be served."""


def prepare() -> None:
    """Settings of Solara that have to stand before it is imported."""
    os.environ.setdefault("SOLARA_KERNEL_CULL_TIMEOUT", _KERNEL_STAYS)
    os.environ.update(
        SOLARA_APP=_APP,
        SOLARA_TELEMETRY_MIXPANEL_ENABLE="False",
        SOLARA_SESSION_SECRET_KEY=secrets.token_urlsafe(32),
        SOLARA_SESSION_HTTP_ONLY="True",
        SOLARA_ASSETS_FONTAWESOME_ENABLED="False",
        SOLARA_THEME_VARIANT="light",
        SOLARA_THEME_LOADER="plain",
        SOLARA_THEME_SHOW_BANNER="False",
        SOLARA_THEME_TITLE="EduVerse",
        SOLARA_MODE="production",
        # Reacton then walks only through what has changed; else through every text of a page at each change, twice.
        REACTON_FAST="1",
    )


def _hush() -> None:
    """Solara explains at length what a cookie over plain HTTP means; ours are set on purpose."""
    warnings.filterwarnings("ignore", message="Cookies with samesite=none", category=UserWarning)


def make_app(*, loopback: bool, address: str = "", ready: Callable[[], None] = lambda: None) -> Any:
    """The whole dashboard as an ASGI application, at this address for browsers where it is not at its own.

    `ready` is called when it is about to answer.
    """
    prepare()
    _hush()
    import solara.server.starlette as solara_server
    from solara.server import settings
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.middleware.gzip import GZipMiddleware
    from starlette.routing import Mount, Route
    from starlette.staticfiles import StaticFiles

    from eduverse_mesa.dashboard.doors import enter, join, look_of, missing
    from eduverse_mesa.dashboard.guard import Crowd, Guard
    from eduverse_mesa.dashboard.headers import Headers
    from eduverse_mesa.dashboard.kernels import SolaraKernels
    from eduverse_mesa.dashboard.sessions import OFFICE
    from eduverse_mesa.dashboard.shell import PAGES

    routes = [
        Route("/eduverse/style.css", _serve(asset("tokens.css") + _own("style.css"), "text/css")),
        Route("/eduverse/connection.js", _serve("".join(map(_own, _SCRIPTS)), "text/javascript")),
        Route("/eduverse/icon.svg", _serve(_own("icon.svg"), "image/svg+xml")),
        Route(SERVED, _vega),
        Route(FRONT_END, _serve(patient_anywidget(), "text/javascript")),
        Route(PAGE, _serve(patient_page(), "text/javascript")),
        Route("/enter", enter, methods=["GET", "POST"]),
        Route("/join/{token}", join, methods=["GET", "POST"]),
        # Solara hands what follows a page's address to the page; ours take nothing.
        *(Route(f"/{page}/{{rest:path}}", _gone) for page in PAGES if page != "classroom"),
        # What Solara's front end needs is on the disk; its own way would fetch the rest of the world, for anybody.
        Mount(_CDN, StaticFiles(directory=settings.assets.proxy_cache_dir)),
        *(route for route in solara_server.routes if getattr(route, "path", "") != _CDN),
    ]
    return Starlette(
        routes=routes,
        exception_handlers={404: missing},
        lifespan=_living(solara_server.lifespan, ready),
        middleware=[
            Middleware(
                Guard,
                rights=OFFICE.rights,
                crowd=Crowd(SolaraKernels(), OFFICE.rights),
                loopback=loopback,
                address=address,
            ),
            Middleware(GZipMiddleware, minimum_size=1000, compresslevel=4),
            Middleware(Headers, look=look_of),
        ],
    )


def _living(lifespan: Any, ready: Callable[[], None]) -> Any:
    """Solara's beginning and end, and between them ours: at the end people get up, and runs are written to theirs."""

    @asynccontextmanager
    async def living(app: Any) -> AsyncIterator[None]:
        from anyio.to_thread import run_sync

        from eduverse_mesa.dashboard.sessions import OFFICE

        async with lifespan(app):
            ready()
            yield
            await run_sync(OFFICE.close)

    return living


def _own(name: str) -> str:
    return (files("eduverse_mesa.dashboard") / name).read_text(encoding="utf-8")


def _serve(text: str, kind: str) -> Any:
    from starlette.responses import Response

    async def serve(_: Any) -> Response:
        return Response(text, media_type=kind)

    return serve


async def _gone(_: Any) -> Any:
    from starlette.exceptions import HTTPException

    raise HTTPException(404)


async def _vega(_: Any) -> Any:
    from anyio.to_thread import run_sync
    from starlette.responses import Response

    return Response(await run_sync(LIBRARY.text), media_type="text/javascript", headers=_FOREVER)


def serve(
    host: str,
    port: int,
    study: str,
    *,
    open_browser: bool,
    tell: Callable[[str], object],
    tell_secret: Callable[[str], object] | None = None,
    address: str = "",
) -> None:
    """Serve the dashboard until it is stopped.

    `tell` is given what a person should read, also in a log; `tell_secret` what may stand on a terminal only, and is
    None where there is none. `address` is where browsers find it, if a proxy serves it: https://class.school.example
    """
    missing = _missing()
    if missing:
        raise AppError(
            f"the dashboard needs {missing}, which is not installed.", mend="pip install 'eduverse-mesa[app]'"
        )
    public, token = public_address(address), _token()
    sock = bind(host, port)
    prepare()
    gc.disable()  # until it answers: what is imported stays, and a fifth of the time went into seeking garbage in it

    LIBRARY.begin()
    from eduverse_mesa.dashboard.sessions import OFFICE

    loopback = is_loopback(host)
    if token or not loopback or public:  # behind a proxy everybody comes from this machine
        OFFICE.rights.token = token or secrets.token_urlsafe(16)
    OFFICE.study = study
    OFFICE.address = public or f"http://{lan_address(host)}:{sock.getsockname()[1]}"

    def ready() -> None:

        gc.freeze()
        gc.enable()
        OFFICE.rights.begin()
        tell(f"EduVerse is at {_entrance()} (Ctrl-C ends it). Runs are kept in {study}")
        if OFFICE.rights.token is not None:
            tell("This address opens one browser, within a minute.")
            _tell_token("" if token else OFFICE.rights.token, tell, tell_secret)
        if warning := clear_warning(host, public):
            tell(warning)
        if not public and host in ("0.0.0.0", "::"):
            tell(f"Join links begin with {OFFICE.address}; where others cannot reach that, start it with --address.")
        from eduverse_mesa.dashboard.kernels import rehearse_aside

        rehearse_aside()

    app = make_app(loopback=loopback, address=public, ready=ready)
    if open_browser:  # it takes a while to open, and waits for the first answer
        webbrowser.open(_entrance())
    try:
        _run(app, sock, proxied=bool(public))
    finally:
        gc.enable()  # where it has not come so far
        OFFICE.close()  # where somebody was in too great a hurry for the server's own end


def _run(app: Any, sock: Any, *, proxied: bool) -> None:
    from solara.server import settings

    from eduverse_mesa.dashboard.sessions import OFFICE
    from eduverse_mesa.dashboard.traffic import LONGEST
    from eduverse_mesa.web.connections import make_server
    from eduverse_mesa.web.logs import write_logs

    write_logs()
    settings.main.base_url = f"{OFFICE.address}/"
    settings.main.root_path = ""  # not whatever the first request says
    server = make_server(app, proxied=proxied, grace=_GRACE, ws="websockets-sansio", ws_max_size=LONGEST)
    server.run(sockets=[sock])


def _entrance() -> str:
    """An address that lets one browser in. The token is in none: a browser's command line is read by whoever is on this
    machine, and a proxy's log by others."""
    from eduverse_mesa.dashboard.sessions import OFFICE

    rights = OFFICE.rights
    return f"{OFFICE.address}/" if rights.token is None else f"{OFFICE.address}/enter?ticket={rights.new_ticket()}"


def _tell_token(drawn: str, tell: Callable[[str], object], tell_secret: Callable[[str], object] | None) -> None:
    """Say what opens other browsers, and this one later: the token that was drawn, unless one was chosen."""
    if not drawn:
        tell(f"Later, and in other browsers, show the token in {TOKEN} at {_door()}")
    elif tell_secret is not None:
        tell_secret(f"Later, and in other browsers, show the token {drawn} at {_door()}")
    else:
        tell(f"This is no terminal, so the token for other browsers is not shown: choose one in {TOKEN}.")


def _door() -> str:
    from eduverse_mesa.dashboard.sessions import OFFICE

    return f"{OFFICE.address}/enter"


def _token() -> str:
    token = os.environ.get(TOKEN, "").strip()
    if token and len(token) < _SHORTEST:
        raise AppError(
            f"the token is too short: it has {len(token)} characters, and could be guessed.",
            where=TOKEN,
            mend=f"Choose one of at least {_SHORTEST}, or none: one is drawn then.",
        )
    return token


def _missing() -> str:
    from importlib.util import find_spec

    return ", ".join(name for name in ("solara", "solara_assets", "anywidget", "uvicorn") if find_spec(name) is None)


_LOG = logging.getLogger(__name__)

# A process of its own: the tool that makes the bundle holds up every thread of the one in which it runs. Nothing is
# imported from the folder in which the dashboard was started (-P).
_APART = (sys.executable, "-P", "-c")
_MAKING = """
import sys
import vl_convert
sys.stdout.buffer.write(vl_convert.javascript_bundle(sys.argv[1]).encode())
"""


class Library:
    """The script of the charts, as it is kept or made once."""

    def __init__(self) -> None:
        self._door = Lock()
        self._made: Future[str] | None = None

    def begin(self) -> Future[str]:
        """Have it made, if nobody has yet; waits for nothing."""
        with self._door:
            if self._made is None:
                self._made = Future()
                Thread(target=self._make, args=(self._made,), name="eduverse-library", daemon=True).start()
            return self._made

    def text(self) -> str:
        """The script, once it is there."""
        return self.begin().result()

    @staticmethod
    def _make(made: Future[str]) -> None:
        try:
            made.set_result(kept_bundle() or _made_apart())
        except Exception as error:
            made.set_exception(error)


def _made_apart() -> str:
    try:
        told = subprocess.run([*_APART, _MAKING, EMBEDDED], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        _LOG.warning("the charts' library is made within the server, which stands still meanwhile: %s", error)
        return vega_bundle()
    return keep_bundle(told.stdout.decode("utf-8"))


LIBRARY = Library()


FRONT_END = "/jupyter/nbextensions/anywidget/index.js"
"""Path at which Solara's page asks for anywidget."""

PAGE = "/static/main-vuetify.js"
"""Path at which Solara's page asks for the script that connects it."""

_HASTY, _PATIENT = "AbortSignal.timeout(2e3)", "AbortSignal.timeout(12e4)"

_SILENCE = "reject(new Error('app-status timeout')), 500)"
_NO_ANSWER = "reply = { started: false, canRecover: false };"
_TURN = "let reply;"
WAITS = {
    _SILENCE: "reject(new Error('app-status timeout')), 30000)",
    _TURN: "let reply; const turn = solara.debug.reconnectCount;",
    # Nothing is known: the next connection asks again.
    _NO_ANSWER: "if (turn === solara.debug.reconnectCount) solara.debug.dropConnection(); return;",
}
"""Passages of Solara's script, each with what replaces it for our pages."""


@cache
def patient_anywidget() -> str:
    """anywidget's own script, with more patience."""
    script = (files("anywidget") / "nbextension" / "index.js").read_text(encoding="utf-8")
    return script.replace(_HASTY, _PATIENT)


@cache
def patient_page() -> str:
    """Solara's own script, which does not take silence for an answer."""
    script = (files("solara.server") / "static" / "main-vuetify.js").read_text(encoding="utf-8")
    for hasty, patient in WAITS.items():
        script = script.replace(hasty, patient)
    return script
