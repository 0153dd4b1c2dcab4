"""The learner page."""

from eduverse_mesa.visualization.app.pages.learner.page import LearnerPage

__all__ = ["LearnerPage"]
