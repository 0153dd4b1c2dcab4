"""A sign of life: says every few seconds that somebody has the page open."""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

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
