"""Space of a lesson: the room and its contents, links between seats, perception, and permitted behaviours."""

from eduverse_mesa.space.affordances import Situation, nearest_permitted, permitted, why_not
from eduverse_mesa.space.grid import RoomCell, RoomGrid
from eduverse_mesa.space.neighbourhood import Percept, face_to_face, looks_at, perceive
from eduverse_mesa.space.room import (
    AGENT_NUMBERS,
    Furniture,
    Occupant,
    Refusal,
    Room,
    seat_graph,
    student_graph,
)

__all__ = [
    "AGENT_NUMBERS",
    "Furniture",
    "Occupant",
    "Percept",
    "Refusal",
    "Room",
    "RoomCell",
    "RoomGrid",
    "Situation",
    "face_to_face",
    "looks_at",
    "nearest_permitted",
    "perceive",
    "permitted",
    "seat_graph",
    "student_graph",
    "why_not",
]
