"""Calls for help in texts of any length: what comes from a browser may be as long as somebody likes."""

from __future__ import annotations

from eduverse_mesa.hearing.lookout import tells_of_harm

_PIECE, _OVERLAP = 2000, 200
"""Characters that are read together, and how many of them once more with the next piece."""
_MOST = 16
"""Pieces of a text that are read: the time for one grows faster than its length."""


def calls_for_help(text: str) -> bool:
    """Return whether a text tells of harm, as far as it is read."""
    starts = range(0, max(1, len(text) - _OVERLAP), _PIECE - _OVERLAP)[:_MOST]
    return any(tells_of_harm(text[start : start + _PIECE]) for start in starts)
