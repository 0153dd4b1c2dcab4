"""A browser on a slow machine gets the time it needs.

anywidget gives a widget two seconds to be loaded and then turns it down for good, and with it all that is sent to it
later. An old school computer takes longer than that to read the charts' library alone.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

FRONT_END = "/jupyter/nbextensions/anywidget/index.js"
"""Where Solara's page asks for anywidget."""

_HASTY, _PATIENT = "AbortSignal.timeout(2e3)", "AbortSignal.timeout(12e4)"


@cache
def patient_anywidget() -> str:
    """anywidget's own script, with more patience."""
    script = (files("anywidget") / "nbextension" / "index.js").read_text(encoding="utf-8")
    return script.replace(_HASTY, _PATIENT)
