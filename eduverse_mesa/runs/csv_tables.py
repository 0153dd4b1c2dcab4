"""Tables as CSV, as spreadsheets open them: the letters of all languages, and no text that runs as a formula."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

_STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Where Chinese is written, spreadsheets take the wide signs for the narrow ones."""


def as_csv(table: pd.DataFrame) -> bytes:
    """The bytes of a file: UTF-8 with the mark by which spreadsheets know it, and the same lines on every machine."""
    return _lines(table).encode("utf-8-sig")


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write a table to a new file."""
    path.write_bytes(as_csv(table))


def append_csv(table: pd.DataFrame, path: Path) -> None:
    """Put more rows below those of a file that `write_csv` has begun."""
    with path.open("ab") as file:
        file.write(_lines(table, header=False).encode())


def as_text(table: pd.DataFrame) -> pd.DataFrame:
    """The table with no cell that a spreadsheet would take for a formula: such texts get an apostrophe in front."""
    safe = table.copy()
    for column in safe.columns:
        if safe[column].dtype == object:
            safe[column] = [no_formula(cell) if isinstance(cell, str) else cell for cell in safe[column]]
    return safe


def no_formula(cell: str) -> str:
    """The text as a spreadsheet takes it for a text."""
    return f"'{cell}" if cell.startswith(_STARTS_A_FORMULA) else cell


def _lines(table: pd.DataFrame, *, header: bool = True) -> str:
    text: str = as_text(table).to_csv(index=False, header=header, lineterminator="\n")
    return text
