"""Experiments: the paper's four, played from a page, with its numbers beside ours."""

from eduverse_mesa.dashboard.pages.experiments.page import ExperimentsPage

__all__ = ["ExperimentsPage"]
