"""Where: the room on Mesa's grid, perception, the seat graph, and what is permitted where."""

from eduverse_mesa.space.affordances import Situation, nearest_permitted, permitted, why_not
from eduverse_mesa.space.perception import Percept, perceive
from eduverse_mesa.space.room import Furniture, Refusal, Room, RoomCell
from eduverse_mesa.space.seat_graph import seat_graph, student_graph

__all__ = [
    "Furniture",
    "Percept",
    "Refusal",
    "Room",
    "RoomCell",
    "Situation",
    "nearest_permitted",
    "perceive",
    "permitted",
    "seat_graph",
    "student_graph",
    "why_not",
]
