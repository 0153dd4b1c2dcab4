"""Take a seat: people in a lesson, and lessons with people."""

from eduverse_mesa.dashboard.pages.seat.page import SeatPage

__all__ = ["SeatPage"]
