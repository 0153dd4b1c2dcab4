"""A call for help in the dashboard, in real browsers: over every page of the host, and kind words in the seat."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from eduverse_mesa.dashboard.shell import PAGES, address
from eduverse_mesa.visualization.words import load_words
from tests.browser import Visitor
from tests.dashboard.seats import SEND, begin, choose, deeds, end_lesson, open_lesson, plan, sit_student

pytestmark = pytest.mark.xdist_group("browser-alerts_page")

TOLD = "my stepdad hits me with his <b>belt</b>"
T = load_words("en")


def tell(page: Any) -> None:
    """Say it to the class, if one is asked for words; else chat."""
    plan(page)
    able = deeds(page)
    deed = next(one for one in ("stand_answer", "answer_question", "ask_teacher", "group_discussion") if one in able)
    choose(page, "behaviour", deed)
    page.locator("textarea:visible").fill(TOLD)
    page.click(SEND)


def test_a_child_in_a_seat_is_answered_kindly_and_the_host_sees_it_on_every_page(visit: Visitor) -> None:
    host = open_lesson(visit)
    guest = sit_student(visit, host)
    expect(guest.locator(".ev-seat")).to_contain_text(T("alerts.help.nobody"))
    begin(host)
    tell(guest)
    kind = guest.locator(".ev-note.is-ok", has_text=T("alerts.help.thanks"))
    expect(kind).to_be_visible()
    expect(kind).to_contain_text(T("alerts.help.please_somebody"))
    expect(kind).to_contain_text(T("alerts.help.kept"))
    expect(guest.locator(".ev-main")).not_to_contain_text("belt")
    banner = host.locator(".ev-alerts .ev-alert")
    expect(banner).to_have_count(1)
    expect(banner).to_contain_text(TOLD)
    assert guest.locator(".ev-alerts .ev-alert").count() == 0
    other = visit("/studies", context=host.context)
    for page in PAGES:
        other.goto(other.url.partition("://")[0] + "://" + other.url.split("/")[2] + address(page))
        expect(other.locator(".ev-alerts .ev-alert")).to_contain_text("Wang Fang's seat")
    other.locator(".ev-alerts .ev-alert").get_by_role("button", name=T("alerts.see_to_it")).click()
    for page in (other, host):
        expect(page.locator(".ev-alerts .ev-alert")).to_have_count(0)
    end_lesson(host)


def test_the_adult_of_the_settings_is_whom_guests_read_of(visit: Visitor) -> None:
    settings = visit("/settings")
    for label, text in (("name", "Ms <i>Lee</i>"), ("reach", "room 12"), ("line", "116 111")):
        field = settings.get_by_label(T(f"alerts.adult.{label}"))
        field.fill(text)
        field.press("Tab")
    settings.get_by_role("button", name=T("alerts.adult.save"), exact=True).click()
    expect(settings.locator(".ev-note.is-ok")).to_have_text(T("alerts.adult.saved"))
    host = open_lesson(visit)
    guest = sit_student(visit, host)
    expect(guest.locator(".ev-seat")).to_contain_text("You can talk to Ms <i>Lee</i> (room 12). Help line: 116 111")
    end_lesson(host)
    for label in ("name", "reach", "line"):
        field = settings.get_by_label(T(f"alerts.adult.{label}"))
        field.fill("")
        field.press("Tab")
    settings.get_by_role("button", name=T("alerts.adult.save"), exact=True).click()
    expect(settings.locator(".ev-main")).to_contain_text(T("alerts.help.nobody"))
