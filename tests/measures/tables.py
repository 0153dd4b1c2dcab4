"""Small tables to measure, written out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

STUDENT_DEFAULTS = {
    "behaviour": "head_up",
    "emotion": "positive",
    "cognition": "remember",
    "addressee": "",
    "called": False,
    "feedback": "",
    "x": 0.0,
    "y": 0.0,
}
TEACHER_DEFAULTS = {"act": "lecturing", "called": "", "took_up": False}


def student_steps(*rows: dict) -> pd.DataFrame:
    """Rows of `student_steps`; every row names at least its step and student."""
    return pd.DataFrame([{"lesson": "one", **STUDENT_DEFAULTS, **row} for row in rows])


def teacher_steps(*rows: dict) -> pd.DataFrame:
    return pd.DataFrame([{"lesson": "one", "step": step, **TEACHER_DEFAULTS, **row} for step, row in enumerate(rows)])


def requests(*pairs: tuple[str, str], status: str = "accepted") -> pd.DataFrame:
    rows = [{"lesson": "one", "sender": sender, "receiver": receiver, "status": status} for sender, receiver in pairs]
    return pd.DataFrame(rows, columns=["lesson", "sender", "receiver", "status"])


def cells(table: pd.DataFrame, key: Any, columns: Sequence[str]) -> list[Any]:
    """Some cells of one row."""
    return [table.at[key, column] for column in columns]


def transcript(text: str, lesson: str = "one") -> pd.DataFrame:
    """A transcript of lines such as `T press-accuracy: What is it?` or `S:Ana claim: Four.`; a move may be left out."""
    rows = []
    for line in filter(None, map(str.strip, text.splitlines())):
        head, said = line.split(": ", 1)
        who, _, move = head.partition(" ")
        role, _, name = who.partition(":")
        rows.append({"lesson": lesson, "role": role, "speaker": name or role, "text": said, "move": move})
    return pd.DataFrame(rows, columns=["lesson", "role", "speaker", "text", "move"])
