"""Limits on a page's connection: only messages that our pages send, and no more of them than people cause.

A person who has a page open can write to its connection by hand. The front end's protocol then allows widgets of any
class to be made (`comm_open`, and `create_widget` of ipyvue, which imports any module), and log and memory to be
filled.
"""

from __future__ import annotations

import json
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import anyio
import msgspec

_LOG = logging.getLogger(__name__)

Event = dict[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]

LONGEST = 8 * 2**20
"""Bytes of a message at most: a scenario's file as a form may send it, with every letter escaped."""
LONGEST_OF_GUESTS = 2 * 2**20
"""Bytes of a message from who sits in a lesson."""

_TARGETS = frozenset({"solara.control", "jupyter.widget.control"})
"""Targets that a page opens: one to be drawn, one to be drawn again after its connection was lost."""
_COSTS = {"comm_open": 10, "run": 40, "reload": 40, "request_states": 40}
"""Messages that make the server work, each with the number of messages that it counts for."""
_METHODS = frozenset({"run", "reload", "app-status", "update", "custom", "request_state", "request_states"})
_MAKING = frozenset({"create_widget", "update_ref", "destroy_widget"})
"""By these ipyvue makes objects of any class; none of our pages asks for it."""
_PIECE = 16 * 2**10
"""So many bytes count as one message more."""
_BURST, _A_SECOND = 600.0, 60.0
"""Messages that may come at once, and in each second; what comes faster waits."""
_PATIENCE, _PERIOD = 5, 60.0
"""Messages of one browser that may be refused in so many seconds; the next one ends its connection."""
_BROWSERS = 1000


class RefusedError(Exception):
    """A message that no page of ours sends."""


class _Content(msgspec.Struct):
    comm_id: str = ""
    target_name: str = ""
    data: dict[str, Any] = {}


class _Message(msgspec.Struct):
    """A message of the protocol of Jupyter, as far as our pages use it."""

    header: dict[str, str]
    content: _Content
    channel: Literal["shell", "control"]
    metadata: dict[str, Any] = {}
    parent_header: dict[str, str] = {}
    buffers: list[None] = []
    """Nothing of ours sends any."""


def cost_of(text: str) -> float:
    """Return the cost of a message, out of what its connection may send; RefusedError if no page of ours sends such a
    thing."""
    try:
        message = msgspec.convert(json.loads(text), _Message)
    except (ValueError, RecursionError) as error:
        raise RefusedError(_brief(f"it cannot be read: {error}")) from None
    kind = message.header.get("msg_type", "")
    if "msg_id" not in message.header or "header" in message.header or message.buffers:
        raise RefusedError("its header is none, or it carries bytes")
    what = kind
    if kind == "comm_open" and message.content.target_name not in _TARGETS:
        raise RefusedError(_brief(f"it opens '{message.content.target_name}'"))
    if kind == "comm_msg":
        what = _method(message.content.data)
    elif kind not in ("comm_open", "comm_close", "comm_info_request", "kernel_info_request", "shutdown_request"):
        raise RefusedError(_brief(f"its kind is '{kind}'"))
    return _COSTS.get(what, 1) + len(text) / _PIECE


def _method(data: dict[str, Any]) -> str:
    method = data.get("method")
    if not isinstance(method, str) or method not in _METHODS:
        raise RefusedError(_brief(f"its method is {method!r}"))
    if method == "custom":
        content = data.get("content")
        if not isinstance(content, dict) or not _MAKING.isdisjoint(content):
            raise RefusedError("it would make or change objects of the server")
    if method == "update" and (not isinstance(data.get("state"), dict) or data.get("buffer_paths")):
        raise RefusedError("its state is none")
    if method == "run" and (not isinstance(data.get("args"), dict) or data["args"].get("appName") is not None):
        raise RefusedError("it runs what is not ours")
    return method


def _brief(text: str) -> str:
    return ascii(text)[1:-1][:120]


@dataclass
class Traffic:
    """Watches the connections of all pages."""

    _refused: OrderedDict[str, list[float]] = field(default_factory=OrderedDict)

    def watch(self, browser: str, where: str, longest: Callable[[], int], receive: Receive, send: Send) -> Receive:
        """Return a receiver that checks a page's connection; `where` is the browser's address, for the log."""
        purse = _Purse()

        async def watched() -> Event:
            while True:
                event = await receive()
                if event["type"] != "websocket.receive":
                    return event
                try:
                    cost = _cost(event, longest())
                except RefusedError as error:
                    if self._may_go_on(browser, where, error):
                        continue
                    await send({"type": "websocket.close", "code": 1008})
                    return {"type": "websocket.disconnect", "code": 1008}
                await purse.pay(cost)
                return event

        return watched

    def _may_go_on(self, browser: str, where: str, error: RefusedError) -> bool:
        """Write one short line, not too many of them; False where a browser has sent enough of this."""
        now = time.monotonic()
        times = self._refused.setdefault(browser, [])
        self._refused.move_to_end(browser)
        if len(self._refused) > _BROWSERS:
            self._refused.popitem(last=False)
        times[:] = [*(one for one in times[-_PATIENCE:] if now - one < _PERIOD), now]
        if len(times) > _PATIENCE:
            return False
        closing = "; the next one ends its connection" if len(times) == _PATIENCE else ""
        _LOG.warning("a message from %s was refused, %s%s", where, error, closing)
        return True


def _cost(event: Event, longest: int) -> float:
    text = event.get("text")
    if text is None:
        raise RefusedError("it is no text")
    if len(text) > longest or len(text.encode("utf-8", "surrogatepass")) > longest:
        raise RefusedError(f"it has {len(text)} letters")
    return cost_of(text)


@dataclass
class _Purse:
    """Allowance of a connection; it fills up again with time. A connection that has spent it waits."""

    left: float = _BURST
    filled: float = field(default_factory=time.monotonic)

    async def pay(self, cost: float) -> None:
        now = time.monotonic()
        self.left = min(self.left + (now - self.filled) * _A_SECOND, _BURST) - cost
        self.filled = now
        if self.left < 0:
            await anyio.sleep(-self.left / _A_SECOND)
