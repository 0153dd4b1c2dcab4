"""A report as a page: one HTML file that needs no network."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from eduverse_mesa.visualization.charts.frame import protected
from eduverse_mesa.visualization.reports.document import (
    BAR,
    TEXT,
    Block,
    Cell,
    Code,
    Facts,
    Figure,
    Report,
    Section,
    Table,
    Transcript,
    write,
)
from eduverse_mesa.visualization.vega import vega_bundle
from eduverse_mesa.visualization.words import Words, load_words


def render_page(report: Report) -> str:
    """Return a report as a page. Everything that comes from data is shown as text."""
    page = _Page(load_words(report.language))
    body = [_header(report), *(page.section(section) for section in report.sections)]
    frame = (files("eduverse_mesa.visualization") / "report.html").read_text(encoding="utf-8")
    filled = {
        "title": escape(report.title),
        "language": escape(report.language),
        "body": "\n".join(body),
        # The script element ends at the first "</script", wherever that stands.
        "bundle": vega_bundle().replace("</script", "<\\/script"),
        "charts": _as_script(page.charts),
    }
    # One pass over the frame's own marks: what is filled in is never searched for marks again.
    pieces = frame.split("@@")
    return "".join(piece if place % 2 == 0 else filled[piece] for place, piece in enumerate(pieces))


def _header(report: Report) -> str:
    warnings = "".join(f'<p class="warning">{escape(warning)}</p>' for warning in report.warnings)
    title, facts = escape(report.title), _facts(report.facts)
    return f'<header><p class="brand">EduVerse-Mesa</p><h1>{title}</h1>{facts}{warnings}</header>'


def _facts(facts: Mapping[str, str], kind: str = "facts") -> str:
    values = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts.items())
    return f'<dl class="{kind}">{values}</dl>' if facts else ""


class _Page:
    """The body of a page while it is written, with the charts that its scripts draw."""

    def __init__(self, words: Words) -> None:
        self.charts: list[Any] = []
        self._words = words

    def section(self, section: Section) -> str:
        """Return a section with all its blocks."""
        heading = f"<h2>{escape(section.heading)}</h2>" if section.heading else ""
        blocks = "".join(self._block(block, section.heading) for block in (section.lead, *section.blocks))
        return f"<section>{heading}{blocks}</section>"

    def _block(self, block: Block, heading: str) -> str:
        if isinstance(block, str):
            return f'<p class="lead">{escape(block)}</p>' if block else ""
        if isinstance(block, Figure):
            self.charts.append(protected(block.draw().to_dict()))
            place = f'id="chart-{len(self.charts) - 1}" role="img" aria-label="{escape(heading)}"'
            return f'{self._block(block.caption, heading)}<div class="chart" {place}></div>'
        if isinstance(block, Table):
            return _table(block, heading)
        if isinstance(block, Facts):
            return _facts(block.values, "cards")
        return f"<pre>{escape(block.text)}</pre>" if isinstance(block, Code) else _transcript(block, self._words)


def _table(table: Table, heading: str) -> str:
    """A table in a box that scrolls by itself, with its name for those who hear it."""
    kinds = {
        place: "" if column.form == TEXT else ' class="number"'
        for place, column in enumerate(table.columns)
        if column.form != BAR  # a chart shows it
    }
    head = "".join(
        f'<th scope="col"{kind}>{escape(table.columns[place].heading)}</th>' for place, kind in kinds.items()
    )
    marks = table.marks or [""] * len(table.rows)
    rows = "".join(_row(table, row, mark, kinds) for row, mark in zip(table.rows, marks, strict=True))
    own = escape(table.caption or table.folded)
    name = own or escape(heading)
    # A heading that stands above is not read twice.
    named = f"<table><caption>{own}</caption>" if own else f'<table aria-label="{name}">'
    box = (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{name}">{named}'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
    return f"<details><summary>{escape(table.folded)}</summary>{box}</details>" if table.folded else box


def _row(table: Table, row: Sequence[Cell], mark: str, kinds: Mapping[int, str]) -> str:
    marked = f' class="{escape(mark)}"' if mark else ""
    if table.is_heading(row):
        text, verdict = (escape(write(cell)) for cell in row)
        return f'<tr{marked}><th scope="rowgroup" colspan="{len(kinds) - 1}">{text}</th><td>{verdict}</td></tr>'
    first, *cells = ((kind, escape(write(row[place], table.columns[place].form))) for place, kind in kinds.items())
    shown = "".join(f"<td{kind}>{cell}</td>" for kind, cell in cells)
    return f'<tr{marked}><th scope="row"{first[0]}>{first[1]}</th>{shown}</tr>'


def _transcript(transcript: Transcript, t: Words) -> str:
    several = len({one.lesson for one in transcript.sentences}) > 1
    lines, lesson = [], None
    for one in transcript.sentences:
        if several and one.lesson != lesson:
            lines.append(f'<li class="lesson"><h3>{escape(one.lesson)}</h3></li>')
        lesson = one.lesson
        lines.append(
            f'<li class="{"teacher" if one.by_teacher else "student"} {escape(one.channel)}">'
            f'<span class="step">{one.step}</span><b>{escape(one.speaker)}</b>'
            f'<span class="said">{escape(one.text)}</span><i>{escape(one.move)}</i></li>'
        )
    return (
        f'<p class="lead">{escape(t("report.page.transcript_lead"))}</p>'
        f'<input id="search" type="search" placeholder="{escape(t("report.page.search"))}" '
        f'aria-label="{escape(t("report.page.search_label"))}">'
        f'<p id="found" class="lead" aria-live="polite" data-told="{escape(t["report.page.found"])}"></p>'
        f'<ol id="transcript" tabindex="0">{"".join(lines)}</ol>'
    )


def _as_script(value: Any) -> str:
    return (
        json.dumps(value, ensure_ascii=False)
        .replace("<", "\\u003c")
        .replace("\u2028", "\\u2028")
        .replace("\u2029", "\\u2029")
    )
