"""Altair, loaded when the first chart is drawn: that takes half a second, and most commands draw none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from altair import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        import altair

        return getattr(altair, name)
