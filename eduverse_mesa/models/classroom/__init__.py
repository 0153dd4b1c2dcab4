"""EduVerse: a lesson in a classroom."""

from eduverse_mesa.models.classroom.interventions import Intervention, Move, NoChange, SetAct, SetTrait
from eduverse_mesa.models.classroom.model import ClassroomModel

__all__ = ["ClassroomModel", "Intervention", "Move", "NoChange", "SetAct", "SetTrait"]
