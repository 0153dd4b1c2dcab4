"""The classroom page."""

from __future__ import annotations

import solara

from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.kit import Card, Note


@solara.component
def ClassroomPage(desk: Desk) -> None:
    """A lesson, seen from above."""
    with Card("x"):
        Note("y")
