"""The pages, by the last part of their addresses. A page is a component that is given the browser's desk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eduverse_mesa.visualization.app.pages.classroom import ClassroomPage
from eduverse_mesa.visualization.app.pages.compare import ComparePage
from eduverse_mesa.visualization.app.pages.design import DesignPage
from eduverse_mesa.visualization.app.pages.experiments import ExperimentsPage
from eduverse_mesa.visualization.app.pages.learner import LearnerPage
from eduverse_mesa.visualization.app.pages.mathematics import MathematicsPage
from eduverse_mesa.visualization.app.pages.seat import SeatPage
from eduverse_mesa.visualization.app.pages.settings import SettingsPage
from eduverse_mesa.visualization.app.pages.studies import StudiesPage

PAGES: dict[str, Callable[..., Any]] = {
    "classroom": ClassroomPage,
    "design": DesignPage,
    "compare": ComparePage,
    "experiments": ExperimentsPage,
    "learner": LearnerPage,
    "mathematics": MathematicsPage,
    "seat": SeatPage,
    "studies": StudiesPage,
    "settings": SettingsPage,
}
