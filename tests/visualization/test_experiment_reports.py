"""The paper's experiments as text, tables, pictures and pages."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from eduverse_mesa.experiments.papers.eduverse import EXPERIMENTS, STATEMENTS, TABLES, experiments
from eduverse_mesa.experiments.papers.eduverse.findings import TEXTS, Findings, document, find
from eduverse_mesa.experiments.papers.eduverse.plan import Plan
from eduverse_mesa.experiments.papers.record import Progress
from eduverse_mesa.visualization.reports.document import Report
from eduverse_mesa.visualization.reports.experiments import (
    errors_grid,
    experiment_report,
    figures_of,
    notes_grid,
    real_grid,
    statements_grid,
    table_grid,
)
from eduverse_mesa.visualization.reports.page import render_page
from eduverse_mesa.visualization.reports.text import render_text
from eduverse_mesa.visualization.words import LANGUAGES, load_words
from tests.experiments.papers.trials import SEEDS, played

VERDICTS = load_words("en").under("experiments.verdict")

pytestmark = pytest.mark.xdist_group("papers")
DONE = Progress(1, 1, 0)


@cache
def found() -> Findings:
    return find(experiments("all"), played())


def reports(of: Findings, seeds: int = SEEDS) -> list[Report]:
    """The report of each experiment."""
    return [experiment_report(of.of(one), Plan(which=str(one.number), seeds=seeds), DONE) for one in of.experiments]


def text_of(of: Findings, width: int = 1000) -> str:
    return "\n".join(render_text(report, width) for report in reports(of))


def test_what_is_said_of_experiments_is_what_their_data_say() -> None:
    t = load_words("en")
    assert {one.id: t(f"experiments.statement.{one.id}") for one in STATEMENTS} == {
        one.id: one.text for one in STATEMENTS
    }
    assert {name: t(f"experiments.table.{name}") for name in TABLES} == dict(TABLES)
    assert {name: t(f"experiments.note.{name}") for name in TEXTS} == dict(TEXTS)
    for number, one in EXPERIMENTS.items():
        assert (t(f"experiments.name.{number}"), t(f"experiments.question.{number}")) == (one.title, one.question)


def test_the_text_tells_statements_errors_and_the_papers_numbers() -> None:
    text = text_of(found())
    for one in found().judged:
        assert f"{VERDICTS[one.verdict].upper()}: {one.statement.text}" in text
    assert "fitted" in text
    assert "predicted" in text
    assert "0.639" in text  # the paper's IRF rate of the essay in the lecture
    assert "exceeds that of initiations" in " ".join(text.split())
    assert max(map(len, text_of(found(), 100).splitlines())) <= 100


def test_every_verdict_that_says_something_has_a_mark_of_its_own() -> None:
    grid = statements_grid(found().judged, load_words("en"))
    said = {str(row[-1]): mark for row, mark in zip(grid.rows, grid.marks, strict=True)}
    marks = {VERDICTS["holds"]: "yes", VERDICTS["uncertain"]: "unsure", VERDICTS["fails"]: "no"}
    assert VERDICTS["uncertain"] in said
    assert said == {verdict: marks.get(verdict, "") for verdict in said}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_label_is_said_in_words(language: str) -> None:
    """A key that no word file knows would show as it is, with its dots and underscores."""
    t = load_words(language)
    whole = found()
    grids = [statements_grid(whole.judged, t), errors_grid(whole.errors, t), real_grid(whole.real, t)]
    grids += [table_grid(whole.compared, t), notes_grid(whole, t)]
    cells = {str(cell) for grid in grids for row in grid.rows for cell in row if isinstance(cell, str)}
    cells |= {column.heading for grid in grids for column in grid.columns}
    assert [cell for cell in cells if "_" in cell or "bec." in cell] == []
    for figure in figures_of(whole, t):
        spec = json.dumps(figure.spec(t)["datasets"], ensure_ascii=False)
        assert "experiments." not in spec
        assert "_" not in "".join(row.get("line", "") for row in figure.spec(t)["datasets"].get("points", []))


def test_each_experiment_has_the_papers_figures() -> None:
    t = load_words("en")
    names = {number: [f.id for f in figures_of(found().of(one), t)] for number, one in EXPERIMENTS.items()}
    assert {"contrasts", "genre_means", "ablations", "stability", "irf-lyrical prose"} <= set(names[1])
    assert {"tasks", "network_numbers", "networks-world history", "centralities-round"} <= set(names[2])
    assert {"evolution", "students", "regulate"} <= set(names[3])
    assert {"irf-world history", "networks-world history"} <= set(names[4])


def test_a_picture_has_our_numbers_and_the_papers() -> None:
    t = load_words("en")
    [figure] = [f for f in figures_of(found().of(EXPERIMENTS[4]), t) if f.id == "irf-world history"]
    points = figure.spec(t)["datasets"]["points"]
    irf = {(row["arm"], row["key"]): row["value"] for row in points if row["line"] == "IRF rate"}
    assert irf["round", "paper"] == 0.114
    assert irf["the real lesson", "real"] == 0.333
    rows = played()
    own = rows[(rows["measure"] == "irf.irf") & (rows["genre"] == "world_history") & (rows["layout"] == "round")]
    assert irf["round", "ours"] == pytest.approx(own["value"].mean())


def test_lines_of_a_network_are_shares_of_lessons() -> None:
    t = load_words("en")
    [figure] = [f for f in figures_of(found().of(EXPERIMENTS[4]), t) if f.id == "networks-world history"]
    for web in figure.data:
        assert all(0 < share <= 1 for share in web.shares.values())
        assert all(one < other for one, other in web.shares)


def test_the_document_is_json_and_has_everything() -> None:
    made = json.loads(json.dumps(document(found()), allow_nan=False))
    assert [one["id"] for one in made["statements"]] == [one.id for one in STATEMENTS]
    assert {row["table"] for row in made["tables"]} == set(TABLES)
    assert made["real_errors"]["irf.irf"]["paper"] == pytest.approx(0.1015, abs=0.0005)


def test_with_nothing_played_all_is_told_as_unknown() -> None:
    nothing = find(experiments("all"), pd.DataFrame())
    assert {one.verdict for one in nothing.judged} == {"unknown"}
    assert "CANNOT BE TOLD" in text_of(nothing)
    assert figures_of(nothing, load_words("en")) == []
    page = render_page(experiment_report(nothing.of(EXPERIMENTS[1]), Plan(which="1"), Progress(0, 750, 0)))
    assert 'class="chart"' not in page


def test_answers_that_failed_or_were_replaced_are_told_first() -> None:
    rows = played()
    assert found().answers["failed"] == found().answers["fallback"] == 0
    assert "fallback" not in text_of(found())
    changed = rows.assign(value=rows["value"].mask(rows["measure"] == "outcomes.fallback", 2.0))
    troubled = find(experiments("4"), changed[changed["genre"] == "world_history"])
    assert troubled.answers["fallback"] == 2 * 3 * SEEDS
    told = f"answers 0 failed and {2 * 3 * SEEDS} came from a fallback"
    assert told in text_of(troubled)
    assert told in render_page(*reports(troubled))


def test_what_could_not_be_played_stands_on_the_page() -> None:
    report = experiment_report(found().of(EXPERIMENTS[4]), Plan(which="4"), Progress(10, 12, 2), "<b>no key</b>")
    page = render_page(report)
    assert "2 of 12 were not played: &lt;b&gt;no key&lt;/b&gt;" in page


@pytest.mark.xdist_group("browser")  # not in the process of the others, some of which need a loop of their own
def test_reports_are_drawn_offline(chromium: Any, tmp_path: Path) -> None:
    """Two of the four hold every kind of picture there is; one is looked at on a phone."""
    page = chromium.new_page()
    trouble: list[str] = []
    page.on("console", lambda message: trouble.append(message.text))
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("request", lambda request: trouble.append(request.url) if request.url.startswith("http") else None)
    for number, width in ((3, 1440), (4, 400)):
        file = tmp_path / f"{number}.html"
        plan = Plan(which=str(number), seeds=SEEDS)
        report = experiment_report(found().of(EXPERIMENTS[number]), plan, DONE)
        file.write_text(render_page(report), encoding="utf-8")
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(file.as_uri())
        page.wait_for_function(
            "document.querySelectorAll('.chart svg').length === document.querySelectorAll('.chart').length"
        )
        assert page.locator(".chart svg").count() == 4
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert trouble == []
    page.close()
