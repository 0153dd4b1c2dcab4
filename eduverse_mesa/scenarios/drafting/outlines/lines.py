"""The lines of an outline: plain text, Markdown, or a table of commas, semicolons or tabs."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import NamedTuple

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.drafting.outlines.words import COLUMNS, LABELS
from eduverse_mesa.scenarios.plain import UNWANTED

MOST_LINES = 400
MOST_LETTERS = 100_000
_BULLET = re.compile(
    r"^(?:[-*+•·–—▪●○]\s+|\(?\d{1,2}[.)、）]\s*|[一二三四五六七八九十]{1,3}[、.]\s*|（[一二三四五六七八九十]{1,3}）\s*)"
)
_NUMBERED = re.compile(r"^(?:\d{1,2}[.)、]|[一二三四五六七八九十]{1,3}、|[IVX]{1,4}\.)\s*\S")
_LABEL = re.compile(r"^([^:：]{1,24})[:：]\s*(.+)$")
_LONGEST_HEADING = 80


class Line(NamedTuple):
    """A line with its number from 1. `level` is how much of a heading it is (0: none, 1: the highest)."""

    number: int
    shown: str
    text: str
    level: int = 0
    label: str = ""
    doing: str = ""


def read_lines(text: str) -> list[Line]:
    """The lines that say something; ScenarioError for more than an outline has."""
    text = UNWANTED.sub("", text)
    rows = text.splitlines()
    if len(text) > MOST_LETTERS or len(rows) > MOST_LINES:
        raise ScenarioError(
            f"the outline has {len(rows)} lines and {len(text):,} letters.",
            mend=f"{MOST_LINES} lines and {MOST_LETTERS:,} letters are the most: shorten it.",
        )
    table = _read_table(rows)
    return list(_from_table(*table) if table else _from_text(rows))


def _from_text(rows: list[str]) -> Iterator[Line]:
    for number, row in enumerate(rows, 1):
        bare = row.strip()
        if not bare or set(bare) <= set("-=_*#~ "):
            continue
        after = next((later for later in rows[number:] if later.strip()), "")
        yield _one(number, row, bare, after)


def _one(number: int, row: str, bare: str, after: str) -> Line:
    shown = bare[:120]
    if bare.startswith("#"):
        level = len(bare) - len(bare.lstrip("#"))
        return Line(number, shown, bare.lstrip("#").strip(" *_:："), level)
    text = _BULLET.sub("", bare).strip(" *_") or bare
    if (match := _LABEL.match(text)) and (label := LABELS.get(match[1].strip(" *_").casefold())):
        return Line(number, shown, match[2].strip(), 0, label)
    if _is_heading(bare, row, after):
        return Line(number, shown, text.strip(" *_:："), 2)
    return Line(number, shown, text)


def _is_heading(bare: str, row: str, after: str) -> bool:
    """A short line that ends in a colon, or stands out with bullets or deeper lines below it."""
    if len(bare) > _LONGEST_HEADING or bare.endswith(("?", "？", ".", "。", "!", "！")):
        return False
    if bare.endswith((":", "：")) or (bare.startswith("**") and bare.endswith("**")):
        return True
    bulleted = bool(re.match(r"^[-*+•·–—▪●○]\s", bare))
    goes_deeper = _indent(after) > _indent(row) or bool(re.match(r"^\s*[-*+•·–—▪●○]\s", after))
    return not bulleted and goes_deeper and _indent(row) == 0 and (bool(_NUMBERED.match(bare)) or not bulleted)


def _indent(row: str) -> int:
    return len(row.expandtabs(4)) - len(row.expandtabs(4).lstrip())


# --- tables ---


def _read_table(rows: list[str]) -> tuple[dict[str, int], list[tuple[int, list[str]]]] | None:
    """Columns by what they hold, and the rows below the header, if the first row is the header of a table."""
    first = next(((place, row) for place, row in enumerate(rows) if row.strip()), None)
    if first is None:
        return None
    for separator in ("\t", ";", "；", ",", "，", "|"):
        header = [cell.strip().casefold() for cell in _split(first[1], separator)]
        columns = {COLUMNS[cell]: place for place, cell in enumerate(header) if cell in COLUMNS}
        if len(header) > 1 and "activity" in columns:
            below = [(number, _split(row, separator)) for number, row in enumerate(rows, 1) if number > first[0] + 1]
            return columns, below
    return None


def _split(row: str, separator: str) -> list[str]:
    if separator == "|":
        row = row.strip().strip("|")
    try:
        return next(csv.reader([row], delimiter=separator, skipinitialspace=True), [])
    except csv.Error:
        return row.split(separator)


def _from_table(columns: dict[str, int], rows: list[tuple[int, list[str]]]) -> Iterator[Line]:
    phase = ""
    for number, cells in rows:
        row = {what: cells[place].strip() for what, place in columns.items() if place < len(cells)}
        if not any(row.values()) or set("".join(row.values())) <= set("-=: "):
            continue
        shown = " | ".join(value for value in row.values() if value)[:120]
        if row.get("phase") and row["phase"] != phase:
            phase = row["phase"]
            minutes = f" ({row['minutes']} min)" if row.get("minutes", "").isdecimal() else ""
            yield Line(number, phase, phase + minutes, 2)
        if row.get("activity"):
            yield Line(number, shown, row["activity"], doing=row.get("doing", ""))
        for label in ("question", "answer", "because", "misconception"):
            if row.get(label):
                yield Line(number, shown, row[label], label=label)
