"""Who sits where, and what follows from it: distances, links, perception, view of the board."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.layout import Seat
from eduverse_mesa.scenarios.seats import expand_seats
from eduverse_mesa.space import Percept, Refusal, Room, face_to_face, looks_at, perceive, student_graph

if TYPE_CHECKING:
    from eduverse_mesa.agents.student import StudentAgent
    from eduverse_mesa.agents.teacher import TeacherAgent
    from eduverse_mesa.models.classroom.model import ClassroomModel

Cell = tuple[int, int]

MOVING = "move to "
"""Begins what is logged as wished for where a move does not take place."""

_READABLE = 10.0
"""Cells from which what is on the board can still be read."""


class Placing:
    """The room with its people; the seat graph; caches that a move renews."""

    def __init__(self, model: ClassroomModel) -> None:
        self._model = model
        self.room = Room(model, model.layout)
        self._seats = {seat.id: seat for seat in expand_seats(model.layout)}
        self._groups: dict[str, str | None] = {}
        self.mates: dict[str, tuple[str, ...]] = {}
        self._percepts: dict[str, tuple[Percept, ...]] = {}
        self._put(model.teacher, model.layout.teacher)
        self._seat_all()
        self._renew()

    def _seat_all(self) -> None:
        model = self._model
        wanted: dict[str, Cell] = {}
        for student in model.students:
            seat = model.setup.seating.get(student.name, student.person.seat)
            if seat is not None:
                wanted[student.name] = self._cell_of(seat)
        taken = set(wanted.values())
        free = iter([seat.at for seat in self._seats.values() if seat.at not in taken])
        for student in model.students:
            cell = wanted.get(student.name) or next(free, None)
            if cell is None:
                raise ScenarioError(
                    f"there are {len(model.students)} students and {len(self._seats)} seats.",
                    where=model.layout.name,
                    mend="Take a larger layout, add seats, or make the class smaller.",
                )
            self._put(student, cell)

    def _cell_of(self, seat: str | Cell) -> Cell:
        if not isinstance(seat, str):
            return seat
        if seat not in self._seats:
            raise ScenarioError(
                f"there is no seat '{seat}'.",
                where=self._model.layout.name,
                mend=f"Its seats are {', '.join(self._seats)}.",
            )
        return self._seats[seat].at

    def _put(self, agent: StudentAgent | TeacherAgent, cell: Cell) -> None:
        refusal = self.room.move(agent, cell)
        if refusal is not None:
            raise ScenarioError(
                f"{agent.name} cannot be at {cell}: {refusal.reason}.",
                where=self._model.layout.name,
                mend="Choose a free cell.",
            )

    def move(self, student: StudentAgent, to: str | Cell) -> None:
        """Another seat or cell; who sits there changes places with the student. A refused move is logged, and stays."""
        model, old = self._model, student.place
        cell = self._cell_of(to)
        other = next((mate for mate in model.students if mate.place == cell), None)
        if other is not None and other is not student:
            self.room.swap(student, other)
        else:
            refusal = None if other is None else Refusal(cell, f"{student.name} sits there already")
            refusal = refusal or self.room.move(student, cell)
            if refusal is not None:
                model.journal.reject(
                    model.state.step, student.name, f"{MOVING}{cell}", f"stay at {old}", refusal.reason
                )
                return
        self._renew()

    def _renew(self) -> None:
        """Work out again what depends on where people are."""
        model, room = self._model, self.room
        at_seat = {seat.at: seat for seat in self._seats.values()}
        seating: dict[str, Seat] = {}
        for student in model.students:
            cell = student.place
            seat = at_seat.get(cell) or Seat(id=f"cell {cell[0]},{cell[1]}", at=cell)
            if student.person.group is not None:
                seat = seat.model_copy(update={"group": student.person.group})
            seating[student.name] = seat
        graph = student_graph(seating, model.layout.seat_graph)
        self.graph = graph
        self._percepts = {}
        groups: dict[str, list[str]] = {}
        for name, seat in seating.items():
            if seat.group is not None:
                groups.setdefault(seat.group, []).append(name)
        order = {student.name: place for place, student in enumerate(model.students)}
        for student in model.students:
            name = student.name
            student.to_teacher = room.distance(student, model.teacher)
            student.to_board = room.distance_to_board(student)
            links = tuple(sorted(graph.neighbors(name), key=order.__getitem__))
            student.links = links
            group = self._groups[name] = seating[name].group
            self.mates[name] = tuple(mate for mate in groups[group] if mate != name) if group is not None else links
            for mate in links:
                if mate not in student.closeness:
                    student.closeness[mate] = self._first_closeness(student, model.classmates[mate])

    def _first_closeness(self, one: StudentAgent, other: StudentAgent) -> float:
        p = self._model.parameters
        agreeable = one.person.traits.agreeableness + other.person.traits.agreeableness - 1.0
        return min(1.0, max(0.0, p["closeness.start"] + p["closeness.agreeableness"] * agreeable))

    def percepts(self, student: StudentAgent) -> tuple[Percept, ...]:
        """What the student perceives; the same until somebody moves."""
        known = self._percepts.get(student.name)
        if known is None:
            known = perceive(self.room, student, student.perception.radius, student.perception.capacity)
            self._percepts[student.name] = known
            self._look_around(student, known)
        return known

    def _look_around(self, student: StudentAgent, percepts: tuple[Percept, ...]) -> None:
        """Whom of those it perceives a student sits face to face with, and whether its group is among them."""
        mates, classmates = self.mates[student.name], self._model.classmates
        here, towards = student.place, self._gaze(student.place)
        near = [percept.name for percept in percepts if percept.name in classmates]
        places = [classmates[name].place for name in near]
        student.facing = sum(1 for place in places if face_to_face(here, towards, place, self._gaze(place)))
        student.grouped = self._groups[student.name] is not None and any(name in mates for name in near)

    def _gaze(self, cell: Cell) -> tuple[float, float]:
        return looks_at(cell, self.room.furniture, self.room.board)

    def sees_board(self, student: StudentAgent, mode: str) -> bool:
        """In a presentation only the presentation arena sees the board at once; else whoever is near enough to read."""
        arena = self.room.arena_at(student.place)
        if arena is not None and arena.presentation:
            return True
        return mode != "presentation" and student.to_board <= _READABLE
