"""The room of a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import solara

from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.visualization.components.live import follow_mesa
from eduverse_mesa.visualization.frames import Stage, frame, stage
from eduverse_mesa.visualization.widgets.room import USUAL, RoomWidget, plain, room_labels
from eduverse_mesa.visualization.words import DEFAULT

_CELL_OF_MESA = 330
"""What the room may take of a cell of SolaraViz; the rest is its legend."""

_AROUND = 4.0
"""Cells that are drawn around where the lesson is."""


@solara.component
def Room(
    model: ClassroomModel,
    *,
    step: int | None = None,
    language: str = DEFAULT,
    overlays: Sequence[str] = USUAL,
    selected: str = "",
    on_selected: Callable[[str], None] | None = None,
    height: int | None = None,
) -> None:
    """The room from above at the last step, or at an earlier one; no higher than `height`, in pixels."""
    room = stage(model)
    if follow_mesa() and height is None:
        height = _CELL_OF_MESA
    with solara.Div(style={"max-width": f"{round(height * _proportion(room))}px"} if height else {}):
        RoomWidget.element(
            stage=plain(room),
            frame=plain(frame(model, step)),
            overlays=list(overlays),
            labels=room_labels(language),
            selected=selected,
            on_selected=on_selected or (lambda _: None),
        )


def _proportion(room: Stage) -> float:
    """Width over height of what is drawn."""
    left, top, right, bottom = room.core
    return (right - left + _AROUND) / (bottom - top + _AROUND)
