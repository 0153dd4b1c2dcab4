"""The classroom page in a real browser: a lesson is there, is played, scrubbed, searched and looked into."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.visualization.conftest import Visitor
from tests.visualization.test_pages import DESK, PHONE, dress

pytestmark = pytest.mark.xdist_group("browser-classroom_page")

Visit = Callable[..., Any]
PLAYED = 6


def told(page: Any) -> str:
    """What the bar says about where the lesson is."""
    return str(page.inner_text(".ev-told"))


def wait_for_step(page: Any, step: int) -> None:
    page.wait_for_function(
        "step => (document.querySelector('.ev-told')?.textContent.match(/\\d+/) ?? [])[0] == step", arg=step
    )


def step_on(page: Any, steps: int) -> None:
    for _ in range(steps):
        page.click(".ev-transport > button:nth-of-type(4)")
    wait_for_step(page, steps)


@pytest.fixture(scope="module")
def opened(stay: Visitor) -> Any:
    """A page whose lesson was played for some steps."""
    page = stay("/")
    step_on(page, PLAYED)
    return page


@pytest.fixture
def lesson(opened: Any, stay: Visitor) -> Iterator[Any]:
    """That page, looking at the last step: what is only looked at needs no page of its own."""
    look_at(opened, PLAYED)
    yield opened
    stay.check()


def look_at(page: Any, step: int) -> None:
    page.locator(".ev-transport input[type=range]").evaluate(
        "(one, step) => { one.value = step; one.dispatchEvent(new Event('input')); }", step
    )
    wait_for_step(page, step)


def test_a_lesson_is_there_and_one_click_plays_it(visit: Visit) -> None:
    page = visit("/")
    assert page.inner_text("h1") == "Spring, first session: grass and blossom"
    assert told(page) == "before it begins"
    assert page.locator(".ev-room [role=button]").count() == 7
    page.click("[aria-label^='Play']")
    wait_for_step(page, 2)
    page.click("[aria-label^='Pause']")
    page.wait_for_function("document.querySelector('.ev-standing').textContent === 'Paused'")


def test_stepping_back_and_on_shows_the_same_again(lesson: Any) -> None:
    words = lesson.inner_text(".ev-quote")
    lesson.keyboard.press("Escape")
    lesson.click("[aria-label^='One step back']")
    wait_for_step(lesson, PLAYED - 1)
    assert lesson.inner_text(".ev-quote") != words
    lesson.click("[aria-label^='One step on']")
    wait_for_step(lesson, PLAYED)
    assert lesson.inner_text(".ev-quote") == words


def test_the_slider_goes_to_any_step(lesson: Any) -> None:
    look_at(lesson, 2)
    lesson.locator(".ev-transport input[type=range]").focus()
    lesson.keyboard.press("End")
    wait_for_step(lesson, PLAYED)


def test_what_is_played_survives_a_reload_and_is_its_browser_s_own(visit: Visit) -> None:
    page, other = visit("/"), visit("/")
    step_on(page, 3)
    assert told(other) == "before it begins"
    words = page.inner_text(".ev-quote")
    page.reload()
    page.wait_for_selector(".ev-quote")
    assert page.inner_text(".ev-quote") == words
    wait_for_step(page, 3)


def test_a_student_is_looked_into(lesson: Any) -> None:
    lesson.locator(".ev-room [role=button]", has_text="Zhang Tao").first.click()
    lesson.wait_for_selector(".ev-chain")
    stages = lesson.locator(".ev-chain .ev-stage").all_inner_texts()
    assert stages == ["Perceives", "Request", "Plans", "Says", "Notices about itself", "Feedback", "Resolves"]
    assert "Zhang Tao" in lesson.inner_text(".ev-person summary")
    plan = lesson.inner_text(".ev-chain li:nth-child(3)")
    look_at(lesson, 2)
    lesson.wait_for_function(
        "before => document.querySelector('.ev-chain li:nth-child(3)').innerText !== before", arg=plan
    )


def test_the_transcript_is_searched_and_filtered(lesson: Any) -> None:
    lines = "[...document.querySelectorAll('.ev-talk li')].map(one => one.innerText.toLowerCase())"
    search = lesson.get_by_label("Find words")
    search.fill("spring")
    lesson.wait_for_function(f"{lines}.length > 0 && {lines}.every(text => text.includes('spring'))")
    search.fill("no such word at all")
    lesson.get_by_text("Nothing said so far fits.").wait_for()
    search.fill("")
    lesson.wait_for_function(f"{lines}.some(text => !text.includes('spring'))")


@pytest.mark.parametrize("tab", ["Over time", "Discourse", "Network", "Equity", "States of mind"])
def test_charts_are_drawn(lesson: Any, tab: str) -> None:
    drawn = "() => [...document.querySelectorAll('.ev-figure .ev-chart[data-drawn]:has(svg)')]"
    labels = f"({drawn})().map(one => one.getAttribute('aria-label')).join()"
    button, before = lesson.get_by_role("button", name=tab, exact=True), lesson.evaluate(labels)
    if button.get_attribute("aria-pressed") != "true":
        button.click()
        lesson.wait_for_function(f"before => ({drawn})().length >= 2 && {labels} !== before", arg=before)
    lesson.wait_for_function(f"({drawn})().length >= 2")
    assert all(lesson.evaluate(f"({drawn})().map(one => one.getAttribute('aria-label'))"))


def test_another_lesson_can_be_chosen(visit: Visit) -> None:
    page = visit("/")
    page.get_by_role("button", name="Change the lesson").click()
    page.get_by_label("Seed", exact=True).fill("many")
    page.get_by_role("button", name="Begin anew").last.click()
    page.get_by_text("The seed has to be a whole number").wait_for()
    page.get_by_label("Seed", exact=True).fill("7")
    page.get_by_label("Layout", exact=True).select_option("rows_30")
    page.get_by_label("Class", exact=True).select_option("thirty")
    page.get_by_role("button", name="Begin anew").last.click()
    page.wait_for_function("document.querySelectorAll('.ev-room [role=button]').length === 31")
    assert "Seed 7" in page.inner_text(".ev-headline")
    step_on(page, 2)


def test_a_kept_run_is_in_the_study(visit: Visit, dashboard: Any) -> None:
    from eduverse_mesa.runs import open_study, replay_run

    page = visit("/")
    step_on(page, 3)
    page.get_by_role("button", name="Keep in the study").click()
    page.get_by_text("Kept in the study as").wait_for()
    run = page.inner_text(".ev-headline").rpartition("Kept in the study as ")[2].split()[0]
    with open_study(str(dashboard.study)) as study:
        assert replay_run(study, run).steps == 3


def test_it_speaks_chinese(visit: Visit) -> None:
    page = visit("/", language="zh-CN")
    assert page.inner_text(".ev-page.here") == "课堂"
    step_on(page, 2)
    said = page.inner_text(".ev-topbar") + page.inner_text(".ev-card-head >> nth=0") + page.inner_text(".ev-overlays")
    assert not re.search(r"[A-Za-z]{3,}", said.replace("English", "").replace("EduVerse", ""))
    page.get_by_role("button", name="English").click()
    page.wait_for_function("document.querySelector('.ev-page.here').innerText === 'Classroom'")
    wait_for_step(page, 2)


@pytest.mark.parametrize(("look", "scheme"), [(DESK, "light"), (PHONE, "light"), (DESK, "dark"), (PHONE, "dark")])
def test_it_fits(lesson: Any, look: Any, scheme: str) -> None:
    lesson.set_viewport_size(look)
    dress(lesson, scheme)
    assert lesson.evaluate("document.documentElement.scrollWidth") <= look["width"]
    dark = (
        lesson.evaluate("getComputedStyle(document.querySelector('.ev-card')).backgroundColor") != "rgb(255, 255, 255)"
    )
    assert dark == (scheme == "dark")
