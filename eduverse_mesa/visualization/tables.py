"""What a report is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pandas as pd


@dataclass(frozen=True)
class Room:
    """The room as it is drawn: things and seats with x, y, kind and name; edges of the seat graph."""

    width: int
    height: int
    things: list[dict[str, Any]] = field(default_factory=list)
    edges: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class RunTables:
    """A run, ready to be shown."""

    title: str
    facts: dict[str, str]
    results: dict[str, Any]
    sentences: pd.DataFrame
    student_steps: pd.DataFrame
    teacher_steps: pd.DataFrame
    requests: pd.DataFrame
    rejections: pd.DataFrame
    room: Room
    command: str = ""
    """The command line that makes the same run again."""
