"""Compare: two to four runs side by side, what differs between them, and what a change would do."""

from eduverse_mesa.dashboard.pages.compare.page import ComparePage

__all__ = ["ComparePage"]
