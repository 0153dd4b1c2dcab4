"""A chart as a widget that needs no network: Altair's own widgets fetch Vega from another host."""

from __future__ import annotations

from functools import cache
from typing import Any

import anywidget
import traitlets

from eduverse_mesa.visualization.widgets.base import PlainDict, asset, styled

SERVED = "/eduverse/vega.js"
"""The address at which the dashboard serves Vega."""

EMBEDDED = "window.evVegaEmbed = vegaEmbed;"
"""The statement by which the bundle gives Vega-Embed to the page."""


@cache
def vega_bundle() -> str:
    """Vega, Vega-Lite and Vega-Embed in one script. To make it takes seconds, and no other thread runs meanwhile."""
    import vl_convert as vlc

    return closed(vlc.javascript_bundle(EMBEDDED))


def closed(script: str) -> str:
    """The bundle within a function: what it declares would otherwise stand in everybody's way in the page."""
    return f"(() => {{\n{script}\n}})();"


class ChartWidget(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
    """Draws an Altair chart's specification. `signals` are set in the drawn chart without drawing it again."""

    _esm = asset("chart.js")
    _css = styled("chart.css")

    spec = PlainDict().tag(sync=True)
    signals = traitlets.Dict().tag(sync=True)
    label = traitlets.Unicode("").tag(sync=True)
    source = traitlets.Unicode("").tag(sync=True)
    on_event = traitlets.Any(None, allow_none=True)

    def __init__(self, **traits: Any) -> None:
        if "source" not in traits:
            traits["source"] = vega_bundle()
        super().__init__(**traits)
        self.on_msg(self._hear)

    def _hear(self, _: Any, message: Any, __: Any) -> None:
        if self.on_event is not None and isinstance(message, dict) and "on" in message:
            self.on_event(message["on"])

    @classmethod
    def of(cls, chart: Any, label: str = "") -> ChartWidget:
        """The widget of an Altair chart, for a notebook."""
        return cls(spec=chart.to_dict(), label=label)
