"""The start page: a lesson, seen from above."""

from eduverse_mesa.visualization.app.pages.classroom.page import ClassroomPage

__all__ = ["ClassroomPage"]
