"""A problem that is solved together, in stages, by peers and people (MathVC)."""

from eduverse_mesa.models.collaboration.model import CollaborationModel
from eduverse_mesa.models.collaboration.stages import STAGES, Stage

__all__ = ["STAGES", "CollaborationModel", "Stage"]
