"""Play, step and scrub: the bar under a room."""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

from eduverse_mesa.visualization.widgets.base import asset, styled

_ACTS = ("play", "pause", "step", "rest", "seek", "glance")
_AIMED = ("seek", "glance")


class Transport(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
    """Shows where in a lesson a page is; `on_event` hears {"do": "play" | "pause" | "step" | "seek", "to": place}.

    While a hand moves the slider it hears {"do": "glance", "to": place}, and {"do": "rest"} when the hand rests there.
    """

    _esm = asset("transport.js")
    _css = styled("transport.css")

    at = traitlets.Int(0).tag(sync=True)
    last = traitlets.Int(0).tag(sync=True)
    playing = traitlets.Bool(False).tag(sync=True)
    over = traitlets.Bool(False).tag(sync=True)
    """Nothing comes after `last`."""
    plays = traitlets.Bool(True).tag(sync=True)
    """True if it can be played here; False if it can only be looked through."""
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """Name of each place."""
    phases = traitlets.List(traitlets.List()).tag(sync=True)
    """Stretches under the slider: [name, from, to, kind]."""
    labels = traitlets.Dict().tag(sync=True)
    on_event = traitlets.Any(None, allow_none=True)

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.on_msg(self._hear)

    def _hear(self, _: Any, message: Any, __: Any) -> None:
        told = message.get("on") if isinstance(message, dict) else None
        if self.on_event is None or not isinstance(told, dict) or told.get("do") not in _ACTS:
            return
        if told["do"] not in _AIMED or type(told.get("to")) is int:
            self.on_event(told)
