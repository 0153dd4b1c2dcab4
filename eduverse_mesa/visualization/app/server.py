"""The server: Solara's pages inside our guard, with our headers, and no word to anybody else."""

from __future__ import annotations

import os
import secrets
import warnings
import webbrowser
from typing import Any

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.visualization.widgets.asset import asset
from eduverse_mesa.visualization.widgets.chart import SERVED, vega_bundle

TOKEN = "EDUVERSE_TOKEN"
"""Environment: the researcher's token, where it is not to be drawn anew at each start."""

_APP = "eduverse_mesa.visualization.app.main"
_QUEUE = 1024
_FOREVER = {"cache-control": "public, max-age=86400"}


class AppError(EduverseError):
    """The dashboard cannot be served."""


def prepare() -> None:
    """Settings of Solara that have to stand before it is imported."""
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
    )


def _hush() -> None:
    """Solara explains at length what a cookie over plain HTTP means; ours are set on purpose."""
    warnings.filterwarnings("ignore", message="Cookies with samesite=none", category=UserWarning)


def make_app(*, loopback: bool) -> Any:
    """The whole dashboard as an ASGI application."""
    prepare()
    _hush()
    import solara.server.starlette as solara_server
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.middleware.gzip import GZipMiddleware
    from starlette.routing import Route

    from eduverse_mesa.visualization.app.doors import enter, join, look_of, missing
    from eduverse_mesa.visualization.app.guard import Guard
    from eduverse_mesa.visualization.app.headers import Headers
    from eduverse_mesa.visualization.app.office import OFFICE
    from eduverse_mesa.visualization.app.patience import FRONT_END, patient_anywidget

    routes = [
        Route("/eduverse/style.css", _serve(asset("tokens.css") + _own("style.css"), "text/css")),
        Route("/eduverse/icon.svg", _serve(_own("icon.svg"), "image/svg+xml")),
        Route(SERVED, _vega),
        Route(FRONT_END, _serve(patient_anywidget(), "text/javascript")),
        Route("/enter", enter, methods=["GET", "POST"]),
        Route("/join/{token}", join, methods=["GET", "POST"]),
        *solara_server.routes,
    ]
    return Starlette(
        routes=routes,
        exception_handlers={404: missing},
        lifespan=solara_server.lifespan,
        middleware=[
            Middleware(Guard, rights=OFFICE.rights, loopback=loopback),
            Middleware(GZipMiddleware, minimum_size=1000, compresslevel=4),
            Middleware(Headers, look=look_of),
        ],
    )


def _own(name: str) -> str:
    from importlib.resources import files

    return (files("eduverse_mesa.visualization.app") / name).read_text(encoding="utf-8")


def _serve(text: str, kind: str) -> Any:
    from starlette.responses import Response

    async def serve(_: Any) -> Response:
        return Response(text, media_type=kind)

    return serve


async def _vega(_: Any) -> Any:
    from starlette.responses import Response

    return Response(vega_bundle(), media_type="text/javascript", headers=_FOREVER)


def serve(host: str, port: int, study: str, *, open_browser: bool, tell: Any) -> None:
    """Serve the dashboard until it is stopped. `tell` is given what a person should read."""
    missing = _missing()
    if missing:
        raise AppError(
            f"the dashboard needs {missing}, which is not installed.", mend="pip install 'eduverse-mesa[app]'"
        )
    sock = _bind(host, port)
    prepare()
    import uvicorn

    from eduverse_mesa.visualization.app.guard import is_loopback
    from eduverse_mesa.visualization.app.office import OFFICE

    loopback, token = is_loopback(host), os.environ.get(TOKEN, "").strip()
    if not loopback or token:
        OFFICE.rights.token = token or secrets.token_urlsafe(16)
    OFFICE.study = study
    app = make_app(loopback=loopback)
    config = uvicorn.Config(app, host=host, port=port, log_level="warning", access_log=False, ws="websockets-sansio")
    OFFICE.address = f"http://{_shown(host)}:{sock.getsockname()[1]}"
    entrance = (
        f"{OFFICE.address}/" if OFFICE.rights.token is None else f"{OFFICE.address}/enter?token={OFFICE.rights.token}"
    )
    tell(f"EduVerse is at {entrance} (Ctrl-C ends it). Runs are kept in {study}")
    import solara.server.settings as settings

    settings.main.base_url = f"{OFFICE.address}/"
    if open_browser:
        webbrowser.open(entrance)
    uvicorn.Server(config).run(sockets=[sock])


def _missing() -> str:
    from importlib.util import find_spec

    return ", ".join(name for name in ("solara", "solara_assets", "anywidget", "uvicorn") if find_spec(name) is None)


def _bind(host: str, port: int) -> Any:
    import socket

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((host, port))
        sock.listen(_QUEUE)  # whoever comes between our saying so and the first answer waits
    except OSError as error:
        sock.close()
        raise AppError(
            f"cannot listen: {error.strerror or error}.",
            where=f"{host}:{port}",
            mend="Another program may be there; choose another port with --port, or --port 0 for any.",
        ) from None
    return sock


def _shown(host: str) -> str:
    import socket

    if host in ("0.0.0.0", "::"):
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host
