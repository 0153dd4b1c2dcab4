"""The mathematics page."""

from eduverse_mesa.dashboard.pages.groups.page import MathematicsPage

__all__ = ["MathematicsPage"]
