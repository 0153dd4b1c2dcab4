"""The design page: a room, a class and a lesson as somebody makes them."""

from eduverse_mesa.dashboard.pages.design.page import DesignPage

__all__ = ["DesignPage"]
