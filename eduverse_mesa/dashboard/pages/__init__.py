"""The pages, by the last part of their addresses. A page is a component that is given the browser's desk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eduverse_mesa.dashboard.pages.classroom import ClassroomPage
from eduverse_mesa.dashboard.pages.compare import ComparePage
from eduverse_mesa.dashboard.pages.design import DesignPage
from eduverse_mesa.dashboard.pages.experiments import ExperimentsPage
from eduverse_mesa.dashboard.pages.groups import MathematicsPage
from eduverse_mesa.dashboard.pages.learner import LearnerPage
from eduverse_mesa.dashboard.pages.seat import SeatPage
from eduverse_mesa.dashboard.pages.settings import SettingsPage
from eduverse_mesa.dashboard.pages.studies import StudiesPage

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
