"""Drafts: scenarios that are being written, and may be wrong for a while."""

from eduverse_mesa.scenarios.drafting.draft import Draft
from eduverse_mesa.scenarios.drafting.errors import EditError, Step
from eduverse_mesa.scenarios.drafting.examination import Finding
from eduverse_mesa.scenarios.drafting.rules import PRESETS

__all__ = ["PRESETS", "Draft", "EditError", "Finding", "Step"]
