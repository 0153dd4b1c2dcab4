"""A problem that is solved together, in stages, by peers and people (MathVC)."""

from eduverse_mesa.models.groups.model import CollaborationModel, GroupModel
from eduverse_mesa.models.groups.record import STAGES, Stage

__all__ = ["STAGES", "CollaborationModel", "GroupModel", "Stage"]
