"""The studies of learners as charts, text and page."""

from __future__ import annotations

import pandas as pd
import pytest

from eduverse_mesa.experiments.papers.simlearner.designs import ARMS, GRADES, PROFILES, STUDIES
from eduverse_mesa.experiments.papers.simlearner.findings import Findings, find
from eduverse_mesa.experiments.papers.simlearner.plays import curves
from eduverse_mesa.experiments.papers.simlearner.published import Cell
from eduverse_mesa.visualization.charts import learners
from eduverse_mesa.visualization.reports.page import render_page
from eduverse_mesa.visualization.reports.text import render_text
from eduverse_mesa.visualization.reports.tutoring import studies_report
from tests.experiments.simlearner.tables import table

MEANS = pd.DataFrame(
    {"arm": ["with memory", "base"], "learner": ["P1", "P2"], "grade": [1, 1], "mean": [0.9, 1.6]}
).assign(low=[0.8, float("nan")], high=[1.0, float("nan")])
TILES = pd.DataFrame(
    {"arm": ["base"] * 2, "concept": ["LS1.A", "PS3"], "grade": [1, 1], "mastery": [0.5, float("nan")]}
).assign(expected=[1.0, 0.0])
CHARTS = {
    "coverage": learners.coverage_by_grade(MEANS, (0.772, 0.916)),
    "trajectories": learners.trajectories(MEANS),
    "scores": learners.scores_by_grade(MEANS, {1: 7.0}),
    "map": learners.mastery_by_grade(TILES),
    "curves": learners.forgetting_curves(curves(every=100)),
}


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_is_valid_and_says_nothing_where_nothing_was_measured(name: str) -> None:
    spec = CHARTS[name].to_dict(validate=True)
    assert "NaN" not in str(spec)


def test_the_papers_band_and_a_bar_without_an_interval_are_drawn() -> None:
    rows = [row for values in CHARTS["coverage"].to_dict()["datasets"].values() for row in values]
    assert {"from": 0.772, "to": 0.916} in rows
    [alone] = [row for row in rows if row.get("arm") == "base"]
    assert (alone["low"], alone["high"]) == (1.6, 1.6)


def findings() -> Findings:
    """Numbers of all studies, in two seeds."""
    numbers: dict[Cell, list[float]] = {Cell("years", "above"): [0.85, 0.86]}
    for arm in ARMS:
        numbers[Cell("years", "alignment", arm)] = [0.9, 0.91]
        numbers |= {Cell("people", measure, arm, key="1"): [0.7, 0.72] for measure in ("recall", "precision", "f1")}
        for grade in GRADES:
            numbers[Cell("first_grade", "score", arm, grade=grade)] = [8.0 - grade, 8.1 - grade]
            numbers[Cell("years", "coverage", arm, grade=grade)] = [0.81, 0.85]
            numbers[Cell("years", "mastery", arm, grade=grade, key="LS1.A")] = [0.3, 0.4]
            numbers[Cell("years", "expected", arm, grade=grade, key="LS1.A")] = [1.0, 1.0]
    for grade in GRADES:
        for name in PROFILES:
            numbers[Cell("years", "coverage", "full", name, grade)] = [0.81, 0.85]
            numbers[Cell("years", "mastery_of_expected", "full", name, grade)] = [0.3, 0.35]
    return find(STUDIES, table(numbers), "embedded")


def test_text_and_page_say_what_was_found_beside_the_paper_and_that_it_judges_itself() -> None:
    report = studies_report(findings())
    text, page = render_text(report), render_page(report)
    for shown in (text, page):
        assert "Self-consistency, not realism: in study 1 and 4" in shown
        assert "0.772 … 0.916" in shown
        assert "GPT-4.1-0414" in shown
    assert "NOT CERTAIN: With memory, learners stay between" in text
    assert "DOES NOT HOLD: Memory costs a little of it" in text
    for study in STUDIES:
        assert f"<h2>{study.number}. {study.title}</h2>" in page


def test_a_study_that_was_not_played_leaves_no_gap() -> None:
    nothing = find((STUDIES[4],), table({}), "embedded")
    assert "CANNOT BE TOLD: With memory, what was planned" in render_text(studies_report(nothing))
