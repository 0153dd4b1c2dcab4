"""A sheet: what is to be read, as one widget. Whatever its texts hold is shown as text."""

from __future__ import annotations

from typing import Any, TypeAlias

import anywidget
import traitlets

from eduverse_mesa.visualization.widgets.asset import asset, styled

Tree: TypeAlias = Any
"""A text, or [tag, attributes, *children]. Attributes are of sheet.js's list, and:

`key` tells children apart that change places, `v` is a number for the style sheet (the length of a bar), `on` is what
comes back when the element is clicked (JSON). A list that holds `data-list` scrolls to its child with `data-here`; one
with `data-follow` stays at its end.
"""


class Sheet(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
    """Shows a tree; `on_event` hears what was clicked."""

    _esm = asset("sheet.js")
    _css = styled("sheet.css")

    tree = traitlets.Any(["div", {}]).tag(sync=True)
    on_event = traitlets.Any(None, allow_none=True)

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.on_msg(self._hear)

    def _hear(self, _: Any, message: Any, __: Any) -> None:
        if self.on_event is not None and isinstance(message, dict) and "on" in message:
            self.on_event(message["on"])
