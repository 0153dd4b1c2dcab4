"""The classroom page in a real browser: a lesson is there, is played, scrubbed, searched and looked into."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.xdist_group("browser-classroom_page")

Visit = Callable[..., Any]


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


def test_a_lesson_is_there_and_one_click_plays_it(visit: Visit) -> None:
    page = visit("/")
    assert page.inner_text("h1") == "Spring, first session: grass and blossom"
    assert told(page) == "before it begins"
    assert page.locator(".ev-room [role=button]").count() == 7
    page.click("[aria-label^='Play']")
    wait_for_step(page, 2)
    page.click("[aria-label^='Pause']")
    page.wait_for_function("document.querySelector('.ev-standing').textContent === 'Paused'")


def test_stepping_back_and_on_shows_the_same_again(visit: Visit) -> None:
    page = visit("/")
    step_on(page, 4)
    words = page.inner_text(".ev-quote")
    page.keyboard.press("Escape")
    page.click("[aria-label^='One step back']")
    wait_for_step(page, 3)
    assert page.inner_text(".ev-quote") != words
    page.click("[aria-label^='One step on']")
    wait_for_step(page, 4)
    assert page.inner_text(".ev-quote") == words


def test_the_slider_goes_to_any_step(visit: Visit) -> None:
    page = visit("/")
    step_on(page, 6)
    slider = page.locator(".ev-transport input[type=range]")
    slider.evaluate("element => { element.value = 2; element.dispatchEvent(new Event('input')); }")
    wait_for_step(page, 2)
    slider.focus()
    page.keyboard.press("End")
    wait_for_step(page, 6)


def test_what_is_played_survives_a_reload(visit: Visit) -> None:
    page = visit("/")
    step_on(page, 3)
    words = page.inner_text(".ev-quote")
    page.reload()
    page.wait_for_selector(".ev-quote")
    assert page.inner_text(".ev-quote") == words
    wait_for_step(page, 3)


def test_each_browser_has_its_own_lesson(visit: Visit) -> None:
    one, other = visit("/"), visit("/")
    step_on(one, 2)
    assert told(other) == "before it begins"


def test_a_student_is_looked_into(visit: Visit) -> None:
    page = visit("/")
    step_on(page, 3)
    page.locator(".ev-room [role=button]", has_text="Zhang Tao").first.click()
    page.wait_for_selector(".ev-chain")
    stages = page.locator(".ev-chain .ev-stage").all_inner_texts()
    assert stages == ["Perceives", "Request", "Plans", "Says", "Notices about itself", "Feedback", "Resolves"]
    assert "Zhang Tao" in page.inner_text(".ev-person summary")
    plan = page.inner_text(".ev-chain li:nth-child(3)")
    page.click("[aria-label^='One step back']")
    wait_for_step(page, 2)
    page.wait_for_function(
        "before => document.querySelector('.ev-chain li:nth-child(3)').innerText !== before", arg=plan
    )


def test_the_transcript_is_searched_and_filtered(visit: Visit) -> None:
    page = visit("/")
    step_on(page, 6)
    lines = page.locator(".ev-talk li")
    everything = lines.count()
    page.get_by_label("Find words").fill("spring")
    page.wait_for_function("all => document.querySelectorAll('.ev-talk li').length < all", arg=everything)
    assert all("spring" in text.lower() for text in lines.all_inner_texts())
    page.get_by_label("Find words").fill("no such word at all")
    page.get_by_text("Nothing said so far fits.").wait_for()


@pytest.mark.parametrize("tab", ["Over time", "Discourse", "Network", "Equity", "States of mind"])
def test_charts_are_drawn(visit: Visit, tab: str) -> None:
    page = visit("/")
    step_on(page, 5)
    page.get_by_role("button", name=tab, exact=True).click()
    page.wait_for_function("document.querySelectorAll('.ev-figure .ev-chart[data-drawn] svg').length >= 2")
    labels = page.locator(".ev-figure .ev-chart").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    assert all(labels)


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


@pytest.mark.parametrize("width", [400, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits(visit: Visit, width: int, scheme: str) -> None:
    page = visit("/", width=width, scheme=scheme)
    step_on(page, 2)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    dark = page.evaluate("getComputedStyle(document.querySelector('.ev-card')).backgroundColor") != "rgb(255, 255, 255)"
    assert dark == (scheme == "dark")
