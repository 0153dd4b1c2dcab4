"""The runs of a study, and the people who took part in it."""

from eduverse_mesa.visualization.app.pages.studies.page import StudiesPage

__all__ = ["StudiesPage"]
