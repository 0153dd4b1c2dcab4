"""The ground of every chart that is drawn on the room: its part with something in it, seen from above, front on top."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd

from eduverse_mesa.visualization.charts.frame import WIDTH, rows_of
from eduverse_mesa.visualization.tables import PEOPLE, Room

_MARGIN = 1.3
_FLATTEST, _STEEPEST = 2.4, 1.45
_SAME_ROW = 1.2


@dataclass(frozen=True)
class Plan:
    """The window through which the room is seen, in cells."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def aspect(self) -> float:
        """Width by height: a cell is as wide as it is high."""
        return (self.right - self.left) / (self.bottom - self.top)

    def x(self, field: str = "x:Q") -> alt.X:
        """Across the room."""
        return alt.X(field, axis=None, scale=alt.Scale(domain=[self.left, self.right], nice=False, zero=False))

    def y(self, field: str = "y:Q") -> alt.Y:
        """Down the room: the board's side has the small numbers."""
        return alt.Y(field, axis=None, scale=alt.Scale(domain=[self.bottom, self.top], nice=False, zero=False))

    def chart(self, table: pd.DataFrame) -> alt.Chart:
        """A layer of things with places."""
        return alt.Chart(rows_of(table)).encode(x=self.x(), y=self.y())

    def names(self, table: pd.DataFrame, field: str = "name", size: float = 11, **mark: Any) -> Any:
        """Names at their places, cut where the next name begins, and left out where nothing would remain."""
        space = f"datum.space * width / {self.right - self.left:.4f} - 4"
        with_space = table.assign(space=_space(table))
        return (
            self.chart(with_space)
            .mark_text(fontSize=alt.expr(f"{space} < 22 ? 0 : {size}"), limit=alt.expr(f"max(1, {space})"), **mark)
            .encode(text=f"{field}:N")
        )

    def people(self, table: pd.DataFrame, **mark: Any) -> Any:
        """Names of people below them, a line a word: desks stand closer than names are long."""
        return self.names(table, baseline="top", lineBreak=" ", lineHeight=12, **mark)

    def finish(self, layers: Sequence[Any], title: str, description: str) -> Any:
        """The layers in one frame. A page that gives the chart another width keeps the aspect."""
        return alt.layer(*layers).properties(
            width=WIDTH,
            height=round(WIDTH / self.aspect),
            title=title,
            description=description,
            usermeta={"aspect": self.aspect},
        )


def plan_of(things: Iterable[dict[str, Any]]) -> Plan:
    """The smallest window on all of these, widened to a shape that fits on a page."""
    placed = list(things)
    across, down = [thing["x"] for thing in placed], [thing["y"] for thing in placed]
    left, right = min(across) - _MARGIN, max(across) + _MARGIN
    top, bottom = min(down) - _MARGIN, max(down) + _MARGIN
    missing_width = max(0.0, _STEEPEST * (bottom - top) - (right - left)) / 2
    left, right = left - missing_width, right + missing_width
    missing_height = max(0.0, (right - left) / _FLATTEST - (bottom - top)) / 2
    return Plan(left, top - missing_height, right, bottom + missing_height)


def places(room: Room) -> dict[str, dict[str, Any]]:
    """People by name."""
    return {thing["name"]: thing for thing in room.things if thing["kind"] in PEOPLE}


def _space(table: pd.DataFrame) -> list[float]:
    """To the next place of the same row, in cells; places without a neighbour have plenty."""
    found = list(zip(table["x"], table["y"], strict=True))
    plenty = 6.0
    return [
        min((abs(x - u) for u, v in found if abs(y - v) < _SAME_ROW and not math.isclose(x, u)), default=plenty)
        for x, y in found
    ]
