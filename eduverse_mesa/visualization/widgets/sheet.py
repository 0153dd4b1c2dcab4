"""Sheets of text as a widget, and the sign of life that an open page sends."""

from __future__ import annotations

import json
from typing import Any, TypeAlias

import anywidget
import traitlets

from eduverse_mesa.visualization.widgets.base import Plain, asset, styled

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
    """Return True if some element says this when it is clicked: from a browser anything can come."""
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


_SCRIPT = """
function render({ model, el }) {
  el.style.display = "none";
  const beat = () => model.send({ beat: true });
  const seen = () => { if (!document.hidden) beat(); };
  const clock = setInterval(beat, 1000 * model.get("every"));
  document.addEventListener("visibilitychange", seen);
  window.addEventListener("focus", seen);
  beat();
  return () => {
    clearInterval(clock);
    document.removeEventListener("visibilitychange", seen);
    window.removeEventListener("focus", seen);
  };
}
export default { render };
"""


class Pulse(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
    """Shows nothing; `on_beat` is called while the page is open in a browser."""

    _esm = _SCRIPT

    every = traitlets.Float(5.0).tag(sync=True)
    on_beat = traitlets.Any(None, allow_none=True)

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.on_msg(self._hear)

    def _hear(self, _: Any, message: Any, __: Any) -> None:
        if self.on_beat is not None and isinstance(message, dict) and message.get("beat") is True:
            self.on_beat()
