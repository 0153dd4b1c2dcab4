"""What opens closes by Escape, gives the focus back, and stays where it is; a transcript is one stop of the Tab key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser import Visitor
from tests.dashboard.seats import Visit, begin, link_for, open_lesson, sit_student, take_part
from tests.dashboard.test_classroom_page import step_on
from tests.dashboard.test_pages import DESK, PHONE, dress, serious

pytestmark = pytest.mark.xdist_group("browser-openers")


@pytest.fixture(scope="module")
def spoken(stay: Visitor) -> Any:
    """The classroom page, once something was said."""
    page = stay("/")
    step_on(page, 6)
    page.wait_for_function("document.querySelectorAll('.ev-talk li').length > 8")
    return page


@pytest.fixture
def classroom(spoken: Any, stay: Visitor) -> Iterator[Any]:
    yield spoken
    stay.check()


def opener(page: Any, name: str) -> Any:
    return page.get_by_role("button", name=name, exact=True)


def focused(page: Any, button: Any) -> None:
    page.wait_for_function("one => document.activeElement === one", arg=button.element_handle())


# --- what opens ---


def test_escape_closes_what_was_opened_and_gives_the_focus_back(classroom: Any) -> None:
    change = opener(classroom, "Change the lesson")
    change.focus()
    classroom.keyboard.press("Enter")
    expect(change).to_have_attribute("aria-expanded", "true")
    seed = classroom.get_by_label("Seed", exact=True)
    for within in (seed, change, None):
        seed.wait_for()
        if within is None:
            classroom.evaluate("document.activeElement.blur()")
        else:
            within.focus()
        classroom.keyboard.press("Escape")
        expect(seed).to_have_count(0)
        focused(classroom, change)
        if within is not None:
            classroom.keyboard.press("Enter")
    classroom.keyboard.press("Escape")  # nothing is open: nothing happens
    expect(change).to_have_attribute("aria-expanded", "false")


def test_escape_elsewhere_closes_nothing(classroom: Any) -> None:
    change = opener(classroom, "Change the lesson")
    change.click()
    classroom.get_by_label("Seed", exact=True).wait_for()
    words = classroom.get_by_label("Find words")
    words.focus()
    classroom.keyboard.press("Escape")
    focused(classroom, words)
    expect(change).to_have_attribute("aria-expanded", "true")
    change.click()
    expect(change).to_have_attribute("aria-expanded", "false")


@pytest.mark.parametrize("size", [DESK, {"width": 900, "height": 900}, PHONE])
def test_a_second_click_hits_the_same_button(classroom: Any, size: dict[str, int]) -> None:
    classroom.set_viewport_size(size)
    change = opener(classroom, "Change the lesson")
    change.scroll_into_view_if_needed()
    boxes = classroom.locator(".ev-headline button")
    before = [one.bounding_box() for one in boxes.all()]
    middle = change.bounding_box()
    at = (middle["x"] + middle["width"] / 2, middle["y"] + middle["height"] / 2)
    classroom.mouse.click(*at)
    classroom.get_by_label("Seed", exact=True).wait_for()
    assert [one.bounding_box() for one in boxes.all()] == before
    classroom.mouse.click(*at)
    expect(classroom.get_by_label("Seed", exact=True)).to_have_count(0)
    assert [one.bounding_box() for one in boxes.all()] == before
    expect(opener(classroom, "Keep in the study")).to_be_visible()
    classroom.set_viewport_size(DESK)


def test_folded_parts_close_by_escape_too(classroom: Any) -> None:
    classroom.get_by_label("Choose a student in the room or here.").select_option("Zhang Tao")
    profile = classroom.locator(".ev-person details").first
    profile.locator("summary").click()
    expect(profile).to_have_attribute("open", "")
    classroom.keyboard.press("Escape")
    expect(profile).not_to_have_attribute("open", "")
    focused(classroom, profile.locator("summary"))


# --- the transcript ---


def stops(page: Any) -> int:
    """How often the Tab key stops in the transcript."""
    found: int = page.locator(".ev-talk").evaluate(
        "talk => [talk, ...talk.querySelectorAll('*')].filter(one => one.tabIndex >= 0).length"
    )
    return found


def test_the_transcript_is_a_list_and_one_stop_of_the_tab_key(classroom: Any) -> None:
    lines = classroom.locator(".ev-talk[role=log] > ol > li")
    assert lines.count() == classroom.locator(".ev-talk li").count() > 8
    assert stops(classroom) == 1
    last = classroom.get_by_label("Move", exact=True)
    last.focus()
    classroom.keyboard.press("Tab")
    buttons = lines.locator("button")
    focused(classroom, buttons.last)
    classroom.keyboard.press("ArrowUp")
    focused(classroom, buttons.nth(lines.count() - 2))
    classroom.keyboard.press("Home")
    focused(classroom, buttons.first)
    classroom.keyboard.press("ArrowUp")
    focused(classroom, buttons.first)
    assert stops(classroom) == 1
    expect(buttons.first).to_have_accessible_name("Step 1, Ms Lin")
    classroom.keyboard.press("Enter")
    expect(classroom.locator(".ev-transport input[type=range]")).to_have_attribute(
        "aria-valuetext", "step 1 of about 30"
    )
    classroom.keyboard.press("Shift+Tab")
    focused(classroom, last)


# --- axe, where things have been said ---


def test_a_lesson_is_for_everybody_once_things_have_been_said(classroom: Any) -> None:
    classroom.get_by_label("Choose a student in the room or here.").select_option("Zhang Tao")
    classroom.locator(".ev-person").wait_for()
    opener(classroom, "Change the lesson").click()
    classroom.get_by_label("Seed", exact=True).wait_for()
    for look, scheme in ((DESK, "light"), (PHONE, "dark")):
        classroom.set_viewport_size(look)
        dress(classroom, scheme)
        assert serious(classroom) == []
    classroom.set_viewport_size(DESK)
    dress(classroom, "light")
    classroom.keyboard.press("Escape")


def test_a_lesson_with_people_is_for_everybody_while_it_goes_on(visit: Visit) -> None:
    host = open_lesson(visit, fast=True)
    looking = visit(link_for(host, "To look on"))
    looking.click("button")
    looking.wait_for_selector(".ev-room")
    student = sit_student(visit, host)
    begin(host)
    for _ in range(3):
        take_part(student)
    for page in (host, looking):
        page.wait_for_function("document.querySelectorAll('.ev-talk li').length > 3")
        assert serious(page) == []
        assert stops(page) == 1
    student.wait_for_selector(".ev-seat-line")
    assert serious(student) == []
    end = opener(host, "End the lesson")
    end.click()
    host.get_by_role("button", name="End it for everybody").wait_for()
    assert serious(host) == []
    host.keyboard.press("Escape")
    expect(host.get_by_role("button", name="End it for everybody")).to_have_count(0)
    focused(host, end)
    end.click()
    host.get_by_role("button", name="Do not end it").click()
    expect(host.get_by_role("button", name="Do not end it")).to_have_count(0)
    focused(host, end)
