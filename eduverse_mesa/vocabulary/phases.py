"""Phases of a lesson, in order (C.2), the activities in them, and the ways to go on with one."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

PhaseName: TypeAlias = Literal["introduction", "instruction", "consolidation", "practice", "summary"]
PHASES: tuple[PhaseName, ...] = get_args(PhaseName)
Doing: TypeAlias = Literal["explain", "ask", "discuss", "read", "practise", "summarise", "manage"]
DOINGS: tuple[Doing, ...] = get_args(Doing)
"""Kinds of activities in a lesson's plan."""
PaceMove: TypeAlias = Literal["stay", "extend", "advance"]
PACE_MOVES: tuple[PaceMove, ...] = get_args(PaceMove)
"""Ways to go on with a phase: as planned, a step longer, or to the next."""
