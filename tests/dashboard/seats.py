"""What people do at the pages of a lesson, each in a browser of their own."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from eduverse_mesa.runs import open_study, replay_run

Visit = Callable[..., Any]
SEND = ".ev-r-send"


def open_lesson(visit: Visit, *, wait: float = 600, fast: bool = False, **how: Any) -> Any:
    """A researcher's page with a live lesson that has not begun."""
    return open_lesson_at(visit("/seat", **how), wait=wait, fast=fast)


def open_lesson_at(page: Any, *, wait: float = 600, fast: bool = False) -> Any:
    """The researcher's page, with such a lesson.

    It waits for people longer than any test takes: what comes next must have been done by them, not by the clock.
    """
    page.get_by_label("Wait for people as long as it takes").uncheck()
    field = page.get_by_label("Seconds to wait for a person")
    field.fill(f"{wait:g}")
    field.press("Tab")
    page.get_by_role("button", name="Open the lesson").click()
    page.wait_for_selector(".ev-seats")
    expect(page.locator(".ev-headline")).to_contain_text(f"waits {wait:g} s")
    if fast:
        page.get_by_label("Speed").select_option(label="as fast as it goes")
    return page


def link_for(host: Any, name: str) -> str:
    """The path of a new join link."""
    known = host.locator(".ev-seat-links textarea").count()
    host.get_by_role("button", name=name).click()
    host.wait_for_function(
        "n => { const all = [...document.querySelectorAll('.ev-seat-links textarea')];"
        " return all.length > n && all.every((one) => one.value); }",
        arg=known,
    )
    links = [text for text in values_of(host) if "\n" not in text]
    return "/join/" + links[-1].rpartition("/join/")[2]


def values_of(host: Any) -> list[str]:
    found: list[str] = host.locator(".ev-seat-links textarea").evaluate_all("all => all.map(one => one.value)")
    return found


def join(visit: Visit, link: str, name: str = "", **how: Any) -> Any:
    """Come in by a link."""
    page = visit(link, **how)
    page.fill("input[name=name]", name)
    page.click("button")
    page.wait_for_selector(".ev-seat")
    return page


def sit_student(visit: Visit, host: Any, student: str = "Wang Fang", **how: Any) -> Any:
    return join(visit, link_for(host, f"Make a link for {student}"), **how)


def begin(host: Any) -> None:
    host.get_by_role("button", name="Start the lesson").click()


def form(page: Any) -> str:
    """What is asked now."""
    page.wait_for_selector(".ev-reply")
    return str(page.inner_text(".ev-r-title"))


def number(page: Any) -> str:
    """Which form it is."""
    return str(page.locator(".ev-reply .ev-r-part input").first.get_attribute("name"))


def choose(page: Any, name: str, value: str) -> None:
    page.locator(f"[data-name='{name}'] .ev-r-option[data-value='{value}']").click()


def deeds(page: Any) -> list[str]:
    found: list[str] = page.locator("[data-name=behaviour] .ev-r-option").evaluate_all(
        "all => all.map(one => one.dataset.value)"
    )
    return found


def act(page: Any, deed: str, words: str = "", partner: str = "") -> None:
    """Do it, and wait until it was taken."""
    before = number(page)
    choose(page, "behaviour", deed)
    if partner:
        choose(page, "partner", partner)
    if words:
        page.locator("textarea:visible").fill(words)
    page.click(SEND)
    gone(page, before)


def plan(page: Any) -> None:
    """Turn requests down, until it is asked what to do."""
    page.wait_for_selector(".ev-reply")
    while page.locator("[data-name=accept]").count():
        before = number(page)
        choose(page, "accept", "none")
        page.click(SEND)
        gone(page, before)
        page.wait_for_selector(".ev-reply")
    page.wait_for_selector("[data-name=behaviour]")


def take_part(page: Any, *wanted: str, words: str = "Longing.") -> None:
    """Turn requests down, then do the first of these that can be done, else whatever comes first."""
    plan(page)
    able = deeds(page)
    deed = next((one for one in wanted if one in able), able[0])
    spoken = {"stand_answer", "answer_question", "ask_teacher", "group_discussion"}
    act(page, deed, words if deed in spoken else "")


def gone(page: Any, before: str) -> None:
    """Wait until this form was taken."""
    page.wait_for_function(
        "before => document.querySelector('.ev-reply:not([hidden]) .ev-r-part input')?.name !== before",
        arg=before,
        polling=50,  # and not with every picture
    )


def teach(page: Any, what: str, words: str, call: str = "") -> None:
    page.wait_for_selector(".ev-reply")
    while not page.locator("[data-name=act]").count():  # a step that is being taken asks for what is left of it
        before = number(page)
        page.click(SEND)
        gone(page, before)
        page.wait_for_selector(".ev-reply")
    before = number(page)
    choose(page, "act", what)
    page.fill("[data-name=words] textarea", words)
    if call:
        choose(page, "called", call)
    page.click(SEND)
    gone(page, before)


def run_of(host: Any) -> str:
    found = re.search(r"run (\S+)", host.inner_text(".ev-headline"))
    assert found
    return found[1]


def pause_and_replay(host: Any, dashboard: Any) -> Any:
    """The run as it is in the study, played again with nobody in it."""
    run = run_of(host)
    end_lesson(host)
    host.wait_for_selector("text=Open a lesson")
    return replayed(dashboard, run)


def end_lesson(host: Any) -> None:
    """The button asks, and another does it."""
    host.get_by_role("button", name="End the lesson").click()
    host.get_by_role("button", name="End it for everybody").click()


def replayed(dashboard: Any, run: str) -> Any:
    with open_study(str(dashboard.study), read_only=True) as study:
        return replay_run(study, run)
