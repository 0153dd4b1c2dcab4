"""The design page in a real browser: what is dragged, written, opened and taken away."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from eduverse_mesa.scenarios import fingerprint, load_scenario
from eduverse_mesa.scenarios.drafts import Draft
from eduverse_mesa.visualization.words import load_words
from tests.dashboard.test_pages import at_rest, fits, serious, settled

pytestmark = pytest.mark.xdist_group("browser-design_page")

Visit = Callable[..., Any]
HOSTILE = (
    "<script>window.hit=1</script>",
    "<img src=x onerror='window.hit=1'>",
    "{{constructor.constructor('window.hit=1')()}}",
    "javascript:window.hit=1",
    "\u202egnp.exe",
)


@pytest.fixture
def page(visit: Visit) -> Any:
    opened = visit("/design")
    opened.wait_for_selector(".ev-r-person .ev-r-disc")
    return opened


def said(page: Any, text: str) -> None:
    page.wait_for_function("text => document.querySelector('.ev-design').innerText.includes(text)", arg=text)


def tab(page: Any, name: str) -> None:
    page.locator(".ev-tab", has_text=name).click()
    page.wait_for_selector(f".ev-tab[aria-selected=true]:has-text('{name}')")


def student(page: Any, name: str) -> Any:
    return page.locator(f".ev-r-person[aria-label*='{name}']").first


def drag(page: Any, node: Any, cells: tuple[int, int]) -> None:
    cell = float(page.evaluate("document.querySelector('.ev-r-svg').getScreenCTM().a * 40"))
    box = node.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + cells[0] * cell / 2, y + cells[1] * cell / 2, steps=3)
    page.mouse.move(x + cells[0] * cell, y + cells[1] * cell, steps=3)
    page.mouse.up()


def fill(page: Any, label: str, value: str) -> None:
    box = page.get_by_label(label, exact=True)
    box.fill(value)
    box.blur()


def text_of_file(page: Any, part: str = "") -> str:
    """The whole of it, once this is in it."""
    tab(page, "File")
    code = page.locator(".ev-f-code")
    expect(code).to_have_value(re.compile(re.escape(part)))
    return str(code.input_value())


def test_a_student_is_dragged_and_the_graph_follows(page: Any) -> None:
    said(page, "6 links")
    drag(page, student(page, "Liu Li").locator(".ev-r-disc"), (0, 8))
    said(page, "Liu Li moved to column 14, row 14.")
    said(page, "without a link: Liu Li")
    text_of_file(page, "[14, 14]")
    page.keyboard.press("Control+z")
    said(page, "everybody has a link")
    said(page, "6 links")
    page.get_by_role("button", name="Redo").click()
    said(page, "without a link")


def test_two_students_change_places(page: Any) -> None:
    drag(page, student(page, "Liu Li").locator(".ev-r-disc"), (2, 0))
    said(page, "Liu Li and Wang Fang changed places.")


def test_the_keys_move_too(page: Any) -> None:
    student(page, "Liu Li").focus()
    page.keyboard.press("ArrowDown")
    said(page, "Liu Li moved to column 14, row 7.")
    page.wait_for_function("document.activeElement.getAttribute('aria-label')?.includes('Liu Li')")
    page.keyboard.press("ArrowDown")
    said(page, "Liu Li moved to column 14, row 8.")


def test_furniture_is_added_picked_renamed_and_removed(page: Any) -> None:
    page.get_by_role("button", name="+ Desk").click()
    said(page, "desk was added.")
    fill(page, "Name", "reading corner")
    said(page, "desk is now called reading corner.")
    fill(page, "Column", "10")
    said(page, "reading corner moved to column 10")
    fill(page, "Row", "99")
    said(page, "outside the room of 30 x 20 cells")
    page.get_by_role("button", name="Remove reading corner").click()
    said(page, "reading corner was removed.")


def test_a_seat_that_is_moved_lists_them_all(page: Any) -> None:
    tab(page, "Room")
    said(page, "The seats are given as a pattern.")
    page.get_by_role("button", name="Seats", exact=True).click()
    seat = page.locator("[data-move=seat]").first
    seat.wait_for()
    drag(page, seat, (0, 5))
    said(page, "Now that one was changed they are listed one by one")


def test_rules_change_the_graph_at_once(page: Any) -> None:
    tab(page, "Seat graph")
    page.get_by_role("button", name="Neighbours", exact=True).click()
    said(page, "13 links")
    fill(page, "Up to how many cells", "0.5")
    said(page, "0 links")
    page.get_by_label("One student", exact=True).select_option("Liu Li")
    page.get_by_label("Another student", exact=True).select_option("Zhang Yan")
    page.get_by_role("button", name="Link them").click()
    said(page, "1 link\n")


def test_a_mistake_is_said_where_it_is_and_a_link_leads_there(page: Any) -> None:
    tab(page, "Lesson")
    page.get_by_role("button", name="Ideas (").click()
    page.get_by_role("button", name="+ Idea").click()
    said(page, "4 things to mend")
    wrong = page.get_by_label("The reason for it", exact=True)
    expect(wrong).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("button", name="Play it")).to_be_disabled()
    tab(page, "File")
    page.locator(".ev-problem").nth(1).click()
    wrong.wait_for()
    at_rest(page)
    wrong.fill("because it is so")
    wrong.blur()
    said(page, "3 things to mend")
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").click()
    said(page, "ready to play")


def test_a_trait_is_set_with_what_it_means(page: Any) -> None:
    page.locator(".ev-name", has_text="Liu Li").click()
    openness = page.get_by_label("Openness", exact=True)
    openness.wait_for()
    said(page, "curious, enjoys new and odd ideas")
    openness.fill("0.9")
    scenario = load_scenario(parsed(text_of_file(page, "openness: 0.9")))
    assert scenario.roll.students[1].traits.openness == 0.9


def parsed(text: str) -> Any:
    return Draft.of_text(text).document


def test_a_name_that_is_taken_is_refused(page: Any) -> None:
    page.locator(".ev-name", has_text="Liu Li").click()
    fill(page, "Name", "wang fang")
    said(page, "is not free")
    said(page, "ready to play")


def test_a_class_is_drawn_and_gets_rows(page: Any) -> None:
    fill(page, "Students", "20")
    said(page, "20 students, but the room has 6 seats.")
    page.get_by_role("button", name="Draw, and make rows for all").click()
    page.wait_for_function("document.querySelectorAll('.ev-r-person').length === 21")
    said(page, "20 students")
    said(page, "ready to play")


def test_what_is_downloaded_is_opened_again_as_the_same(page: Any, visit: Visit, tmp_path: Path) -> None:
    drag(page, student(page, "Liu Li").locator(".ev-r-disc"), (0, 8))
    said(page, "Liu Li moved")
    tab(page, "File")
    with page.expect_download() as download:
        page.locator(".ev-download").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    assert path.name == "first_lesson.yaml"
    scenario = load_scenario(path)
    assert scenario.seating["Liu Li"] == (14, 14)
    other = visit("/design")
    tab(other, "File")
    other.get_by_label("A file", exact=True).set_input_files(path)
    said(other, "Opened.")
    assert fingerprint(load_scenario(parsed(text_of_file(other, "[14, 14]")))) == fingerprint(scenario)


def test_an_area_is_added_sized_renamed_and_removed(page: Any) -> None:
    page.get_by_role("button", name="+ Area").click()
    said(page, "Area area was added in the middle of the room.")
    fill(page, "First column", "2")
    said(page, "Area area has another size.")
    fill(page, "Last column", "1")
    said(page, "the last does not come before the first")
    fill(page, "Name", "reading corner")
    said(page, "area is now called reading corner.")
    page.locator(".ev-r-zone", has_text="reading corner").wait_for()
    page.get_by_role("button", name="Remove reading corner").click()
    said(page, "Area reading corner was removed. What stood in it stays.")


def test_a_file_that_is_none_is_refused_with_its_place(page: Any, tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text("kind: scenario\nname: [", encoding="utf-8")
    tab(page, "File")
    page.get_by_label("A file", exact=True).set_input_files(path)
    said(page, "bad.yaml:3:1")
    path.write_text(
        "kind: scenario\nname: x\nlayout: /etc/hosts.yaml\nclass: six\nlessons: spring_1\n", encoding="utf-8"
    )
    page.get_by_label("A file", exact=True).set_input_files(path)
    said(page, "the layout is in another file")
    path.write_bytes(b"x" * 1_100_000)
    page.get_by_label("A file", exact=True).set_input_files(path)
    said(page, "1 MB is the most")
    said(page, "6 links")
    box, wrong = page.get_by_label("or paste its text"), page.locator(".ev-f[data-kind=area] .ev-f-wrong")
    opening = page.get_by_role("button", name="Open what was pasted")
    opening.click()
    expect(wrong).to_have_text("Nothing is in this box yet. Paste the text of a file first.")
    box.fill("kind: layout\nname: [")
    opening.click()
    expect(wrong).to_contain_text("the pasted text")
    box.fill("kind: scenario\nname: pasted\ntitle: From the box\nlayout: round\nclass: six\nlessons: [spring_1]\n")
    opening.click()  # once: nothing else has to be touched first
    expect(page.locator(".ev-design-title")).to_contain_text("From the box")
    expect(box).to_have_value("")


def test_on_a_small_screen_no_tab_and_no_name_is_cut(visit: Visit) -> None:
    page = visit("/design", width=1280)
    page.wait_for_selector(".ev-r-person .ev-r-disc")
    for name in ("File", "Room"):
        tab(page, name)
        assert page.evaluate(
            """() => { const list = document.querySelector(".ev-tabs"), box = list.getBoundingClientRect();
            return [...list.children].every(one => one.getBoundingClientRect().left >= box.left - 1
              && one.getBoundingClientRect().right <= box.right + 1); }"""
        )
    expect(page.locator(".ev-r-svg text", has_text="Zhang Tao")).to_have_count(1)
    expect(page.locator(".ev-r-person text", has_text="…")).to_have_count(0)


TIDES = """\
# Tides
## Warm-up (5 min)
- Why was my friend at the sea?
    because it was on holiday
- Show a picture of the beach.
## New content (15 min)
- The moon pulls the sea.
- Work in pairs and draw the moon.
"""


def import_outline(page: Any, text: str) -> None:
    tab(page, "Lesson")
    page.get_by_role("button", name="Import").click()
    fill(page, "Outline", text)
    page.get_by_role("button", name="Read it").click()


def test_an_outline_becomes_the_lesson_when_what_was_made_up_is_confirmed(page: Any) -> None:
    import_outline(page, TIDES)
    said(page, "8 parts of the outline were understood like this")
    said(page, "phase: Introduction")
    said(page, "answer to the question")
    said(page, "the teacher does this, and does not say it")
    expect(page.get_by_label("Title of the lesson")).to_have_value("Tides")
    said(page, "to fill in")
    page.get_by_role("button", name="Use it for this lesson").click()
    said(page, "The moon pulls the sea.")
    expect(page.get_by_text("ready to play")).to_have_count(0)
    expect(page.get_by_role("button", name="Play it")).to_be_disabled()
    page.get_by_role("button", name="Confirm all of it as it stands now").click()
    said(page, "ready to play")
    expect(page.get_by_role("button", name="Confirm all of it as it stands now")).to_have_count(0)


def test_an_outline_without_a_title_asks_for_one_and_may_be_confirmed_at_once(page: Any) -> None:
    import_outline(page, TIDES.removeprefix("# Tides\n"))
    said(page, "Give the lesson a title.")
    expect(page.get_by_role("button", name="Use it for this lesson")).to_be_disabled()
    fill(page, "Title of the lesson", "Ebb and flow")
    page.get_by_label("I have read what was made up or guessed").click(force=True)
    page.get_by_role("button", name="Use it for this lesson").click()
    said(page, "The moon pulls the sea.")
    said(page, "ready to play")


def test_all_that_is_to_be_confirmed_is_in_sight_above_the_tick(page: Any) -> None:
    import_outline(page, TIDES + "".join(f"- The sea has the colour number {number}.\n" for number in range(15)))
    said(page, "23 parts of the outline were understood like this")
    tables = page.locator(".ev-account .ev-scroll")
    expect(tables).to_have_count(2)
    assert tables.evaluate_all("all => all.map(one => one.scrollHeight - one.clientHeight)") == [0, 0]
    rows = tables.nth(1).locator("tbody tr")
    assert rows.count() > 40
    tick = page.get_by_label("I have read what was made up or guessed")
    assert rows.last.bounding_box()["y"] < tick.bounding_box()["y"]


def test_an_answer_that_is_missing_is_written_before_the_lesson_is_played(page: Any) -> None:
    import_outline(page, TIDES.replace("    because it was on holiday\n", ""))
    page.get_by_label("I have read what was made up or guessed").click(force=True)
    page.get_by_role("button", name="Use it for this lesson").click()
    said(page, "The moon pulls the sea.")
    rows = page.locator(".ev-account tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("to fill in")
    expect(page.get_by_role("button", name="Play it")).to_be_disabled()
    expect(page.get_by_role("button", name="Confirm all of it as it stands now")).to_have_count(0)


def test_hostile_texts_are_texts(page: Any, tmp_path: Path) -> None:
    draft = Draft.of_name()
    for index, text in enumerate(HOSTILE):
        draft.people.rename(index, text)
    draft.set(("title",), HOSTILE[0])
    draft.room.rename_object("desk A", HOSTILE[1])
    draft.lessons.set(0, ("title",), HOSTILE[2])
    draft.lessons.set(0, ("goals", 0, "text"), HOSTILE[1])
    draft.people.group([HOSTILE[0]], HOSTILE[1])
    draft.set(("settings", "steps"), HOSTILE[1])
    path = tmp_path / "x.yaml"
    path.write_text(draft.dump(), encoding="utf-8")
    tab(page, "File")
    page.get_by_label("A file", exact=True).set_input_files(path)
    said(page, "Opened.")
    for name in ("Room", "Students", "Seat graph", "Lesson", "Settings", "File"):
        tab(page, name)
    tab(page, "Students")
    for place in (2, 3, 4):
        page.locator(".ev-name").nth(place).click()
        page.wait_for_selector(f":nth-match(.ev-name, {place + 1})[aria-pressed=true]")
    assert page.evaluate("window.hit") is None
    expect(page.locator("h1")).to_contain_text(HOSTILE[0])
    assert page.locator("main script, main img[src=x]").count() == 0


def test_the_draft_outlives_a_reload_and_is_its_browser_s_own(page: Any, visit: Visit) -> None:
    page.get_by_role("button", name="+ Student").click()
    said(page, "7 students")
    page.reload()
    page.wait_for_selector(".ev-facts")
    said(page, "7 students")
    other = visit("/design")
    other.wait_for_selector(".ev-facts")
    said(other, "6 students")


def test_play_hands_it_to_the_classroom(page: Any) -> None:
    page.locator(".ev-name", has_text="Liu Li").click()
    fill(page, "Name", "Odd One")
    said(page, "Liu Li is now called Odd One.")
    page.get_by_role("button", name="Play it").click()
    page.wait_for_url("**/")
    page.wait_for_selector(".ev-r-person[aria-label*='Odd One']")


@pytest.mark.parametrize(
    ("language", "locale", "scheme", "width"), [("en", "en-US", "light", 1440), ("zh", "zh-CN", "dark", 400)]
)
def test_every_tab_can_be_read_by_everybody(visit: Visit, language: str, locale: str, scheme: str, width: int) -> None:
    t = load_words(language)
    page = visit("/design", scheme=scheme, width=width, language=locale)
    page.wait_for_selector(".ev-r-person")
    for name in ("room", "students", "rules", "lesson", "settings", "file"):
        tab(page, t(f"design.tab.{name}"))
        settled(page)
        if scheme == "light":  # in the dark test_pages looks at it, too
            assert serious(page) == []
        fits(page, width)
