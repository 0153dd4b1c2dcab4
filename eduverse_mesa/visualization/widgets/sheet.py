"""A sheet: what is to be read, as one widget. Whatever its texts hold is shown as text."""

from __future__ import annotations

import json
from typing import Any, TypeAlias

import anywidget
import traitlets

from eduverse_mesa.visualization.widgets.asset import asset, styled
from eduverse_mesa.visualization.widgets.sealed import Plain

Tree: TypeAlias = Any
"""A text, or [tag, attributes, *children]. Attributes are of sheet.js's list, and:

`key` tells children apart that change places, `v` is a number for the style sheet (the length of a bar), `on` is what
comes back when the element is clicked (JSON). A list that holds `data-list` scrolls to its child with `data-here`; one
with `data-follow` stays at its end.
"""


class Sheet(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
    """Shows a tree; `on_event` hears what was clicked, of what can be."""

    _esm = asset("sheet.js")
    _css = styled("sheet.css")

    tree = Plain(["div", {}]).tag(sync=True)
    on_event = traitlets.Any(None, allow_none=True)

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.on_msg(self._hear)

    def _hear(self, _: Any, message: Any, __: Any) -> None:
        if self.on_event is None or not isinstance(message, dict) or "on" not in message:
            return
        if stands_in(self.tree, message["on"]):
            self.on_event(message["on"])


def stands_in(tree: Tree, told: Any) -> bool:
    """Whether some element says this when it is clicked: from a browser anything can come."""
    wanted = json.dumps(told, sort_keys=True)
    parts = [tree]
    while parts:
        part = parts.pop()
        if isinstance(part, list | tuple) and part:
            attributes = part[1] if len(part) > 1 else None
            on = attributes.get("on", parts) if isinstance(attributes, dict) else parts
            if on is not parts and json.dumps(on, sort_keys=True) == wanted:
                return True
            parts.extend(part[2:])
    return False
