"""The settings page: who answers in lessons that are begun here, and how the dashboard itself is set up."""

from eduverse_mesa.dashboard.pages.settings.page import SettingsPage

__all__ = ["SettingsPage"]
