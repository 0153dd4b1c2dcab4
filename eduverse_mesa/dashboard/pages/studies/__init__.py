"""The runs of a study, and the people who took part in it."""

from eduverse_mesa.dashboard.pages.studies.page import StudiesPage

__all__ = ["StudiesPage"]
