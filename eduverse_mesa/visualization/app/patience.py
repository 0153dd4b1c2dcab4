"""A browser on a slow machine, and a server that has much to do, get the time they need.

anywidget gives a widget two seconds to be loaded and then turns it down for good, and with it all that is sent to it
later. An old school computer takes longer than that to read the charts' library alone.

Solara's page asks, once a connection is found again, whether its kernel is still there, and takes half a second of
silence for a no: it ends the kernel and is loaded anew, and what was open or chosen on it is forgotten. A server that
plays lessons is silent for longer now and then.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

FRONT_END = "/jupyter/nbextensions/anywidget/index.js"
"""Where Solara's page asks for anywidget."""

PAGE = "/static/main-vuetify.js"
"""Where Solara's page asks for what connects it."""

_HASTY, _PATIENT = "AbortSignal.timeout(2e3)", "AbortSignal.timeout(12e4)"

_SILENCE = "reject(new Error('app-status timeout')), 500)"
_NO_ANSWER = "reply = { started: false, canRecover: false };"
_TURN = "let reply;"
WAITS = {
    _SILENCE: "reject(new Error('app-status timeout')), 30000)",
    _TURN: "let reply; const turn = solara.debug.reconnectCount;",
    # Nothing is known: the next connection asks again.
    _NO_ANSWER: "if (turn === solara.debug.reconnectCount) solara.debug.dropConnection(); return;",
}
"""What stands in Solara's script, and what stands there for our pages."""


@cache
def patient_anywidget() -> str:
    """anywidget's own script, with more patience."""
    script = (files("anywidget") / "nbextension" / "index.js").read_text(encoding="utf-8")
    return script.replace(_HASTY, _PATIENT)


@cache
def patient_page() -> str:
    """Solara's own script, which does not take silence for an answer."""
    script = (files("solara.server") / "static" / "main-vuetify.js").read_text(encoding="utf-8")
    for hasty, patient in WAITS.items():
        script = script.replace(hasty, patient)
    return script
