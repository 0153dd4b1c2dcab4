"""What a tutor has done, as text, page and pictures."""

from __future__ import annotations

import re

import pytest

from eduverse_mesa.experiments.tutors import Comparison, compare, evaluate, make_plan
from eduverse_mesa.policies.tutors import FunctionTutor
from eduverse_mesa.scenarios.loader import load_tutoring
from eduverse_mesa.visualization.charts.learners import exams_over_time, gains_by_group
from eduverse_mesa.visualization.reports.page import render_page
from eduverse_mesa.visualization.reports.text import render_text
from eduverse_mesa.visualization.reports.tutoring import SAID, tutor_report, tutors_report
from tests.experiments.tutors.bad_tutors import History, tongue_tied

HOSTILE = "</script><b>mine"


@pytest.fixture(scope="module")
def compared() -> Comparison:
    setup = load_tutoring(learners=6)
    plan = make_plan(setup.curriculum, 1, [setup.curriculum.units_of(1)[0].id], visits=1)
    played = [evaluate(plan, setup), evaluate(plan, setup, FunctionTutor(tongue_tied), name=HOSTILE)]
    return compare(*played)


def falls_over(history: History) -> str:
    """Whatever it hears."""
    raise ZeroDivisionError("the slope of a flat line")


@pytest.fixture(scope="module")
def never() -> Comparison:
    """The second tutor never answers."""
    setup = load_tutoring(learners=6)
    plan = make_plan(setup.curriculum, 1, [setup.curriculum.units_of(1)[0].id], visits=1)
    played = [evaluate(plan, setup), evaluate(plan, setup, FunctionTutor(falls_over), name="falls_over")]
    return compare(*played)


def test_all_outcomes_are_told_with_what_failed(compared: Comparison) -> None:
    told = render_text(tutor_report(compared.second), 1000)
    assert all(words in told for words in SAID.values())
    failed = compared.second.evaluation.teaching.failed
    assert 0 < failed < 48
    assert re.search(rf"tutor +48 +{failed} +0 +{failed} x it said", told)
    both = render_text(tutors_report(compared), 1000)
    assert f"tutors        built-in, {HOSTILE}" in both
    assert re.search(r"built-in +tutor +\d+ +0 +0\n", both)


def test_of_a_tutor_that_never_answered_no_figures_are_told(never: Comparison) -> None:
    """Whatever its learners gained, they gained without it."""
    for report in (tutor_report(never.second), tutors_report(never)):
        told, page = render_text(report, 1000), render_page(report)
        assert "It never answered" in told
        assert re.search(r"tutor +48 +48 +0 +48 x it crashed:", told)
        assert not any(words in told for words in SAID.values() if words != SAID["delayed"]), "that is in the plan"
        assert "It never answered" in page
        assert "it crashed" in page
        assert SAID["normalised_gain"] not in page
    document = never.document()
    assert (document["second"]["outcomes"], document["second"]["profiles"], document["paired"]) == ({}, [], [])
    assert document["first"]["outcomes"].keys() == SAID.keys()


def test_pages_hold_everything_and_take_names_for_text(compared: Comparison) -> None:
    for page in map(render_page, (tutors_report(compared), tutor_report(compared.second))):
        assert "&lt;/script&gt;&lt;b&gt;mine" in page
        assert HOSTILE not in page
        assert "it said nothing" in page
        assert 'id="chart-2"' in page
        assert "http://" not in page.split("<script")[0]


def test_pictures_show_every_learner_and_every_group(compared: Comparison) -> None:
    first = compared.first.evaluation
    lines = exams_over_time.spec({"built-in": first.outcomes})["datasets"]
    assert len(lines["learners"]) == 6 * 3
    assert [row["n"] for row in lines["means"]] == [6, 6, 6]
    assert lines["means"][1]["share"] == pytest.approx(compared.first.means["post"].mean)
    groups = [(one.factor, one.group, *one.gain) for one in compared.first.groups]
    assert len(gains_by_group.spec(groups)["datasets"]["groups"]) == len(groups) > 0
    assert "message" in gains_by_group.spec([])["datasets"]
