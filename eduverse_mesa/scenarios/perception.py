"""Perception: how far a pupil sees, and how many others and things he or she takes in.

A scenario's `settings.perception` holds for the whole class, `perception` in the class file for one pupil. The things
within these limits are found by `space/neighbourhood.py`.
"""

from __future__ import annotations

from pydantic import Field

from eduverse_mesa.scenarios.base import Part


class Perception(Part):
    """How far and how much an agent takes in (Table A3)."""

    radius: float = Field(8.0, gt=0, le=200)
    capacity: int = Field(5, ge=0, le=100)
