"""A report: sections of paragraphs, tables and charts. `text` shows it in a terminal, `page` in a browser."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from eduverse_mesa.measures.intervals import Interval
from eduverse_mesa.visualization.words import DEFAULT

Cell: TypeAlias = str | int | float | Interval | None
"""A word, a number, or an interval, of which a table shows the ends."""

TEXT, NUMBER, SIGNED, SHARE, COUNT, BAR = "", ".3f", "+.3f", ".1%", ",d", "bar"
"""Forms of a column: words, or numbers by Python's format specification; a bar is as long as a share is large."""

MISSING = "–"


@dataclass(frozen=True)
class Column:
    """A column of a table: its heading, and the form of its numbers. A `detail` is shown where there is room for it:
    on a page."""

    heading: str
    form: str = TEXT
    detail: bool = False


@dataclass(frozen=True)
class Table:
    """Rows of words and numbers. `marks` says of each row whether it is good news ("yes"), bad ("no"), not certain
    ("unsure") or none of these. A row of two cells in a wider table is a heading: a text and its verdict."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    marks: Sequence[str] = ()
    caption: str = ""
    """Left out, it is the heading of the section."""
    most: int | None = None
    """Rows that a terminal shows; a page has all."""
    folded: str = ""
    """Words under which a page folds it."""

    def is_heading(self, row: Sequence[Cell]) -> bool:
        """Tell whether a row is a heading above other rows."""
        return len(row) == 2 < len(self.columns)


@dataclass(frozen=True)
class Facts:
    """Numbers to look at first, by what they are."""

    values: Mapping[str, str]


@dataclass(frozen=True)
class Figure:
    """A chart, which is drawn when a page asks for it. A terminal has the tables beside it."""

    draw: Callable[[], Any]
    caption: str = ""


@dataclass(frozen=True)
class Code:
    """A command that can be copied."""

    text: str


@dataclass(frozen=True)
class Said:
    """A sentence of a transcript."""

    lesson: str
    step: int
    speaker: str
    text: str
    move: str
    by_teacher: bool
    channel: str


@dataclass(frozen=True)
class Transcript:
    """The sentences of a run: a page has all, a terminal those of an excerpt, which are given by their places."""

    sentences: Sequence[Said]
    excerpt: Sequence[int]


Block: TypeAlias = str | Table | Facts | Figure | Code | Transcript
"""A part of a section; a string is a paragraph."""


@dataclass(frozen=True)
class Section:
    """A part of a report: a heading, a sentence about what follows, and its blocks. A terminal leaves out a section of
    which it can show no block. Without a heading it belongs to what is above."""

    heading: str
    blocks: Sequence[Block]
    lead: str = ""


@dataclass(frozen=True)
class Report:
    """A report in a language: facts and warnings first, then its sections."""

    title: str
    sections: Sequence[Section]
    facts: Mapping[str, str] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    language: str = DEFAULT


def columns(*headings: str | tuple[str, str]) -> list[Column]:
    """Return columns: of words by their headings, of numbers by heading and form."""
    return [Column(one) if isinstance(one, str) else Column(*one) for one in headings]


def write(cell: Cell, form: str = TEXT) -> str:
    """Return a cell as text: a number in a form, an interval by its ends, a dash where there is nothing."""
    if cell is None:
        return MISSING
    if isinstance(cell, str):
        return cell
    if isinstance(cell, Interval):
        return between(cell.low, cell.high, form)
    if not math.isfinite(cell):
        return MISSING
    shown = format(cell, form)
    if not any(digit in shown for digit in "123456789"):
        shown = shown.lstrip("+-")
    return shown.replace("-", "−")


def between(low: float, high: float, form: str = NUMBER) -> str:
    """Return an interval as text."""
    return f"{write(low, form)} … {write(high, form)}" if math.isfinite(low) else MISSING


def listed(names: Iterable[str], nothing: str = "none") -> str:
    """Return names one after the other."""
    return ", ".join(names) or nothing
