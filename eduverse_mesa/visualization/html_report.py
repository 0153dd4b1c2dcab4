"""The report of a run as one HTML file that needs nothing else, not even a network."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

import pandas as pd

from eduverse_mesa.visualization import charts
from eduverse_mesa.visualization.page import fill_page
from eduverse_mesa.visualization.tables import RunTables

_CARDS = (
    ("off task", "bec", "b_offtask"),
    ("interactive", "bec", "b_interactive"),
    ("positive", "bec", "e_positive"),
    ("higher-order", "bec", "c_high"),
    ("IRF rate", "irf", "irf"),
    ("responding", "irf", "r"),
    ("network density", "network", "density"),
    ("Gini of turns", "equity", "gini_speaking_turns"),
)
_STATE_COLUMNS = ("step", "behaviour", "emotion", "cognition", "feedback", "plan", "words", "monitoring", "regulation")


def render_html(run: RunTables) -> str:
    """The page. Everything that comes from data is shown as text."""
    pictures = _pictures(run)
    body = [
        _header(run),
        _cards(run.results),
        *(
            f'<section><h2>{escape(title)}</h2><p class="lead">{escape(lead)}</p>'
            f'<div class="chart" id="chart-{number}" role="img" aria-label="{escape(title)}"></div></section>'
            for number, (title, lead, _) in enumerate(pictures)
        ),
        _students(run.student_steps),
        _transcript(run.sentences),
        _answers(run),
        _provenance(run),
    ]
    return fill_page(run.title, body, [chart for _, _, chart in pictures])


def _pictures(run: RunTables) -> list[tuple[str, str, Any]]:
    steps, teacher = run.student_steps, run.teacher_steps
    return [
        (
            "The room",
            "Board at the top. Lines join students who can easily turn to one another.",
            charts.room_plan(run.room),
        ),
        ("States", "Share of all student-steps at each level.", charts.bec_shares_chart(steps)),
        ("Who was how", "The same for each student.", charts.bec_by_student(steps)),
        ("Step by step", "Behaviour of the class in each step.", charts.bec_over_time(steps)),
        ("Discourse", "Steps with initiation, response and feedback; phases below.", charts.irf_ribbon(steps, teacher)),
        (
            "Who talked with whom",
            "Requests that were taken up; the wider, the more often.",
            charts.interaction_network(run.room, run.requests),
        ),
        ("Attention", "Of each student, step by step.", charts.state_over_time(steps, "attention")),
        ("Understanding", "Mean over the lesson's goals.", charts.state_over_time(steps, "understanding")),
        ("Affect", "From -1 to 1.", charts.state_over_time(steps, "affect")),
    ]


def _header(run: RunTables) -> str:
    facts = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in run.facts.items())
    outcomes = run.results["outcomes"]
    warning = ""
    if outcomes.get("failed") or outcomes.get("fallback"):
        warning = (
            f'<p class="warning">{outcomes.get("failed", 0)} answers failed and {outcomes.get("fallback", 0)} came '
            "from a fallback. Read what follows with that in mind.</p>"
        )
    return f'<header><p class="brand">EduVerse-Mesa</p><h1>{escape(run.title)}</h1><dl>{facts}</dl>{warning}</header>'


def _cards(results: dict[str, Any]) -> str:
    cards = "".join(
        f'<div class="card"><b>{_number(results[group].get(key))}</b><span>{escape(label)}</span></div>'
        for label, group, key in _CARDS
    )
    return f'<section class="cards" aria-label="Summary">{cards}</section>'


def _students(student_steps: pd.DataFrame) -> str:
    blocks = []
    for name, rows in student_steps.groupby("student", sort=False):
        shown = [column for column in _STATE_COLUMNS if column in rows]
        blocks.append(f"<details><summary>{escape(str(name))}</summary>{_table(rows[shown])}</details>")
    return (
        '<section><h2>Students</h2><p class="lead">What each one planned, did, said and thought, step by step.</p>'
        f"{''.join(blocks)}</section>"
    )


def _transcript(sentences: pd.DataFrame) -> str:
    lines = "".join(
        f'<li class="{"teacher" if row.role == "T" else "student"} {escape(str(row.channel))}">'
        f'<span class="step">{row.step}</span><b>{escape(str(row.speaker))}</b>'
        f'<span class="said">{escape(str(row.text))}</span><i>{escape(str(row.move))}</i></li>'
        for row in sentences.itertuples()
    )
    return (
        '<section><h2>Transcript</h2><p class="lead">Talk that the class does not hear is set in.</p>'
        '<input id="search" type="search" placeholder="Words, names or moves" aria-label="Search the transcript">'
        f'<p id="found" class="lead" aria-live="polite"></p><ol id="transcript">{lines}</ol></section>'
    )


def _answers(run: RunTables) -> str:
    counted = ", ".join(f"{number} {status}" for status, number in run.results["outcomes"].items())
    models = _models(run.results["models"]) if "models" in run.results else ""
    rejected = _table(run.rejections) if len(run.rejections) else "<p>Nothing was refused.</p>"
    return (
        f'<section><h2>Answers</h2><p class="lead">{escape(counted)}</p>{models}'
        f"<details><summary>Wishes that could not be ({len(run.rejections)})</summary>{rejected}</details></section>"
    )


def _models(use: dict[str, Any]) -> str:
    told = ", ".join(f"{count} from {source}" for source, count in use["sources"].items())
    lines = [f"{told}. {use['calls']} calls to a language model."]
    if use["tokens_in"] is not None:
        lines.append(f"{use['tokens_in']} tokens read, {use['tokens_out']} written.")
    if use["prefix_hits"] is not None:
        lines.append(f"The server still had {use['prefix_hits']:.0%} of what it read.")
    if use["cost_usd"] is not None:
        lines.append(f"{use['cost_usd']:.4f} US dollars.")
    reasons = _table(pd.DataFrame(use["reasons"])) if use["reasons"] else "<p>Every answer was used as it came.</p>"
    return (
        f"<p>{escape(' '.join(lines))}</p>"
        f"<details><summary>Answers that were repaired or replaced ({len(use['reasons'])} reasons)</summary>"
        f"{reasons}</details>"
    )


def _provenance(run: RunTables) -> str:
    return (
        "<section><h2>The same again</h2>"
        f"<pre>{escape(run.command)}</pre>"
        '<p class="lead">Same scenario, seed and answers, same run, bit for bit. One lesson is one sample: compare '
        "means over seeds.</p></section>"
    )


def _table(rows: pd.DataFrame) -> str:
    head = "".join(f"<th>{escape(str(column)).replace('_', ' ')}</th>" for column in rows.columns)
    lines = "".join(f"<tr>{_cells(row)}</tr>" for row in rows.itertuples(index=False, name=None))
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></div>'


def _cells(row: Iterable[Any]) -> str:
    return "".join(f"<td>{escape(str(cell)).replace('_', ' ')}</td>" for cell in row)


def _number(value: Any) -> str:
    return "-" if value is None or value != value else f"{value:.3f}"
