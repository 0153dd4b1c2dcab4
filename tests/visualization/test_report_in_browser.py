"""The HTML report in a real browser, with no network."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from eduverse_mesa.runs import Run, run_course, run_tables
from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.visualization import charts
from eduverse_mesa.visualization.charts.frame import INHERITED
from eduverse_mesa.visualization.reports.document import NUMBER, Cell, Report, Section, Table, columns
from eduverse_mesa.visualization.reports.page import render_page
from eduverse_mesa.visualization.reports.run import report_tables, run_report
from tests.dashboard.test_pages import fits
from tests.visualization.test_charts import arguments
from tests.visualization.test_reports import HOSTILE, renamed


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = run_course(renamed(load_scenario(steps=12), HOSTILE), seed=1)
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(render_page(run_report(report_tables(run))), encoding="utf-8")
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 400])
def test_it_is_drawn_offline_and_runs_nothing_foreign(chromium: Any, report: Path, width: int, scheme: str) -> None:
    page = chromium.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    trouble: list[str] = []
    page.on("console", lambda message: trouble.append(message.text))
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("dialog", lambda dialog: trouble.append("dialog"))
    page.on("request", lambda request: trouble.append(request.url) if request.url.startswith("http") else None)
    page.goto(report.as_uri())
    page.wait_for_function(
        "document.querySelectorAll('.chart svg').length === document.querySelectorAll('.chart').length"
    )
    fits(page, width)
    assert trouble == []
    assert page.locator("img").count() == 0
    assert HOSTILE in page.inner_text("h1")
    page.close()


def test_the_transcript_can_be_searched(chromium: Any, report: Path) -> None:
    page = chromium.new_page()
    page.goto(report.as_uri())
    lines = page.locator("#transcript li")
    page.fill("#search", "keeps the class together")
    expect(page.locator("#found")).to_contain_text(f" of {lines.count()}")
    shown = [line for line in lines.all() if line.is_visible()]
    assert 0 < len(shown) < lines.count()
    assert all("keeps the class together" in line.inner_text() for line in shown)
    assert f"{len(shown)} of {lines.count()}" in page.inner_text("#found")
    page.close()


def long_page(folder: Path) -> Path:
    """A page whose table is longer and wider than any window: words without a gap, and numbers in many columns."""
    heads = columns("statement", *((f"measure {number}", NUMBER) for number in range(9)), "verdict")
    rows: list[list[Cell]] = [["x" * 90, *([0.123] * 9), "supported"] for _ in range(130)]
    path = folder / "long.html"
    section = Section("Verdicts", [Table(heads, rows, ["yes"] * 130)], "All of them.")
    path.write_text(render_page(Report("Long", [section])), encoding="utf-8")
    return path


_CUT = """() => [...document.querySelectorAll('.scroll, #transcript, pre, .chart')].filter((box) => {
  const look = getComputedStyle(box);
  return look.overflowX !== 'visible' || look.maxHeight !== 'none' || box.getBoundingClientRect().right > innerWidth + 1
    || box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1;
}).map((box) => box.outerHTML.slice(0, 80))"""


def test_a_report_is_whole_on_paper(chromium: Any, report: Path, tmp_path: Path) -> None:
    """As wide as a sheet of A4 between its margins; what is folded is unfolded for the printer, and folded again."""
    page = chromium.new_page(viewport={"width": 718, "height": 1000}, color_scheme="dark")
    for path in (report, long_page(tmp_path)):
        page.emulate_media(media="screen", color_scheme="dark")
        page.goto(path.as_uri())
        page.wait_for_function(
            "document.querySelectorAll('.chart svg').length === document.querySelectorAll('.chart').length"
        )
        assert page.evaluate(_CUT), "on a screen it scrolls"
        folded = page.locator("details:not([open])").count()
        page.emulate_media(media="print", color_scheme="dark")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.locator("details:not([open])").count() == 0
        assert page.evaluate(_CUT) == []
        fits(page, 718)
        assert page.evaluate("getComputedStyle(document.body).color") == "rgb(29, 36, 48)", "dark ink"
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert page.locator("details:not([open])").count() == folded
    page.close()


def test_a_table_of_verdicts_is_not_boxed_on_a_screen_either(chromium: Any, tmp_path: Path) -> None:
    page = chromium.new_page()
    path = tmp_path / "short.html"
    rows = [[f"statement {number}", "supported"] for number in range(60)]
    section = Section("Verdicts", [Table(columns("statement", "verdict"), rows, ["yes"] * 60)], "All of them.")
    path.write_text(render_page(Report("Short", [section])), encoding="utf-8")
    page.goto(path.as_uri())
    assert page.evaluate("(box => box.scrollHeight - box.clientHeight)(document.querySelector('.scroll'))") <= 1
    page.close()


# --- names of JavaScript's own ---


OWN = ("constructor", "__proto__", "toString", "valueOf", "hasOwnProperty", "isPrototypeOf")


@cache
def inherited() -> Run:
    """A lesson whose students are called like what every object of JavaScript has."""
    scenario = load_scenario(steps=12)
    roll = scenario.roll
    named = zip(roll.students, OWN, strict=True)
    students = tuple(student.model_copy(update={"name": name}) for student, name in named)
    return run_course(scenario.model_copy(update={"roll": roll.model_copy(update={"students": students})}), seed=1)


_DRAWN = """async (spec) => {
  const place = document.body.appendChild(document.createElement("div"));
  await window.evVegaEmbed(place, spec, { renderer: "svg", actions: false });
  return place.querySelector("svg").textContent;
}"""


def test_a_pupil_who_is_called_constructor_loses_no_chart(chromium: Any, tmp_path: Path) -> None:
    run = inherited()
    path = tmp_path / "report.html"
    path.write_text(render_page(run_report(report_tables(run))), encoding="utf-8")
    page = chromium.new_page()
    trouble: list[str] = []
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.goto(path.as_uri())
    page.wait_for_function(
        "document.querySelectorAll('.chart svg').length === document.querySelectorAll('.chart').length"
    )
    own = page.evaluate("Object.getOwnPropertyNames(Object.prototype)")
    assert set(own) == INHERITED, "these are all of them"
    assert trouble == []
    names = [student.name for student in run.lessons[0].model.students]
    assert {*names} == {*OWN} <= INHERITED
    drawn = [plain(text) for text in page.locator(".chart svg").all_text_contents()]
    assert all(drawn), "an empty chart raises nothing"
    assert [sum(name in text for name in names) for text in drawn].count(len(names)) >= 3
    given = arguments(run_tables(run), report_tables(run).room)
    for name, of in given.items():
        text = plain(page.evaluate(_DRAWN, getattr(charts, name).spec(*of)))
        assert text, name
        if name in ("bec_by_student", "shares_of_students", "request_matrix", "request_network"):
            assert all(one in text for one in names), name
    assert trouble == []
    page.close()


def plain(text: str) -> str:
    """As a reader sees it."""
    return text.replace("\u2060", "")
