"""Values that Vega would take for something of JavaScript's own.

Vega keeps values by name in plain objects, and every object has a `constructor` and a `toString`: a pupil of that name
leaves a chart empty or ends it. Such a value gets a sign in front that is not drawn.
"""

from __future__ import annotations

from typing import Any

INHERITED = frozenset(
    {
        "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__", "__proto__", "constructor",
        "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf",
    }
)  # fmt: skip
"""What every object of JavaScript has (Object.prototype)."""
_UNSEEN = "\u2060"
"""WORD JOINER: no width, and no line is broken at it."""
ACTION = "ev_on"
"""The part of a row that is not drawn: what a click on it stands for. Names in it are as they are."""


def protected(value: Any) -> Any:
    """Rows, a chart's description or a part of it, with every such value in it protected."""
    if isinstance(value, str):
        return _UNSEEN + value if value in INHERITED else value
    if type(value) is tuple or isinstance(value, list):
        return type(value)(protected(part) for part in value)
    if isinstance(value, dict):
        return {key: part if key == ACTION else protected(part) for key, part in value.items()}
    return value
