"""Levels of cognition, and what a student resolves to do when he or she thinks about the lesson."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

Cognition: TypeAlias = Literal["remember", "understand", "apply", "analyse", "evaluate", "create"]
BLOOM: tuple[Cognition, ...] = get_args(Cognition)
"""Bloom's revised taxonomy, lowest first (C.4.1)."""
COGNITION_LEVEL: dict[str, int] = {name: int(place > 1) for place, name in enumerate(BLOOM)}

Strategy: TypeAlias = Literal["keep", "refocus", "participate", "seek_help", "cooperate", "calm", "withdraw"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
"""Resolutions of a student for the next step."""


def is_high(cognition: str) -> bool:
    """Higher-order cognition: anything above understanding (Table A6)."""
    return COGNITION_LEVEL.get(cognition, 0) == 1
