"""Lines to hear, as tests put them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from eduverse_mesa.decisions.hearing import Hear
from eduverse_mesa.hearing.corpus import Line, decision_of, read_lines

LINES = Path(__file__).parents[2] / "tools" / "hearing"


@cache
def lines_of(part: str, writer: str) -> list[Line]:
    """The labelled lines of a writer."""
    return read_lines(LINES / part / f"{writer}.jsonl")


def hear_line(text: str, listener: Any = "teacher", **more: Any) -> Hear:
    """The question what a text means."""
    return decision_of(Line.model_validate({"text": text, **more}), listener)
