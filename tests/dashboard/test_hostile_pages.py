"""Hostile texts in a study are shown as text on every page, and exported as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from eduverse_mesa.runs import open_study, record_course
from tests.browser import Dashboard
from tests.hostile import NAMES, hostile_scenario

pytestmark = pytest.mark.xdist_group("browser-hostile_pages")

Visit = Callable[..., Any]


@pytest.fixture(scope="module")
def invaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Dashboard, str]]:
    """A dashboard whose study holds a hostile run with a hostile title."""
    folder = tmp_path_factory.mktemp("invaded")
    study = folder / "class.study"
    record_course(str(study), hostile_scenario(), 1)
    with open_study(str(study)) as opened:
        run = opened.newest()
        opened.study.set_title(run, NAMES[1])
    served = Dashboard(folder)
    yield served, run
    served.close()


def harmless(page: Any) -> None:
    """Nothing of it has run, and nothing of it has become an element."""
    assert page.evaluate("window.pwned") is None
    assert page.locator("img, iframe, object, embed, [onerror], [onload], [onfocus], [onmouseover]").count() == 0
    assert page.locator("a[href^='javascript:']").count() == 0
    page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")


def open_in_classroom(visit: Visit, invaded: tuple[Dashboard, str], **look: Any) -> Any:
    page = visit("/studies", address=invaded[0].address, **look)
    page.get_by_text(NAMES[1], exact=False).first.wait_for()
    harmless(page)
    page.get_by_role("button", name=NAMES[1], exact=True).click()
    page.get_by_role("button", name="Open in the classroom", exact=True).click()
    page.wait_for_selector(".ev-room [role=button]")
    return page


def test_studies_and_classroom(visit: Visit, invaded: tuple[Dashboard, str]) -> None:
    page = open_in_classroom(visit, invaded)
    page.locator(".ev-transport input[type=range]").focus()
    page.keyboard.press("End")
    page.wait_for_function("document.querySelectorAll('.ev-talk li').length > 3")
    for name in NAMES[:3]:
        page.get_by_label("Choose a student").select_option(name)
        page.locator(".ev-person summary").get_by_text(name, exact=True).wait_for()
    for tab in ("Discourse", "Network", "Equity", "States of mind"):
        page.get_by_role("button", name=tab, exact=True).click()
        expect(page.get_by_role("button", name=tab, exact=True)).to_have_attribute("aria-pressed", "true")
        page.wait_for_function(
            "(all => all.length && all.every(one => one.matches('[data-drawn]:has(svg)')))"
            "([...document.querySelectorAll('.ev-figure .ev-chart')])"
        )
        harmless(page)
    expect(page.locator("h1")).to_contain_text(NAMES[0])


def test_on_a_phone_in_the_dark(visit: Visit, invaded: tuple[Dashboard, str]) -> None:
    page = open_in_classroom(visit, invaded, width=400, scheme="dark")
    page.locator(".ev-transport input[type=range]").focus()
    page.keyboard.press("End")
    page.wait_for_function("document.querySelectorAll('.ev-talk li').length > 3")
    harmless(page)
