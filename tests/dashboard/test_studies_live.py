"""A run in which people sit, on the studies page, in a real browser."""

from __future__ import annotations

import pytest

from tests.dashboard.seats import Visit, open_lesson

pytestmark = pytest.mark.xdist_group("browser-studies")


def test_a_lesson_with_people_is_looked_after_from_the_studies_page(visit: Visit) -> None:
    page = open_lesson(visit)
    page.get_by_role("button", name="Other lessons").click()
    page.wait_for_selector("text=Open the lesson")
    studies = visit("/studies")
    studies.locator("button.ev-run-name").first.click()
    studies.wait_for_selector("text=People take part in this run now.")
    assert studies.get_by_role("button", name="Go on with it").count() == 0
    studies.get_by_role("button", name="Look after this lesson").click()
    studies.wait_for_selector(".ev-seats")
    assert studies.url.endswith("/seat")
