"""Drafts: scenarios that are being written, and may be wrong for a while."""

from eduverse_mesa.scenarios.drafts.documents import EditError, Step
from eduverse_mesa.scenarios.drafts.draft import Draft, Finding
from eduverse_mesa.scenarios.drafts.rule_edits import PRESETS

__all__ = ["PRESETS", "Draft", "EditError", "Finding", "Step"]
