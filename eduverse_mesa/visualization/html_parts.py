"""Parts of the HTML report that are text: everything that comes from data passes through `escape`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import pandas as pd

from eduverse_mesa.visualization.charts.irf import phase_bands
from eduverse_mesa.visualization.charts.network import exchanges
from eduverse_mesa.visualization.tables import RunTables
from eduverse_mesa.visualization.who import who_did_what
from eduverse_mesa.visualization.words import counted, is_number, number, percent, spoken

_CARDS = (
    ("bec", "b_interactive", "interactive", "of all student-steps", percent),
    ("bec", "b_offtask", "off task", "of all student-steps", percent),
    ("bec", "e_positive", "in a positive mood", "of all student-steps", percent),
    ("bec", "c_high", "higher-order thinking", "applying and above, of all student-steps", percent),
    ("irf", "irf", "full exchanges", "steps with initiation, response and feedback", percent),
    ("irf", "r", "responding", "of the class in a step, on average", percent),
    ("network", "density", "network density", "pairs who talked, of those who could have", number),
    ("equity", "gini_speaking_turns", "Gini of turns", "0: all speak alike, 1: one speaks alone", number),
)
_SENTENCES = (
    ("plan", "plans"),
    ("words", "says"),
    ("monitoring", "notices"),
    ("regulation", "decides"),
)
_ASIDE = frozenset({"peer", "group"})


def header(run: RunTables) -> str:
    """Title, the facts one looks for first, and a warning if answers are missing."""
    facts = [run.facts[name] for name in ("class", "layout", "policy") if run.facts.get(name)]
    facts += [f"seed {run.facts['seed']}"] if "seed" in run.facts else []
    loud = trouble(run.results.get("outcomes") or {})
    warning = f'<p class="warning" role="alert">{escape(loud)}</p>' if loud else ""
    return (
        f'<header><p class="brand">EduVerse-Mesa</p><h1>{escape(run.title)}</h1>'
        f'<p class="sub">{escape(" · ".join(facts))}</p>{warning}</header>'
    )


def trouble(outcomes: dict[str, int]) -> str:
    """What a reader must know before believing the rest; nothing if every answer came from whom it should."""
    failed, fallback = outcomes.get("failed", 0), outcomes.get("fallback", 0)
    if not failed and not fallback:
        return ""
    return (
        f"{counted(failed, 'answer')} failed and {fallback} came from a fallback. Read what follows with that in mind."
    )


def cards(results: dict[str, Any]) -> str:
    """The numbers one asks for first."""
    shown = "".join(
        f'<div class="card"><b>{say((results.get(group) or {}).get(key))}</b><span>{escape(label)}</span>'
        f"<small>{escape(hint)}</small></div>"
        for group, key, label, hint, say in _CARDS
    )
    return f'<section class="cards" aria-label="Summary">{shown}</section>'


def phase_table(teacher: pd.DataFrame) -> str:
    """What happened in each phase, and why it ended."""
    rows = []
    for lesson, steps in teacher.groupby("lesson", sort=False):
        for band in phase_bands(steps).itertuples():
            inside = steps[(steps["step"] > band.left) & (steps["step"] < band.right)]
            rows.append([lesson, band.phase, band.steps, acts(inside), band.pacing_reason])
    if not rows:
        return ""
    head = ["lesson", "phase", "steps", "the teacher", "why it ended"]
    return table(head, rows) if teacher["lesson"].nunique() > 1 else table(head[1:], [row[1:] for row in rows])


def acts(steps: pd.DataFrame) -> str:
    """The teacher's acts, most frequent first."""
    counts = steps.loc[steps["act"] != "", "act"].value_counts()
    return ", ".join(f"{spoken(act)} {times}" for act, times in counts.items())


def network_table(run: RunTables) -> str:
    """The network in numbers, and every pair."""
    network = run.results.get("network") or {}
    pairs = exchanges(run.requests)
    taken = int((run.requests["status"] == "accepted").sum())
    numbers = {
        "requests taken up": f"{taken} of {len(run.requests)}",
        "students with an exchange": network.get("nodes", 0),
        "pairs": network.get("edges", 0),
        "density": number(network.get("density")),
        "mean degree": number(network.get("average_degree")),
    }
    rows = [[row.pair, row.times, row.asked] for row in pairs.itertuples()]
    listed = table(["pair", "exchanges", "who asked how often"], rows, numeric={1}) if rows else ""
    more = f"<details><summary><b>All pairs</b><span>{len(rows)}</span></summary>{listed}</details>" if rows else ""
    return facts(numbers) + f'<div class="scroll">{more}</div>'


def zones(results: dict[str, Any]) -> str:
    """Equity in numbers."""
    equity = results.get("equity") or {}
    seats = equity.get("participation_by_seat") or {}
    numbers = {
        "Gini of speaking turns (0 even, 1 all to one)": number(equity.get("gini_speaking_turns")),
        "Gini of the teacher's attention": number(equity.get("gini_teacher_attention")),
        **{f"took part: seats {zone}": percent(share) for zone, share in seats.items() if is_number(share)},
    }
    return facts(numbers)


def students(run: RunTables) -> str:
    """A block a student, that opens to its steps."""
    steps = run.student_steps
    if steps.empty:
        return '<p class="lead">No step has been taken yet.</p>'
    many = steps["lesson"].nunique() > 1
    parts = dict(list(steps.groupby("student", sort=False)))
    blocks = []
    for who in who_did_what(steps, run.sentences).to_dict("records"):
        said = (
            f"{percent(who['b_offtask'])} off task, {percent(who['b_interactive'])} interactive, "
            f"{percent(who['e_positive'])} positive; took the floor {counted(int(who['spoke']), 'time')}, "
            f"called {counted(int(who['called']), 'time')}, feedback {counted(int(who['feedback']), 'time')}"
        )
        inside = "".join(_student_step(row, many) for row in parts[who["student"]].to_dict("records"))
        blocks.append(
            f"<details><summary><b><bdi>{escape(str(who['student']))}</bdi></b><span>{escape(said)}</span></summary>"
            f'<ol class="steps">{inside}</ol></details>'
        )
    lead = "What each one planned, did, said, noticed and decided, step by step."
    return f'<p class="lead">{lead}</p>{"".join(blocks)}'


def _student_step(row: dict[str, Any], many: bool) -> str:
    addressee = f" → {row['addressee']}" if row["addressee"] else ""
    state = [spoken(row["emotion"]), spoken(row["cognition"])]
    state += ["called by name"] if row["called"] else []
    state += [f"{row['feedback']} feedback"] if row["feedback"] else []
    did = f"{spoken(row['behaviour'])}{addressee}" if row["behaviour"] else "no decision came about"
    sentences = "".join(
        f'<p><span class="kind">{escape(label)}</span> {escape(str(row[column]))}</p>'
        for column, label in _SENTENCES
        if row.get(column)
    )
    place = f"<small>{escape(str(row['lesson']))}</small><br>" if many and row["step"] == 1 else ""
    return (
        f'<li><span class="at">{place}{row["step"]}</span><div><p class="state"><strong>{escape(did)}</strong> · '
        f"{escape(' · '.join(filter(None, state)))}</p>{sentences}</div></li>"
    )


def transcript(run: RunTables, figure: str) -> str:
    """All that was said, to search in; talk that the class does not hear stands aside."""
    if run.sentences.empty:
        return '<p class="lead">Nothing has been said yet.</p>'
    phases = {(row.lesson, row.step): row.phase for row in run.teacher_steps.itertuples()}
    many = run.sentences["lesson"].nunique() > 1
    lines, part = [], None
    for row in run.sentences.itertuples():
        here = (row.lesson, phases.get((row.lesson, row.step), ""))
        if here != part:
            part = here
            title = f"{row.lesson}: {here[1]}" if many else here[1]
            lines.append(f'<li class="part">{escape(title)}</li>')
        lines.append(_line(row))
    return (
        f"{figure}"
        '<div class="search"><input id="search" type="search" placeholder="Search words, names or moves" '
        'aria-label="Search the transcript"><span id="found" aria-live="polite"></span></div>'
        f'<ol id="transcript">{"".join(lines)}</ol>'
    )


def _line(row: Any) -> str:
    move = "" if row.move in ("", "none") or row.move != row.move else str(row.move)
    kinds = " ".join((["teacher"] if row.role == "T" else ["student"]) + (["aside"] if row.channel in _ASIDE else []))
    to = f" → {row.addressee}" if row.channel == "peer" else ""
    return (
        f'<li class="{kinds}"><span class="at">{row.step}</span><b><bdi>{escape(str(row.speaker))}</bdi></b>'
        f'<span class="said" dir="auto">{escape(str(row.text))}</span>'
        f'<span class="move">{escape(move + to)}</span></li>'
    )


def answers(run: RunTables) -> str:
    """Where the answers came from, and what could not be."""
    rows = [
        [row.lesson, row.step, row.agent, spoken(row.wanted), spoken(row.replaced_by), row.reason]
        for row in run.rejections.itertuples()
    ]
    head = ["lesson", "step", "who", "wanted", "did instead", "why"]
    wishes = counted(len(rows), "wish", "wishes")
    refused = (
        f"<details><summary><b>Gave way</b><span>{wishes} could not be</span></summary>{table(head, rows)}</details>"
        if rows
        else '<p class="lead">Every wish could be.</p>'
    )
    return facts(run.results.get("outcomes") or {}) + f'<div class="scroll">{refused}</div>'


def provenance(run: RunTables) -> str:
    """Where this comes from, and how to make it again."""
    command = f"<pre>{escape(run.command)}</pre>" if run.command else ""
    settings = f"<details><summary><b>Settings</b></summary>{facts(run.settings)}</details>" if run.settings else ""
    lead = "The same scenario, seed and answers make the same run, bit for bit."
    return f'<p class="lead">{lead}</p>{facts(run.facts)}<p></p>{command}{settings}'


def facts(values: dict[str, Any]) -> str:
    """Names and values."""
    shown = "".join(
        f"<div><dt>{escape(str(name))}</dt><dd>{escape(str(value))}</dd></div>" for name, value in values.items()
    )
    return f'<dl class="facts">{shown}</dl>'


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], numeric: Iterable[int] = ()) -> str:
    """A table that scrolls by itself on a narrow screen."""
    right = set(numeric)

    def cells(row: Sequence[Any], tag: str) -> str:
        return "".join(
            f"<{tag}{' class=n' if place in right else ''}>{escape(str(cell))}</{tag}>"
            for place, cell in enumerate(row)
        )

    lines = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{cells(head, "th")}</tr></thead><tbody>{lines}</tbody></table></div>'
