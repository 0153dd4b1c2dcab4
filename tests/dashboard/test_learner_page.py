"""The learner page in a real browser: taught, looked at, read, talked to, saved, and opened again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from eduverse_mesa.models.tutoring import read_saved
from tests.browser import Visitor
from tests.dashboard.test_pages import serious, settled

pytestmark = pytest.mark.xdist_group("browser-learner_page")

HOSTILE = "<img src=x onerror=window.pwned=1> Hello!"


def fill(page: Any, label: str, value: str) -> None:
    page.get_by_label(label, exact=True).fill(value)
    page.get_by_label(label, exact=True).blur()


def tab(page: Any, name: str) -> None:
    page.get_by_role("tab", name=name).click()
    page.wait_for_selector(f'[role="tab"][aria-selected="true"]:has-text("{name}")')


def teach_one(page: Any) -> None:
    page.get_by_label("Cohort", exact=True).select_option("")
    fill(page, "Learners (how many)", "1")
    fill(page, "Last grade", "1")
    fill(page, "Dialogues for each unit", "1")
    page.get_by_role("button", name="Teach", exact=True).click()
    page.get_by_role("region", name="Concepts").get_by_role("row").nth(1).wait_for()
    page.get_by_role("heading", name="Episodes (1").wait_for()
    settled(page)
    assert serious(page) == []


def look_around(page: Any) -> None:
    tab(page, "Pictures")
    page.wait_for_selector(".ev-figure svg")
    page.get_by_label("Picture", exact=True).select_option("forgetting")
    page.wait_for_function("document.querySelector('.ev-figure svg')?.textContent.includes('days from now')")
    tab(page, "Dialogues")
    log = page.get_by_role("log", name="Dialogue")
    log.get_by_text("Tutor", exact=True).first.wait_for()
    assert log.locator(".ev-chip").count() > 2


def talk_to_it(page: Any) -> None:
    tab(page, "Talk to the learner")
    log = page.get_by_role("log", name="Dialogue")
    page.get_by_role("button", name="Begin the dialogue").click()
    page.get_by_role("button", name="Say it", exact=True).click()
    page.get_by_role("alert").get_by_text("Nothing was typed.").wait_for()
    beside = (
        "(box) => document.querySelector('[role=alert]').getBoundingClientRect().top - box.getBoundingClientRect().top"
    )
    assert 0 < page.get_by_label("What you say").last.evaluate(beside) < 400, "it is said beside the box"
    page.get_by_label("What you say").last.fill(HOSTILE)
    page.get_by_role("button", name="Say it", exact=True).click()
    log.get_by_text(HOSTILE).wait_for()
    log.locator(".ev-line.student").first.wait_for()
    page.get_by_role("button", name="End", exact=True).click()
    page.get_by_text("The dialogue is over, and the learner remembers it").wait_for()
    assert page.evaluate("window.pwned") is None
    assert page.locator("img").count() == 0
    settled(page)
    assert serious(page) == []


def test_a_learner_is_taught_read_talked_to_saved_and_opened_again(visit: Visitor, tmp_path: Any) -> None:
    page = visit("/learner")
    teach_one(page)
    look_around(page)
    talk_to_it(page)

    with page.expect_download() as download:
        page.get_by_role("button", name="Save the learner").click()
    file = tmp_path / "learner.json"
    download.value.save_as(file)
    saved = read_saved(file.read_bytes())
    assert HOSTILE in [said.text for said in saved.memory.episodes[-1].dialogue]
    assert json.loads(file.read_text(encoding="utf-8"))["person"]["name"] == saved.name

    page.get_by_role("button", name="Keep in the study").click()
    page.get_by_text("These learners are kept in the study").wait_for()

    again = visit("/learner")
    again.get_by_label("Open a saved learner").set_input_files(file)
    again.get_by_role("heading", name=f"Learner: {saved.name}").wait_for()
    again.get_by_role("heading", name=f"Episodes ({saved.memory.lived})").wait_for()
    tab(again, "Dialogues")
    again.get_by_role("log", name="Dialogue").get_by_text(HOSTILE).wait_for()
    assert again.evaluate("window.pwned") is None

    kept = visit("/studies")
    kept.locator(".ev-run-name").first.click()
    kept.get_by_role("button", name="Open the learners").click()
    kept.get_by_text("These learners are kept in the study").wait_for()
    kept.get_by_role("heading", name=f"Episodes ({saved.memory.lived})").wait_for()
