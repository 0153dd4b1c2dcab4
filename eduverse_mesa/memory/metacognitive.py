"""Metacognitive memory: how a learner goes about learning a subject (M_s)."""

from __future__ import annotations

import msgspec


class SkillProfile(msgspec.Struct, frozen=True, gc=False):
    """Skills in one subject: a level, and in words what is done before, during and after learning (Zimmerman 2002)."""

    subject: str
    level: str = "beginner"
    forethought: str = ""
    performance: str = ""
    reflection: str = ""
    grade: int = 0
    episode: int = 0
    """The episode after which it was last looked at."""
