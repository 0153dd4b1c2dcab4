"""Seating advice on the design page: what is asked for, what is done with it, and the page in a real browser."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from eduverse_mesa.dashboard.lessons.draft import Workshop
from eduverse_mesa.dashboard.pages.design.advice import Adviser
from eduverse_mesa.experiments.seating import ImpossibleError

PAIR = ("Zhang Jie", "Liu Li")
"""Neighbours in the front row of the default class."""
STEPS = ("settings", "steps")


def shop_of_short_lessons() -> Workshop:
    shop = Workshop()
    shop.do(shop.draft.set, STEPS, 2)
    return shop


def wait(adviser: Adviser) -> None:
    until = time.monotonic() + 240
    while adviser.busy and time.monotonic() < until:
        time.sleep(0.02)
    assert not adviser.busy


@pytest.fixture(scope="module")
def advised() -> tuple[Workshop, Adviser]:
    shop, adviser = shop_of_short_lessons(), Adviser()
    adviser.ask("apart", *PAIR)
    adviser.ask("apart", *PAIR)
    told: list[float] = []
    forget = adviser.told.listen(lambda: told.append(adviser.progress.share) if adviser.progress else None)
    adviser.begin(shop.draft)
    assert adviser.busy
    wait(adviser)
    forget()
    assert told == sorted(told)
    assert 0 < told[-1] <= 1
    return shop, adviser


def test_what_was_found_is_used_and_taken_back_in_one_step(advised: tuple[Workshop, Adviser]) -> None:
    shop, adviser = advised
    assert adviser.error is None
    assert adviser.advice is not None
    assert adviser.advice.adopted  # the present plan has the two side by side
    before, steps = shop.draft.document, shop.draft.history.length
    assert shop.do(adviser.use, shop.draft)
    assert shop.draft.history.length == steps + 1
    assert shop.done is not None
    assert shop.done.code == "seat_plan"
    assert shop.draft.scenario is not None
    assert shop.draft.scenario.seating == adviser.advice.planned.seating
    assert not adviser.fits(shop.draft)
    shop.undo()
    assert shop.draft.document is before
    assert adviser.fits(shop.draft)


def test_advice_about_another_class_is_not_used(advised: tuple[Workshop, Adviser]) -> None:
    shop, adviser = advised
    shop.do(shop.draft.people.swap, *PAIR)
    document = shop.draft.document
    shop.do(adviser.use, shop.draft)
    assert shop.draft.document is document
    shop.undo()


def test_what_cannot_be_kept_is_told() -> None:
    shop, adviser = shop_of_short_lessons(), Adviser()
    adviser.ask("apart", *PAIR)
    adviser.ask("together", *PAIR)
    adviser.begin(shop.draft)
    wait(adviser)
    assert isinstance(adviser.error, ImpossibleError)
    assert {one.demand for one in adviser.error.those} == {"apart", "together"}
    adviser.drop(0)
    assert [one.demand for one in adviser.constraints] == ["together"]


def test_a_search_that_is_stopped_leaves_nothing() -> None:
    shop, adviser = shop_of_short_lessons(), Adviser()
    adviser.renew(effort="thorough")
    adviser.begin(shop.draft)
    adviser.stop()
    assert adviser.stopping
    wait(adviser)
    assert adviser.stopped
    assert adviser.advice is None
    assert adviser.error is None


def test_wishes_about_somebody_who_has_left_are_dropped() -> None:
    shop, adviser = shop_of_short_lessons(), Adviser()
    adviser.ask("front", PAIR[0])
    shop.do(shop.draft.people.remove, 0)
    adviser.begin(shop.draft)
    adviser.stop()
    assert adviser.constraints == ()


@pytest.mark.xdist_group("browser-design_page")
def test_the_section_in_a_browser(visit: Callable[..., Any]) -> None:
    page = visit("/design")
    page.wait_for_selector(".ev-r-person .ev-r-disc")
    page.locator(".ev-tab", has_text="Settings").click()
    steps = page.get_by_label("Steps of a lesson", exact=True)
    steps.fill("2")
    steps.blur()
    page.locator(".ev-tab", has_text="Students").click()
    section = page.locator(".ev-advice")
    section.get_by_label("The plan has to keep", exact=True).select_option("apart")
    section.get_by_label("Student", exact=True).select_option(PAIR[0])
    section.get_by_label("And", exact=True).select_option(PAIR[1])
    section.get_by_role("button", name="Add this").click()
    section.get_by_text("not neighbours: Zhang Jie, Liu Li").wait_for()
    section.get_by_role("button", name="Find a better plan").click()
    section.get_by_role("button", name="Use this plan").click()
    page.get_by_text("The class sits by the plan;").wait_for()
    section.get_by_text("The class or the room has changed since.").wait_for()
    page.get_by_role("button", name="Undo").click()
    page.wait_for_function("() => !document.querySelector('.ev-advice').innerText.includes('has changed since')")
