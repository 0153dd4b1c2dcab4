"""Who sat where in a step, and what follows from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eduverse_mesa.scenarios.layout import Seat
from eduverse_mesa.scenarios.seats import expand_seats
from eduverse_mesa.space import student_graph

if TYPE_CHECKING:
    from eduverse_mesa.models.classroom import ClassroomModel
    from eduverse_mesa.models.classroom.journal import SentenceRow, StudentRow


class Places:
    """Seats, groups and names of a step."""

    def __init__(self, model: ClassroomModel, rows: list[StudentRow]) -> None:
        self._model = model
        self._rows = rows
        self._seats = {seat.at: seat for seat in expand_seats(model.layout)}
        self._mates: dict[str, tuple[str, ...]] | None = None
        things = [thing.name for thing in model.placing.room.furniture]
        self._names = frozenset([*model.classmates, model.teacher.name, *things])

    def seat(self, x: int, y: int) -> str:
        """The id of the seat in a cell, or ''."""
        seat = self._seats.get((x, y))
        return seat.id if seat is not None else ""

    def hearers(self, said: SentenceRow) -> tuple[str, ...]:
        """Who hears a sentence that is not for the class."""
        if said.channel == "peer":
            return (said.addressee,)
        return self._group_of(said.speaker) if said.channel == "group" else ()

    def names(self, joined: str) -> tuple[str, ...]:
        """The names in a row's list; a name may hold the sign that parts them."""
        parts = joined.split(";") if joined else []
        names: list[str] = []
        begun = ""
        for part in parts:
            begun = f"{begun};{part}" if begun else part
            if begun in self._names:
                names.append(begun)
                begun = ""
        return tuple(names)

    def _group_of(self, name: str) -> tuple[str, ...]:
        if self._mates is None:
            moved = any(self._model.classmates[row.student].place != (row.x, row.y) for row in self._rows)
            self._mates = self._mates_then() if moved else self._model.placing.mates
        return self._mates[name]

    def _mates_then(self) -> dict[str, tuple[str, ...]]:
        """With whom each discussed, where somebody has moved since."""
        seating: dict[str, Seat] = {}
        for row in self._rows:
            cell = (row.x, row.y)
            seat = self._seats.get(cell) or Seat(id=f"cell {row.x},{row.y}", at=cell)
            group = self._model.classmates[row.student].person.group
            seating[row.student] = seat if group is None else seat.model_copy(update={"group": group})
        graph = student_graph(seating, self._model.layout.seat_graph)
        return {
            name: tuple(mate for mate in seating if mate != name and seating[mate].group == seat.group)
            if seat.group is not None
            else tuple(mate for mate in seating if mate in graph[name])
            for name, seat in seating.items()
        }
