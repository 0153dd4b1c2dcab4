"""Columns of a terminal: a Chinese character takes two of them."""

from __future__ import annotations

from rich.cells import cell_len


def left(text: str, width: int) -> str:
    """The text at the left of so many columns."""
    return text + " " * (width - cell_len(text))


def right(text: str, width: int) -> str:
    """The text at the right of so many columns."""
    return " " * (width - cell_len(text)) + text
