"""The classroom page in a real browser: a lesson is there, is played, scrubbed, searched and looked into."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from eduverse_mesa.runs.player import LessonPlayer
from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.visualization.frames import frame
from tests.browser import Visitor
from tests.dashboard.test_pages import DESK, PHONE, at_rest, dress, fits
from tests.policies.test_waiting import PATIENCE

pytestmark = pytest.mark.xdist_group("browser-classroom_page")

Visit = Callable[..., Any]
PLAYED = 6


# A hand that goes to and fro between the first steps until the room has come to the first, and rests there: what stands
# in the room and beside it at each movement.
_DRAG = """() => new Promise((done) => {
  const slider = document.querySelector('.ev-transport input'), room = document.querySelector('.ev-room'), seen = [];
  const move = () => {
    seen.push({ room: room.dataset.step, words: document.querySelector('.ev-quote').textContent });
    const there = room.dataset.step === '1';
    slider.value = there || slider.value !== '1' ? '1' : '2';
    slider.dispatchEvent(new Event('input'));
    if (there) done(seen);
    else setTimeout(move, 40);
  };
  move();
})"""


@pytest.fixture(scope="module")
def quotes() -> dict[int, str]:
    """What the teacher says in the first steps of the lesson that everybody finds here."""
    player = LessonPlayer(load_scenario(), 1)
    player.play(until=(1, PLAYED))
    assert player.wait(PATIENCE) == "paused"
    model = player.run.lessons[-1].model
    return {step: frame(model, step).teacher.words for step in range(1, PLAYED + 1)}


def wait_for_step(page: Any, step: int) -> None:
    """The bar says so at once, where a hand is on it; the room when it has come."""
    page.wait_for_selector(f".ev-room[data-step='{step}']")
    page.wait_for_function(
        "step => (document.querySelector('.ev-told')?.textContent.match(/\\d+/) ?? [])[0] == step", arg=step
    )


def expect_words(page: Any, words: str) -> None:
    expect(page.locator(".ev-quote")).to_have_text(words)


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
    expect(page.locator("h1")).to_have_text("Spring, first session: grass and blossom")
    expect(page.locator(".ev-told")).to_have_text("before it begins")
    expect(page.locator(".ev-room [role=button]")).to_have_count(7)
    page.click("[aria-label^='Play']")
    page.wait_for_function("+document.querySelector('.ev-room').dataset.step >= 2")  # it goes on meanwhile
    page.click("[aria-label^='Pause']")
    page.wait_for_function("document.querySelector('.ev-standing').textContent === 'Paused'")


def test_stepping_back_and_on_shows_the_same_again(lesson: Any, quotes: dict[int, str]) -> None:
    expect_words(lesson, quotes[PLAYED])
    lesson.keyboard.press("Escape")
    lesson.click("[aria-label^='One step back']")
    wait_for_step(lesson, PLAYED - 1)
    assert quotes[PLAYED - 1] != quotes[PLAYED]
    expect_words(lesson, quotes[PLAYED - 1])
    lesson.click("[aria-label^='One step on']")
    wait_for_step(lesson, PLAYED)
    expect_words(lesson, quotes[PLAYED])


def test_the_slider_goes_to_any_step(lesson: Any) -> None:
    look_at(lesson, 2)
    lesson.locator(".ev-transport input[type=range]").focus()
    lesson.keyboard.press("End")
    wait_for_step(lesson, PLAYED)


def test_under_a_hand_the_room_goes_along_and_words_follow_when_it_rests(lesson: Any, quotes: dict[int, str]) -> None:
    expect_words(lesson, quotes[PLAYED])
    seen = lesson.evaluate(_DRAG)
    assert {one["room"] for one in seen} >= {str(PLAYED), "1"}
    assert {one["words"] for one in seen} == {quotes[PLAYED]}, "nothing is read anew while the hand moves"
    wait_for_step(lesson, 1)
    expect_words(lesson, quotes[1])


def test_what_is_played_survives_a_reload_and_is_its_browser_s_own(visit: Visit, quotes: dict[int, str]) -> None:
    page, other = visit("/"), visit("/")
    step_on(page, 3)
    page.reload()
    wait_for_step(page, 3)
    expect_words(page, quotes[3])
    expect(other.locator(".ev-told")).to_have_text("before it begins")


def test_a_student_is_looked_into(lesson: Any) -> None:
    lesson.locator(".ev-room [role=button]", has_text="Zhang Tao").first.click()
    expect(lesson.locator(".ev-person summary").first).to_contain_text("Zhang Tao")
    stages = ["Perceives", "Request", "Plans", "Says", "Notices about itself", "Feedback", "Resolves"]
    expect(lesson.locator(".ev-chain .ev-stage")).to_have_text(stages, use_inner_text=True)
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
    lesson.wait_for_function(f"({drawn})().length >= 2 && ({drawn})().every(one => one.getAttribute('aria-label'))")


def test_another_lesson_can_be_chosen(visit: Visit) -> None:
    page = visit("/")
    page.get_by_role("button", name="Change the lesson").click()
    page.get_by_label("Seed", exact=True).wait_for()
    at_rest(page)
    page.get_by_label("Seed", exact=True).fill("many")
    page.get_by_role("button", name="Begin this lesson").click()
    page.get_by_text("The seed has to be a whole number").wait_for()
    at_rest(page)
    page.get_by_label("Seed", exact=True).fill("7")
    page.get_by_label("Layout", exact=True).select_option("rows_30")
    page.get_by_label("Class", exact=True).select_option("thirty")
    page.get_by_role("button", name="Begin this lesson").click()
    page.wait_for_function("document.querySelectorAll('.ev-room [role=button]').length === 31")
    expect(page.locator(".ev-headline")).to_contain_text("Seed 7")
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
    expect(page.locator(".ev-page.here")).to_have_text("课堂")
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
    fits(lesson, look["width"])
    white = "getComputedStyle(document.querySelector('.ev-card')).backgroundColor === 'rgb(255, 255, 255)'"
    lesson.wait_for_function(f"light => ({white}) === light", arg=scheme == "light")
