"""The HTML report in a real browser, with no network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from eduverse_mesa.runs import run_course
from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.visualization.html_report import render_html
from eduverse_mesa.visualization.run_view import report_tables
from tests.visualization.test_pages import fits
from tests.visualization.test_reports import HOSTILE, renamed


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = run_course(renamed(load_scenario(steps=12), HOSTILE), seed=1)
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(render_html(report_tables(run)), encoding="utf-8")
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
    page.fill("#search", "keep-together")
    expect(page.locator("#found")).to_contain_text(f" of {lines.count()}")
    shown = [line for line in lines.all() if line.is_visible()]
    assert 0 < len(shown) < lines.count()
    assert all("keep-together" in line.inner_text() for line in shown)
    assert f"{len(shown)} of {lines.count()}" in page.inner_text("#found")
    page.close()
