"""What each column of exported tables holds, in English and in Chinese."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple, cast

import pandas as pd

from eduverse_mesa.codes import ACT_CATEGORY, ACTS, BEHAVIOURS, BLOOM, EMOTIONS, PEER_REQUESTS, TONES
from eduverse_mesa.decisions.tutoring import ANSWER_KINDS
from eduverse_mesa.measures.codes import STUDENT_MOVES, TEACHER_MOVES
from eduverse_mesa.scenarios.reading import read_resource
from eduverse_mesa.store import RunKind

ALL = "all"
"""In place of a table: a column that stands in several."""

_FILE = "codebooks.yaml"
_CODES = {
    "behaviours": BEHAVIOURS,
    "emotions": EMOTIONS,
    "bloom": BLOOM,
    "acts": ACTS,
    "categories": tuple(dict.fromkeys(ACT_CATEGORY.values())),
    "tones": TONES,
    "requests": tuple(sorted(PEER_REQUESTS)),
    "teacher_moves": TEACHER_MOVES,
    "student_moves": STUDENT_MOVES,
    "answers": ANSWER_KINDS,
}


class Meaning(NamedTuple):
    """What a column of a table holds."""

    table: str
    column: str
    meaning: str
    meaning_zh: str


def codebook(kinds: Collection[RunKind]) -> pd.DataFrame:
    """The codebook of all tables that there are of runs of some kinds."""
    rows = [row for kind in ("course", "tutoring", "collaboration") if kind in kinds for row in _meanings(kind)]
    return pd.DataFrame(rows, columns=Meaning._fields)


def meanings(kind: RunKind, table: str, language: str) -> dict[str, str]:
    """What the columns of one table hold, with those that stand in several, in one language."""
    known = [one for one in _meanings(kind) if one.table in (ALL, table)]
    return {one.column: one.meaning_zh if language == "zh" else one.meaning for one in known}


def _meanings(kind: str) -> Iterator[Meaning]:
    codes = {code: ", ".join(known) for code, known in _CODES.items()}
    for name, columns in _read()[kind].items():
        for column, (english, chinese) in columns.items():
            yield Meaning(name, column, english.format_map(codes), chinese.format_map(codes))


@cache
def _read() -> dict[str, dict[str, dict[str, list[str]]]]:
    found: Any = read_resource(files("eduverse_mesa.runs") / _FILE, _FILE).data
    return cast("dict[str, dict[str, dict[str, list[str]]]]", found)
