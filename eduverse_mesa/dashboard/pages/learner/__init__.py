"""The learner page."""

from eduverse_mesa.dashboard.pages.learner.page import LearnerPage

__all__ = ["LearnerPage"]
