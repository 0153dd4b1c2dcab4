"""A report in a terminal: plain text, as wide as wanted."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from rich.cells import cell_len

from eduverse_mesa.visualization.reports.document import (
    BAR,
    TEXT,
    Block,
    Cell,
    Code,
    Column,
    Facts,
    Report,
    Section,
    Table,
    Transcript,
    write,
)
from eduverse_mesa.visualization.words import Words, load_words

WIDTH = 100
"""Columns where nobody says how many there are, as in a file."""
_BAR = 24
_GAP, _NARROW_GAP = "  ", " "
_WIDE = "\u2e80-\u9fff\uff00-\uffef"
_PIECES = re.compile(rf"[（《「]*[{_WIDE}][，。：；！？、）》」”…]*\s?|[^\s{_WIDE}]+\s?")
"""What a line may end after: a word, or a Chinese character with the punctuation behind it."""
_NARROWEST = 14
"""Columns of words are not made narrower than that, even where a table is wider than the terminal then."""


def render_text(report: Report, width: int = WIDTH) -> str:
    """Return a report as text. Only a table whose numbers need more room is wider."""
    t = load_words(report.language)
    head = [report.title, "=" * cell_len(report.title), *_facts(report.facts, width)]
    for warning in report.warnings:
        head += wrap(f"!! {warning}", width)
    parts = [head, *(list(_section(section, width, t)) for section in report.sections)]
    return "\n\n".join("\n".join(map(printable, part)) for part in parts if part)


def printable(text: str) -> str:
    """Return foreign text without characters that would steer a terminal."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def left(text: str, width: int) -> str:
    """The text at the left of so many columns."""
    return text + " " * (width - cell_len(text))


def wrap(text: str, width: int, indent: str = "") -> list[str]:
    """Return the lines of a paragraph, the first after an indent, the others below its end. Chinese characters take
    two columns, and a line may end after each."""
    lines, room = [""], max(width - cell_len(indent), 2)
    for piece in _PIECES.findall(" ".join(printable(text).split())):
        while cell_len(lines[-1] + piece.rstrip()) > room:
            if lines[-1] and cell_len(piece.rstrip()) <= room:
                lines.append("")
                continue
            kept, piece = _split(piece, room - cell_len(lines[-1]))
            lines[-1] += kept
            lines.append("")
        lines[-1] += piece
    after = " " * cell_len(indent)
    return [f"{after if place else indent}{line}".rstrip() for place, line in enumerate(lines)]


def _split(word: str, room: int) -> tuple[str, str]:
    """Cut a word that is longer than a line."""
    end = next((end for end in range(len(word), 0, -1) if cell_len(word[:end]) <= room), 0)
    return word[:end], word[end:]


def _section(section: Section, width: int, t: Words) -> Iterator[str]:
    """Yield the lines of a section; none where no block of it can be shown."""
    shown = [(block, lines) for block in section.blocks if (lines := list(_block(block, width, t)))]
    if not shown:
        return
    if section.heading:
        yield from (section.heading, "-" * cell_len(section.heading))
    if section.lead:
        yield from (*wrap(section.lead, width), "")
    for place, (block, lines) in enumerate(shown):
        if (place and not isinstance(block, str)) or (place and not isinstance(shown[place - 1][0], str)):
            yield ""
        yield from lines


def _block(block: Block, width: int, t: Words) -> Iterator[str]:
    if isinstance(block, str):
        yield from wrap(block, width)
    elif isinstance(block, Table):
        yield from _table(block, width, t)
    elif isinstance(block, Facts):
        yield from _facts(block.values, width)
    elif isinstance(block, Code):
        yield from (_GAP + line for line in block.text.splitlines())
    elif isinstance(block, Transcript):
        yield from _excerpt(block, width)


def _facts(facts: Mapping[str, str], width: int) -> Iterator[str]:
    longest = max(map(cell_len, facts), default=0)
    for name, value in facts.items():
        yield from wrap(value, width, f"{left(name, longest)}  ")


def _excerpt(transcript: Transcript, width: int) -> Iterator[str]:
    several = len({one.lesson for one in transcript.sentences}) > 1
    for lesson, part in groupby((transcript.sentences[place] for place in transcript.excerpt), lambda one: one.lesson):
        if several:
            yield lesson
        for one in part:
            yield from wrap(f"{one.speaker}: {one.text}", width, f"{one.step:>3}  ")


# --- tables ---


def _table(table: Table, width: int, t: Words) -> Iterator[str]:
    """Yield the lines of a table: its heads, and its rows in columns; a heading among them stands alone."""
    shown = table.rows[: table.most]
    places = [place for place, column in enumerate(table.columns) if not column.detail]
    columns = [table.columns[place] for place in places]
    cells = {
        number: [_cell(row[place], table.columns[place].form) for place in places]
        for number, row in enumerate(shown)
        if not table.is_heading(row)
    }
    layout = _layout(columns, list(cells.values()), width)
    if cells and any(column.heading for column in columns):
        yield from _line([column.heading for column in columns], columns, *layout, low=True)
    for number, row in enumerate(shown):
        if number in cells:
            yield from _line(cells[number], columns, *layout)
        else:
            yield from wrap(f"{write(row[1]).upper()}: {write(row[0])}", width)
    if shown and len(shown) < len(table.rows):
        yield t("report.more", n=len(table.rows) - len(shown))


def _cell(cell: Cell, form: str) -> str:
    if form == BAR:
        return "#" * round(cell * _BAR) if isinstance(cell, float) and math.isfinite(cell) else ""
    return printable(write(cell, form))


def _layout(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> tuple[list[int], str]:
    """Return how wide each column is, and what stands between them. Where there is no room, heads of numbers go over
    several lines, then words do, then columns come closer; numbers stay whole."""
    heads = [column.heading for column in columns]
    room = width - len(_GAP) * (len(columns) - 1)
    widths = _natural(heads, rows)
    if sum(widths) > room:
        widths = _natural(
            [head if column.form == TEXT else _half(head) for head, column in zip(heads, columns, strict=True)], rows
        )
    words = [place for place, column in enumerate(columns) if column.form == TEXT and widths[place] > _NARROWEST]
    while sum(widths) > room and words:
        widest = max(words, key=widths.__getitem__)
        widths[widest] -= 1
        if widths[widest] <= _NARROWEST:
            words.remove(widest)
    return widths, _GAP if sum(widths) <= room else _NARROW_GAP


def _half(head: str) -> str:
    """Return as many letters as a line of a head needs that stands in two lines or more."""
    return max(head[: (len(head) + 1) // 2], *head.split(), key=cell_len)


def _natural(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(cell_len, column)) for column in zip(heads, *rows, strict=True)]


def _line(
    row: Sequence[str], columns: Sequence[Column], widths: Sequence[int], gap: str, *, low: bool = False
) -> Iterator[str]:
    """Yield the lines of a row, in which long words go on below; heads stand as `low` as they can."""
    wrapped = [wrap(cell, width) or [""] for cell, width in zip(row, widths, strict=True)]
    deep = max(map(len, wrapped))
    filled = [[""] * (deep - len(lines)) + lines if low else lines + [""] * (deep - len(lines)) for lines in wrapped]
    for line in zip(*filled, strict=True):
        cells = (
            left(cell, width) if column.form in (TEXT, BAR) else " " * (width - cell_len(cell)) + cell
            for cell, column, width in zip(line, columns, widths, strict=True)
        )
        yield gap.join(cells).rstrip()
