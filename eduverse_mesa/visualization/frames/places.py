"""Who sat where in a step, and what follows from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eduverse_mesa.runs.hearing import Mates, hearers, mates_at
from eduverse_mesa.scenarios.seats import expand_seats

if TYPE_CHECKING:
    from eduverse_mesa.models.classroom import ClassroomModel
    from eduverse_mesa.models.classroom.journal import SentenceRow, StudentRow


class Places:
    """Seats, groups and names of a step."""

    def __init__(self, model: ClassroomModel, rows: list[StudentRow]) -> None:
        self._model = model
        self._rows = rows
        self._seats = {seat.at: seat for seat in expand_seats(model.layout)}
        self._mates: Mates | None = None
        things = [thing.name for thing in model.placing.room.furniture]
        self._names = frozenset([*model.classmates, model.teacher.name, *things])

    def seat(self, x: int, y: int) -> str:
        """The id of the seat in a cell, or ''."""
        seat = self._seats.get((x, y))
        return seat.id if seat is not None else ""

    def hearers(self, said: SentenceRow) -> tuple[str, ...]:
        """Who hears a sentence that is not for the class."""
        if self._mates is None:
            self._mates = mates_at(self._model, self._rows)
        return hearers(said, self._mates)

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
