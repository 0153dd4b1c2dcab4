"""The mathematics page in a real browser: a group is watched, joined, looked back on, kept, and found again."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser import Visitor
from tests.dashboard.test_pages import PHONE, fits, serious, settled

pytestmark = pytest.mark.xdist_group("browser-group_page")

HOSTILE = "<img src=x onerror=window.pwned=1> is it 60 / 20 = 3?"


def watch(page: Any) -> None:
    page.get_by_label("Begins with").first.select_option("reads_twelve")
    page.get_by_role("button", name="Bring them together").click()
    alice = page.get_by_role("region", name="The solution of Alice")
    expect(alice.get_by_role("row", name="the number of steps 20 steps 12 steps wrong")).to_be_visible()
    page.get_by_label("Pace", exact=True).select_option("fast")
    page.get_by_role("button", name="Play (space)").click()
    expect(page.get_by_text("and the answer is right")).to_be_visible()
    expect(alice.get_by_text("wrong")).to_have_count(0)
    expect(alice.get_by_text("right, since message").first).to_be_visible()
    page.get_by_role("button", name="To the beginning").click()
    expect(alice.get_by_text("wrong, from the beginning").first).to_be_visible()


def join(page: Any) -> None:
    page.get_by_role("button", name="Another problem or group").click()
    page.get_by_label("You", exact=True).select_option("join")
    page.get_by_label("What they call you").fill("Noa")
    page.get_by_label("What they call you").blur()
    page.get_by_role("button", name="Bring another group together").click()
    box = page.get_by_role("textbox", name="What you say, Noa")
    box.fill(HOSTILE)
    box.press("Enter")
    log = page.get_by_role("log", name="What is said")
    expect(log.get_by_text(HOSTILE)).to_be_visible()
    expect(log.locator(".ev-line.student").first).to_be_visible()  # somebody answers
    expect(box).to_have_value("")
    expect(box).to_be_focused()
    settled(page)
    assert serious(page) == []


def test_a_group_is_watched_joined_kept_and_found_again(visit: Visitor) -> None:
    page = visit("/mathematics")
    watch(page)
    join(page)
    page.get_by_role("button", name="Keep in the study").click()
    expect(page.get_by_text("This dialogue is kept in the study")).to_be_visible()

    page.get_by_role("link", name="Studies").click()
    page.locator(".ev-run-name").first.click()
    page.get_by_role("button", name="Open the dialogue").click()
    expect(page.get_by_role("log", name="What is said").get_by_text(HOSTILE)).to_be_visible()
    expect(page.get_by_role("textbox", name="What you say, Noa")).to_be_visible()
    page.set_viewport_size(PHONE)
    fits(page, PHONE["width"])
    page.emulate_media(color_scheme="dark")
    settled(page)
    assert serious(page) == []
    assert page.evaluate("window.pwned") is None
    assert page.locator("img").count() == 0
