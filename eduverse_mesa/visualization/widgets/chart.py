"""A chart as a widget that needs no network: Altair's own widgets fetch Vega from another host."""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

from eduverse_mesa.visualization.vega import vega_bundle
from eduverse_mesa.visualization.widgets.base import PlainDict, asset, styled

SERVED = "/eduverse/vega.js"
"""The address at which the dashboard serves Vega."""


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
