"""The report of a run as one HTML file that needs nothing else, not even a network."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

import pandas as pd

from eduverse_mesa.visualization import charts
from eduverse_mesa.visualization.page import fill_page
from eduverse_mesa.visualization.tables import RunTables
from eduverse_mesa.visualization.text_report import count_names, count_outcomes, count_sources, told_of_untold
from eduverse_mesa.visualization.words import Words, load_words
from eduverse_mesa.visualization.words.reasons import reason_of

_CARDS = (
    ("bec", "b_offtask"),
    ("bec", "b_interactive"),
    ("bec", "e_positive"),
    ("bec", "c_high"),
    ("irf", "irf"),
    ("irf", "r"),
    ("network", "density"),
    ("equity", "gini_speaking_turns"),
)
_STATE_COLUMNS = ("step", "behaviour", "emotion", "cognition", "feedback", "plan", "words", "monitoring", "regulation")
_CODES = ("behaviour", "emotion", "cognition", "feedback", "wanted", "replaced_by", "status")
"""Columns of codes, which have names in each language; other columns hold people's own words."""


def render_html(run: RunTables) -> str:
    """The page, in the run's language. Everything that comes from data is shown as text."""
    t = load_words(run.language)
    pictures = _pictures(run, t)
    body = [
        _header(run),
        _cards(run.results, t),
        *(
            f'<section><h2>{escape(title)}</h2><p class="lead">{escape(lead)}</p>'
            f'<div class="chart" id="chart-{number}" role="img" aria-label="{escape(title)}"></div></section>'
            for number, (title, lead, _) in enumerate(pictures)
        ),
        _students(run.student_steps, t),
        _transcript(run.sentences, t),
        _answers(run, t),
        _provenance(run, t),
    ]
    return fill_page(run.title, body, [chart for _, _, chart in pictures], run.language)


def _pictures(run: RunTables, t: Words) -> list[tuple[str, str, Any]]:
    steps, teacher, words = run.student_steps, run.teacher_steps, charts.chart_words(run.language)
    drawn = {
        "room": charts.room_plan(run.room, words=words),
        "states": charts.bec_shares_chart(steps, words=words),
        "each": charts.bec_by_student(steps, words=words),
        "steps": charts.bec_over_time(steps, words=words),
        "discourse": charts.irf_ribbon(steps, teacher, words=words),
        "network": charts.interaction_network(run.room, run.requests, words=words),
        "attention": charts.state_over_time(steps, "attention", words=words),
        "understanding": charts.state_over_time(steps, "understanding", words=words),
        "affect": charts.state_over_time(steps, "affect", words=words),
    }
    return [(t[f"report.page.{name}"], t[f"report.page.{name}_lead"], chart) for name, chart in drawn.items()]


def _header(run: RunTables) -> str:
    facts = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in run.facts.items())
    warnings = "".join(f'<p class="warning">{escape(warning)}</p>' for warning in run.warnings)
    return f'<header><p class="brand">EduVerse-Mesa</p><h1>{escape(run.title)}</h1><dl>{facts}</dl>{warnings}</header>'


def _cards(results: dict[str, Any], t: Words) -> str:
    cards = "".join(
        f'<div class="card"><b>{_number(results[group].get(key))}</b>'
        f"<span>{escape(t[f'report.page.card.{key}'])}</span></div>"
        for group, key in _CARDS
    )
    return f'<section class="cards" aria-label="{escape(t("report.page.summary"))}">{cards}</section>'


def _students(student_steps: pd.DataFrame, t: Words) -> str:
    blocks = []
    for name, rows in student_steps.groupby("student", sort=False):
        shown = [column for column in _STATE_COLUMNS if column in rows]
        blocks.append(f"<details><summary>{escape(str(name))}</summary>{_table(rows[shown], t)}</details>")
    return (
        f"<section><h2>{escape(t('report.page.students'))}</h2>"
        f'<p class="lead">{escape(t("report.page.students_lead"))}</p>'
        f"{''.join(blocks)}</section>"
    )


def _transcript(sentences: pd.DataFrame, t: Words) -> str:
    several = sentences["lesson"].nunique() > 1
    begins = sentences["lesson"] != sentences["lesson"].shift()
    lines = "".join(
        (f'<li class="lesson"><h3>{escape(str(row.lesson))}</h3></li>' if several and new else "")
        + f'<li class="{"teacher" if row.role == "T" else "student"} {escape(str(row.channel))}">'
        f'<span class="step">{row.step}</span><b>{escape(str(row.speaker))}</b>'
        f'<span class="said">{escape(str(row.text))}</span><i>{escape(t.code(str(row.move)))}</i></li>'
        for row, new in zip(sentences.itertuples(), begins, strict=True)
    )
    return (
        f"<section><h2>{escape(t('report.page.transcript'))}</h2>"
        f'<p class="lead">{escape(t("report.page.transcript_lead"))}</p>'
        f'<input id="search" type="search" placeholder="{escape(t("report.page.search"))}" '
        f'aria-label="{escape(t("report.page.search_label"))}">'
        f'<p id="found" class="lead" aria-live="polite" data-told="{escape(t["report.page.found"])}"></p>'
        f'<ol id="transcript">{lines}</ol></section>'
    )


def _answers(run: RunTables, t: Words) -> str:
    counted = count_outcomes(run.results["outcomes"], t)
    models = _models(run.results["models"], t) if "models" in run.results else ""
    nothing = f"<p>{escape(t('report.page.nothing_refused'))}</p>"
    rejected = _table(_said(run.rejections, t), t) if len(run.rejections) else nothing
    refused = t("report.page.refused", n=len(run.rejections))
    return (
        f'<section><h2>{escape(t("report.page.answers"))}</h2><p class="lead">{escape(counted)}</p>{models}'
        f"<details><summary>{escape(refused)}</summary>{rejected}</details></section>"
    )


def _said(rejections: pd.DataFrame, t: Words) -> pd.DataFrame:
    """The reasons in the page's language."""
    return rejections.assign(reason=[reason_of(str(reason), t) for reason in rejections["reason"]])


def _models(use: dict[str, Any], t: Words) -> str:
    told = count_sources(use["sources"], t)
    lines = [t("report.page.calls", told=told, calls=use["calls"])]
    if use["tokens_in"] is not None:
        lines.append(t("report.page.tokens", read=use["tokens_in"], written=use["tokens_out"]))
    else:
        lines.append(t("report.page.no_tokens"))
    if use["failed_calls"]:
        lines.append(t("report.page.failed_calls", n=use["failed_calls"]))
    if use["prefix_hits"] is not None:
        lines.append(t("report.page.hits", share=f"{use['prefix_hits']:.0%}"))
    if use["cost_usd"] is not None:
        lines.append(t("report.page.cost", usd=f"{use['cost_usd']:.4f}"))
    lines += told_of_untold(use, t)
    if names := count_names(use, t):
        lines.append(names)
    plain = f"<p>{escape(t('report.page.as_it_came'))}</p>"
    reasons = _table(pd.DataFrame(use["reasons"]), t) if use["reasons"] else plain
    return (
        f"<p>{escape(' '.join(lines))}</p>"
        f"<details><summary>{escape(t('report.page.replaced', n=len(use['reasons'])))}</summary>"
        f"{reasons}</details>"
    )


def _provenance(run: RunTables, t: Words) -> str:
    return (
        f"<section><h2>{escape(t('report.page.again'))}</h2>"
        f"<pre>{escape(run.command)}</pre>"
        f'<p class="lead">{escape(t("report.page.again_lead"))}</p></section>'
    )


def _table(rows: pd.DataFrame, t: Words) -> str:
    names = [str(column) for column in rows.columns]
    head = "".join(f"<th>{escape(t[f'report.column.{name}'])}</th>" for name in names)
    lines = "".join(f"<tr>{_cells(names, row, t)}</tr>" for row in rows.itertuples(index=False, name=None))
    return f'<div class="scroll" tabindex="0"><table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></div>'


def _cells(names: Iterable[str], row: Iterable[Any], t: Words) -> str:
    shown = (t.code(str(cell)) if name in _CODES else str(cell) for name, cell in zip(names, row, strict=True))
    return "".join(f"<td>{escape(cell)}</td>" for cell in shown)


def _number(value: Any) -> str:
    return "-" if value is None or value != value else f"{value:.3f}"
