"""The experiments in a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from eduverse_mesa.experiments.papers.cells import Cell
from eduverse_mesa.experiments.papers.comparing import Compared
from eduverse_mesa.experiments.papers.findings import Findings
from eduverse_mesa.visualization.experiments.grids import errors_grid, real_grid, statements_grid
from eduverse_mesa.visualization.experiments.wording import measure_of, note_of, number, place_of
from eduverse_mesa.visualization.page import Table
from eduverse_mesa.visualization.words import Words, load_words

WIDTH = 118
_LONG = frozenset({"centralities", "evolution"})
"""Tables of every student: their errors are printed, the numbers are in the files."""


def render_text(found: Findings, seeds: int, language: str = "en") -> str:
    """Each experiment: its statements, its errors, its tables; what is odd about the paper's numbers at the end."""
    t = load_words(language)
    parts: list[str] = []
    if found.answers.get("failed") or found.answers.get("fallback"):
        given = {name: found.answers.get(name, 0) for name in ("failed", "fallback")}
        parts += _wrapped(f"!! {t('experiments.answers', total=sum(found.answers.values()), **given)}")
    for experiment in found.experiments:
        part = found.of(experiment)
        title = t("experiments.number", number=experiment.number, title=t(f"experiments.name.{experiment.number}"))
        parts += [title, "=" * len(title), t(f"experiments.question.{experiment.number}"), ""]
        if part.judged:
            parts += _section("statements", statements_grid(part.judged, t), t, seeds=seeds)
        parts += _section("errors", errors_grid(part.errors, t), t)
        if part.real:
            parts += _section("real", real_grid(part.real, t), t)
        for name in experiment.tables:
            rows = [row for row in part.compared if row.published.table == name]
            if rows and name not in _LONG:
                parts += [t(f"experiments.table.{name}").upper(), *_compact(rows, t), ""]
    parts += [t("experiments.section.notes").upper()]
    for note in found.notes:
        parts += _wrapped(f"{t(f'experiments.table.{note.table}')}: {note_of(note, t)}", "  ")
    return "\n".join(parts)


def _section(name: str, grid: Table, t: Words, **given: object) -> Iterator[str]:
    lead = t(f"experiments.section.{name}_lead", **given) if given else t(f"experiments.section.{name}_lead")
    yield t(f"experiments.section.{name}").upper()
    yield from _wrapped(lead)
    yield from _aligned(grid)
    yield ""


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent)


def _aligned(grid: Table) -> Iterator[str]:
    """Columns side by side: words to the left, numbers to the right. A row of its own that is long goes over."""
    rows = [[str(value) for value in row] for row in grid.rows]
    alone = [not any(row[1:-1]) for row in rows]
    short = [row for row, lonely in zip(rows, alone, strict=True) if not lonely]
    widths = [max(map(len, column)) for column in zip(list(grid.columns), *short, strict=True)]
    left = [not _is_number(column) for column in zip(*short, strict=True)] if short else [True] * len(widths)
    yield _line(grid.columns, widths, left)
    for row, lonely in zip(rows, alone, strict=True):
        yield f"{row[-1].upper()}: {row[0]}" if lonely else _line(row, widths, left)


def _is_number(column: Sequence[str]) -> bool:
    return all(value == "" or value[0] in "0123456789+−–" for value in column)


def _line(row: Sequence[str], widths: Sequence[int], left: Sequence[bool]) -> str:
    cells = (
        f"{value:<{width}}" if to_left else f"{value:>{width}}"
        for value, width, to_left in zip(row, widths, left, strict=True)
    )
    return "  ".join(cells).rstrip()


def _compact(rows: Sequence[Compared], t: Words) -> Iterator[str]:
    """A line each for ours, the paper's and the real lesson's numbers, a column a measure."""
    places: dict[Cell, list[Compared]] = {}
    by_task = rows[0].published.table == "tasks"
    for row in rows:
        key = row.published.cell._replace(measure="") if not by_task else row.published.cell._replace(layout="")
        places.setdefault(key, []).append(row)
    columns = list(dict.fromkeys(_column(row, t, by_task) for row in rows))
    widths = [max(7, *(len(word) for word in column.split())) for column in columns]
    first = max(len(_label(part[0], t, by_task)) for part in places.values()) + 2
    yield from _heads(columns, widths, first + 7)
    for part in places.values():
        known = {_column(row, t, by_task): row for row in part}
        lines = {
            t("experiments.head.ours"): {name: row.mean for name, row in known.items()},
            t("experiments.head.paper"): {name: row.published.paper for name, row in known.items()},
            t("experiments.head.real"): {name: row.published.real for name, row in known.items()},
        }
        label = _label(part[0], t, by_task)
        for who, values in lines.items():
            if any(value == value for value in values.values()):
                cells = "  ".join(
                    f"{number(values.get(name, float('nan'))):>{width}}"
                    for name, width in zip(columns, widths, strict=True)
                )
                yield f"{label:<{first}}{who:<7}{cells}".rstrip()
                label = ""


def _column(row: Compared, t: Words, by_task: bool) -> str:
    cell = row.published.cell
    return t(f"experiments.layout.{cell.layout}") if by_task else measure_of(cell.measure, t)


def _label(row: Compared, t: Words, by_task: bool) -> str:
    cell = row.published.cell
    return measure_of(cell.measure, t) if by_task else place_of(cell, t)


def _heads(columns: Iterable[str], widths: Sequence[int], indent: int) -> Iterator[str]:
    """Heads of several words stand in several lines."""
    wrapped = [textwrap.wrap(column, width) for column, width in zip(columns, widths, strict=True)]
    deep = max(map(len, wrapped))
    for level in range(deep):
        cells = (
            f"{lines[level - (deep - len(lines))] if level >= deep - len(lines) else '':>{width}}"
            for lines, width in zip(wrapped, widths, strict=True)
        )
        yield (" " * indent + "  ".join(cells)).rstrip()
