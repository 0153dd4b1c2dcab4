"""Connections of a server: room for whoever is logged in, and no time for whoever only holds a place."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import MutableMapping
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from eduverse_mesa.web.addresses import QUEUE, network_of

CONNECTION = "eduverse_connection"
"""Key in a request's state that names its connection."""


def recognise(scope: MutableMapping[str, Any]) -> None:
    """This request is of somebody who is logged in: its connection makes no room for others any more."""
    connection = scope.get("state", {}).get(CONNECTION)
    if connection is not None:
        connection.recognise()


HEADER = 10.0
"""Seconds for the header of a request, from the connection's beginning or the header's first letter."""
REQUEST = 60.0
"""Seconds for the rest of it. A page may have less patience, and says so itself."""

_AHEAD = 1
"""Requests in a row that a client may send before it has the answer to the one before. Browsers and proxies send none;
a program that sends hundreds, and reads no answer, would have the server work for it alone."""
_MOST = 2000
"""Connections of one address that may wait for their client, where there are files enough."""
_ENDLESS = 65_536
"""Open files that are asked for where the system sets no limit, or the most that it grants anyway."""
_MAC = 10_240
"""Open files that macOS grants where it says that there is no limit."""
_UNKNOWN = 2048
"""Open files on a system that has no such limit."""
_OWN = 256
"""Open files that are no connections: the study, the program's own."""
_AT_ONCE = 64
"""Connections that are taken before the next look at those that are there: they are open files already."""


def raise_file_limit() -> int:
    """Let this process open as many files as the system grants it; how many those are."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return _UNKNOWN
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = (_ENDLESS, _MAC) if hard == resource.RLIM_INFINITY else (hard,)
    for files in wanted:
        if soft == resource.RLIM_INFINITY or soft >= files:
            break
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
        except (ValueError, OSError):  # the system grants less than it says
            continue
        soft = files
        break
    return _ENDLESS if soft == resource.RLIM_INFINITY else min(soft, _ENDLESS)


class Connections:
    """The connections of a server that wait for their client, by their address."""

    def __init__(self, files: int, *, proxied: bool = False) -> None:
        self.in_all = files - min(_OWN, files // 4)
        """Connections that there may be, of whatever kind."""
        self.of_address = min(_MOST, files // 4)
        self._proxied = proxied
        self._waiting: dict[str, dict[Connection, None]] = {}
        """In the order in which they began to wait."""

    def wait(self, connection: Connection, taken: int) -> None:
        """The client of this connection has the next word; `taken`: how many connections there are."""
        queue = self._waiting.setdefault(connection.address, {})
        queue.setdefault(connection)
        if len(queue) > self.of_address and not self._is_proxy(connection.address):
            self._end_longest(queue)
        elif taken > self.in_all:
            self._end_longest(max(self._waiting.values(), key=len))

    def leave(self, connection: Connection) -> None:
        """This connection is served, or has ended."""
        queue = self._waiting.get(connection.address, {})
        queue.pop(connection, None)
        if not queue:
            self._waiting.pop(connection.address, None)

    def _is_proxy(self, address: str) -> bool:
        """Everybody comes by the proxy, which waits for its own clients until their requests are whole."""
        return self._proxied and address in _HERE

    def _end_longest(self, queue: dict[Connection, None]) -> None:
        longest = next(iter(queue))
        self.leave(longest)
        longest.cut()


_HERE = frozenset(map(network_of, ("127.0.0.1", "::1")))


class Connection(H11Protocol):
    """A connection that is ended where its client keeps it waiting for too long, or where others need its place."""

    config: Config

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.app_state = {**self.app_state, CONNECTION: self}
        self.address = ""
        self._known = False
        self._upgraded = False
        self._ahead = 0
        """Requests in a row that were there before the one before them was answered."""
        self._missing = 0.0
        """Seconds that the client has for what it has not sent; none where nothing is missing."""
        self._deadline: asyncio.TimerHandle | None = None

    def recognise(self) -> None:
        """Somebody who is logged in has sent a request on it."""
        self._known = True
        self.config.guard.leave(self)

    def cut(self) -> None:
        """End it, whatever was not sent or taken yet."""
        self.transport.abort()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """It begins."""
        super().connection_made(transport)
        self.address = network_of(self.client[0]) if self.client else ""
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is over."""
        self._set_deadline(0.0)
        self.config.guard.leave(self)
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Something has come."""
        super().handle_events()
        self._look()

    def on_response_complete(self) -> None:
        """A request was answered. Whoever has sent too many ahead is left with that: RFC 9112 (9.3.2) has clients
        send again what was not answered."""
        self._ahead = self._ahead + 1 if self.conn.trailing_data[0] else 0
        if self._ahead > _AHEAD:
            self.transport.close()
            self.loop.call_later(HEADER, self.cut)  # it may never take what is still on its way
        super().on_response_complete()
        self._look()

    def pause_writing(self) -> None:
        """The client does not take what it is sent."""
        super().pause_writing()
        self._look()

    def resume_writing(self) -> None:
        """The client has taken what it was sent."""
        super().resume_writing()
        self._look()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """From here on it is a websocket, of which the pages take care."""
        self._upgraded = True
        self._set_deadline(0.0)
        self.config.guard.leave(self)
        super().handle_websocket_upgrade(event)

    def _look(self) -> None:
        """See whose turn it is."""
        if self._upgraded:
            return
        closing, theirs = self.transport.is_closing(), self.conn.their_state
        header = theirs is h11.IDLE and (self.cycle is None or bool(self.conn.trailing_data[0]))
        self._set_deadline(0.0 if closing else HEADER if header else REQUEST if theirs is h11.SEND_BODY else 0.0)
        served = self.cycle is not None and not self.cycle.response_complete and not self.flow.write_paused
        if served and not closing and theirs not in (h11.IDLE, h11.SEND_BODY):
            self.config.guard.leave(self)
        elif not self._known:
            self.config.guard.wait(self, len(self.connections))

    def _set_deadline(self, seconds: float) -> None:
        """Begin to count where something else is missing than before: a letter now and then wins no time."""
        if seconds == self._missing:
            return
        self._missing = seconds
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = self.loop.call_later(seconds, self.cut) if seconds else None


class Config(uvicorn.Config):
    """A server's settings, and what keeps its connections."""

    def __init__(self, app: Any, guard: Connections, **named: Any) -> None:
        super().__init__(app, **named)
        self.guard = guard


class _Server(uvicorn.Server):
    """A server whose line before the door is longer than what it lets in at once."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        for sock in sockets or ():
            sock.listen(QUEUE)


def make_server(app: Any, *, proxied: bool, grace: int, **more: Any) -> uvicorn.Server:
    """A server for these pages. `proxied`: a proxy on this machine passes requests on, and its word is taken for where
    they come from; `grace`: seconds for answers that are under way when it is stopped."""
    guard = Connections(raise_file_limit(), proxied=proxied)
    config = Config(
        app,
        guard,
        http=Connection,
        backlog=_AT_ONCE,
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=proxied,
        forwarded_allow_ips="127.0.0.1,::1" if proxied else "",
        timeout_graceful_shutdown=grace,
        **more,
    )
    return _Server(config)
