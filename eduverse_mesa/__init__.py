"""Simulated school lessons on Mesa."""

__version__ = "0.1.0"
