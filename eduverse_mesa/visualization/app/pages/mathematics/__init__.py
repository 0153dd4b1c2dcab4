"""The mathematics page."""

from eduverse_mesa.visualization.app.pages.mathematics.page import MathematicsPage

__all__ = ["MathematicsPage"]
