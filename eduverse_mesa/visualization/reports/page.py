"""Frames of reports: one HTML file that needs no network, and columns of a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from rich.cells import cell_len

from eduverse_mesa.visualization.charts.frame import protected
from eduverse_mesa.visualization.words import DEFAULT


@dataclass(frozen=True)
class Table:
    """Rows of words and numbers; `marks` says of each row whether it is good news ("yes"), bad ("no"), not certain
    ("unsure") or none of these."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str | float]]
    marks: Sequence[str] = ()


@dataclass(frozen=True)
class Section:
    """A part of a page: what it is about, and a chart, a table or both."""

    title: str
    lead: str
    chart: Any = None
    table: Table | None = None
    note: str = ""


def render_page(title: str, facts: Mapping[str, str], sections: Sequence[Section], warning: str = "") -> str:
    """A page of sections. Everything that comes from data is shown as text."""
    drawn: list[Any] = []
    body = [_header(title, facts, warning)]
    for section in sections:
        body.append(_section(section, len(drawn)))
        if section.chart is not None:
            drawn.append(section.chart)
    return fill_page(title, body, drawn)


def fill_page(title: str, body: Iterable[str], drawn: Sequence[Any], language: str = DEFAULT) -> str:
    """The frame around a body in a language, in which element `chart-N` is filled with the Nth chart."""
    page = (files("eduverse_mesa.visualization") / "report.html").read_text(encoding="utf-8")
    filled = {
        "title": escape(title),
        "language": escape(language),
        "body": "\n".join(body),
        "bundle": _bundle(),
        "charts": _as_script([protected(chart.to_dict()) for chart in drawn]),
    }
    # One pass over the page's own marks: what is filled in is never searched for marks again.
    pieces = page.split("@@")
    return "".join(piece if place % 2 == 0 else filled[piece] for place, piece in enumerate(pieces))


def plain_number(value: float) -> str:
    """A number as tables show it; a dash where nothing could be measured."""
    return "-" if value != value else f"{value:.3f}"


def _header(title: str, facts: Mapping[str, str], warning: str) -> str:
    told = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts.items())
    shown = f'<p class="warning">{escape(warning)}</p>' if warning else ""
    return f'<header><p class="brand">EduVerse-Mesa</p><h1>{escape(title)}</h1><dl>{told}</dl>{shown}</header>'


def _section(section: Section, number: int) -> str:
    title = escape(section.title)
    chart = ""
    if section.chart is not None:
        chart = f'<div class="chart" id="chart-{number}" role="img" aria-label="{title}"></div>'
    table = _table(section.table) if section.table is not None else ""
    note = f'<p class="lead">{escape(section.note)}</p>' if section.note else ""
    return f'<section><h2>{title}</h2><p class="lead">{escape(section.lead)}</p>{chart}{table}{note}</section>'


def _table(table: Table) -> str:
    numbers = [any(isinstance(row[place], float) for row in table.rows) for place in range(len(table.columns))]
    kinds = [' class="number"' if number else "" for number in numbers]
    head = "".join(f"<th{kind}>{escape(name)}</th>" for kind, name in zip(kinds, table.columns, strict=True))
    marks = table.marks or [""] * len(table.rows)
    lines = "".join(
        f'<tr class="{escape(mark)}">{_cells(row, kinds)}</tr>' for row, mark in zip(table.rows, marks, strict=True)
    )
    return f'<div class="scroll" tabindex="0"><table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></div>'


def _cells(row: Sequence[str | float], kinds: Sequence[str]) -> str:
    shown = (plain_number(cell) if isinstance(cell, float) else str(cell) for cell in row)
    return "".join(f"<td{kind}>{escape(cell)}</td>" for kind, cell in zip(kinds, shown, strict=True))


@cache  # seconds of work, and the same for every report
def _bundle() -> str:
    import vl_convert as vlc

    # The script element ends at the first "</script", wherever that stands.
    return str(vlc.javascript_bundle("window.vegaEmbed = vegaEmbed;")).replace("</script", "<\\/script")


def _as_script(value: Any) -> str:
    return (
        json.dumps(value, ensure_ascii=False)
        .replace("<", "\\u003c")
        .replace("\u2028", "\\u2028")
        .replace("\u2029", "\\u2029")
    )


def left(text: str, width: int) -> str:
    """The text at the left of so many columns."""
    return text + " " * (width - cell_len(text))


def right(text: str, width: int) -> str:
    """The text at the right of so many columns."""
    return " " * (width - cell_len(text)) + text
