"""The experiments page in a real browser: played, stopped, gone on with, opened again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.pages.experiments.page import Bench, default_name, home_of, sheet_of
from eduverse_mesa.dashboard.sessions import Office
from eduverse_mesa.visualization.reports.document import Table, columns
from tests.browser import Visitor

pytestmark = pytest.mark.xdist_group("browser-experiments_page")


@pytest.fixture(scope="module")
def opened(stay: Visitor) -> Any:
    """One page for all tests, which follow on each other."""
    return stay("/experiments")


@pytest.fixture
def page(opened: Any, stay: Visitor) -> Iterator[Any]:
    yield opened
    stay.check()


def fill(page: Any, label: str, value: str) -> None:
    page.get_by_label(label).fill(value)
    page.get_by_label(label).blur()


def resting(page: Any) -> None:
    page.wait_for_function("!document.querySelector('.ev-working')")


def choose(page: Any, experiment: str, seeds: str, kept_as: str = "") -> None:
    """Fill in the whole form: a page that was loaded anew has forgotten it."""
    page.get_by_label("Experiment", exact=True).select_option(experiment)
    fill(page, "Seeds (how many)", seeds)
    fill(page, "Kept as", kept_as)


def test_an_experiment_is_stopped_played_and_opened_again(page: Any) -> None:
    choose(page, "4", "40")
    page.get_by_role("button", name="Play it").click()
    page.wait_for_selector(".ev-working")
    page.get_by_text("of 480 lessons and attempts").wait_for()
    page.get_by_role("button", name="Stop").click()
    resting(page)
    page.get_by_text("the rest is missing from what follows").wait_for()
    page.get_by_role("button", name="Go on with it").wait_for()

    choose(page, "4", "2", "history")
    page.get_by_role("button", name="Play it").click()
    page.locator(".ev-facts").get_by_text("1–2").wait_for()
    resting(page)
    expect(page.get_by_text("the rest is missing")).to_have_count(0)
    statements = page.locator("table[aria-label='What the paper says']")
    expect(statements).to_contain_text("A history lesson has fewer complete IRF cycles")
    page.wait_for_selector(".ev-figure svg")
    page.get_by_label("Picture", exact=True).select_option("Discourse: world history")
    page.wait_for_function("document.querySelector('.ev-figure svg')?.textContent.includes('IRF rate')")
    page.get_by_label("Table", exact=True).select_option("Who talked with whom (Tables 2 and 6)")
    page.locator("table[aria-label='Who talked with whom (Tables 2 and 6)']").get_by_text("density").first.wait_for()

    choose(page, "4", "40")
    page.get_by_role("button", name="Open experiment_4").click()
    page.locator(".ev-facts").get_by_text("1–40").wait_for()


def test_a_wrong_number_of_seeds_and_a_strange_name_are_told(page: Any) -> None:
    fill(page, "Kept as", "../elsewhere")
    fill(page, "Seeds (how many)", "2.5")
    page.get_by_text("Give a whole number of seeds").wait_for()
    expect(page.get_by_role("button", name="Play it")).to_be_disabled()
    fill(page, "Seeds (how many)", "1")
    page.get_by_role("button", name="Play it").click()
    page.get_by_text("'../elsewhere' is no name for a folder").wait_for()


# --- without a browser ---


def test_folders_are_named_beside_the_study_and_nowhere_else() -> None:
    assert home_of("/data/class.study").parts[-2:] == ("data", "experiments")
    assert str(home_of("postgresql://host/db")) == "experiments"
    bench = Bench(Desk("somebody", Office()))
    for name in ("..", "a/b", "/etc", ".hidden", " ", ""):
        bench.open(name)
        while bench.busy:
            pass
        assert bench.error is not None, name
        assert "no name for a folder" in str(bench.error)
    assert default_name("1", "embedded") == "experiment_1"
    assert default_name("1", "llm") == "experiment_1_llm"


def test_a_table_becomes_text_in_a_sheet() -> None:
    grid = Table(
        columns("what", ("number", ".1f"), "verdict"),
        [("<b>one</b>", 0.5, "holds"), ("whole", "may be")],
        ["yes", "unsure"],
    )
    _, attributes, (_, _, head, body) = sheet_of(grid, "A table")
    assert attributes["tabindex"] == "0"
    assert [cell[2] for cell in head[2][2:]] == ["what", "number", "verdict"]
    first, second = body[2:]
    assert [cell[2] for cell in first[2:4]] == ["<b>one</b>", "0.5"]
    assert first[4][2] == ["span", {"class": "ev-chip is-ok"}, "holds"]
    assert second[1] == {"class": "group"}
    assert second[2][1:] == [{"colspan": "2"}, "whole"]
    assert second[3][2] == ["span", {"class": "ev-chip is-warn"}, "may be"]
