"""A text that is too long for a field is said to be, and what the field held stays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from eduverse_mesa.visualization.widgets.form import LONGEST, FormWidget

FIELDS = [{"id": "pasted", "kind": "area", "label": "Text", "value": "before"}]


def form() -> tuple[FormWidget, list[Any]]:
    heard: list[Any] = []
    widget = FormWidget(
        fields=FIELDS, on_event=lambda *said: heard.append(said), too_long=lambda letters: f"{letters} are too many"
    )
    return widget, heard


@pytest.mark.parametrize("said", [{"value": "x" * (LONGEST + 1)}, {"letters": LONGEST + 1}])
def test_too_long_a_text_is_told_and_not_taken(said: dict[str, Any]) -> None:
    widget, heard = form()
    widget._handle_custom_msg({"id": "pasted", **said}, [])
    assert heard == []
    assert widget.refused == {"id": "pasted", "text": f"{LONGEST + 1} are too many"}


def test_the_next_one_that_fits_is_taken_and_nothing_is_told() -> None:
    widget, heard = form()
    widget._handle_custom_msg({"id": "pasted", "letters": 2 * LONGEST}, [])
    widget._handle_custom_msg({"id": "pasted", "value": "x" * LONGEST}, [])
    assert [(name, len(value)) for name, value in heard] == [("pasted", LONGEST)]
    assert widget.refused == {}


@pytest.mark.parametrize("letters", ["many", None, True, 5, 1e9])
def test_what_is_no_number_of_letters_says_nothing(letters: Any) -> None:
    widget, heard = form()
    widget._handle_custom_msg({"id": "pasted", "letters": letters}, [])
    assert heard == []
    assert widget.refused == {}


@pytest.mark.xdist_group("browser-design")
def test_a_page_says_so_where_it_was_pasted(visit: Callable[..., Any]) -> None:
    page = visit("/design")
    page.get_by_role("tab", name="File").click()
    area = page.get_by_label("paste", exact=False).locator("xpath=self::textarea").first
    area.fill("title: Kept")
    area.blur()
    page.wait_for_selector(".ev-f-button:not([disabled]):has-text('Open')")
    area.evaluate("(area) => { area.value = 'x'.repeat(9e6); area.dispatchEvent(new Event('change')); }")
    page.wait_for_selector(".ev-f-wrong[role=alert]:has-text('9,000,000')")
    expect(area).to_have_value("title: Kept")
