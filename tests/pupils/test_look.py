"""Everybody's pages in a browser: axe finds nothing, in the light and in the dark; and the chat as students use it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from eduverse_mesa.runs.studies import open_study
from tests.dashboard.test_pages import violations
from tests.pupils.mathematics import Client, Here, School, serving

pytestmark = pytest.mark.xdist_group("mathematics_look")

PHONE: ViewportSize = {"width": 390, "height": 844}
DESK: ViewportSize = {"width": 1280, "height": 800}
SAYS = (
    "Hi! We look for one step.",
    "I divide 60 by 20",
    "No, one step has to be much shorter than the line, so we divide: 60/20 = 3 feet.",
    "I agree, 3 feet per step",
)
ODD = {"nowhere": 404, "edit": 409}
"""Nothing is there; a set that is begun is not changed any more."""
LATEX = r"No, it is shorter, so \(\frac{60}{20} = 3\) and not 60*20 for $5."


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> School:
    return School(tmp_path_factory.mktemp("school") / "a.study", "kiwi", "mango", "plum")


@pytest.fixture(scope="module")
def server(school: School) -> Iterator[Here]:
    with open_study(str(school.path)) as opened, serving(opened) as here:
        yield here


@pytest.fixture
def page(chromium: Any) -> Iterator[Page]:
    """A page on which nothing may go wrong by itself."""
    context = chromium.new_context(locale="en", viewport=DESK, color_scheme="light")
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    yield page
    context.close()
    assert wrong == []


def visit(page: Page, client: Client) -> None:
    """The page is logged in as this client."""
    name, _, value = client.cookie.partition("=")
    page.context.clear_cookies()
    page.context.add_cookies([{"name": name, "value": value, "url": f"http://127.0.0.1:{client.port}"}])


def faults(page: Page, **options: Any) -> list[str]:
    """All that axe finds, with the places."""
    return [f"{one['id']}: {node['html'][:200]}" for one in violations(page, **options) for node in one["nodes"]]


def look_at(page: Page, address: str, status: int = 200) -> list[str]:
    """What is wrong with a page: in the light, in the dark, and at the width of a phone."""
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(DESK)
    answer = page.goto(address)
    assert answer is not None
    found = faults(page) + ([] if answer.status == status else [f"it is answered with {answer.status}"])
    page.emulate_media(color_scheme="dark")
    found += [f"in the dark: {one}" for one in faults(page, runOnly=["color-contrast"])]
    page.set_viewport_size(PHONE)
    wide = page.evaluate("document.documentElement.scrollWidth")
    if wide > PHONE["width"]:
        found.append(f"it is {wide} wide")
    return found


def test_axe_finds_nothing_on_any_page_in_the_light_and_in_the_dark(page: Page, server: Here, school: School) -> None:
    work, run = school.work.id, ""
    kiwi, mango, teacher = (Client(server.port, name) for name in ("kiwi", "mango", "Ms Li"))
    run = kiwi.begin(work).run
    for number, text in enumerate(SAYS):
        kiwi.say(run, text, f"kiwi{number:08d}")
        kiwi.events(run, 0, 2 * number + 2)
    own = f"/class/{school.students['plum'].id}"
    teacher.post("/class", names="lime\nkiwi")
    pages = {
        None: ("/login", "/nowhere"),
        mango: ("/work", f"/work/{work}/1"),
        kiwi: ("/work", f"/work/{work}/1", f"/work/{work}/2", f"/survey/{work}"),
        teacher: (
            *(
                "/class",
                "/class/slips",
                "/sets",
                "/sets/new",
                f"/sets/{work}",
                f"/sets/{work}/counted",
                f"/sets/{work}/edit",
            ),
            *(f"/sets/{work}/delete", f"{own}/erase", f"/transcripts/{run}", "/problems"),
            *("/problems/edit?from=steps_and_distance", "/problems/try?problem=poster_frame"),
        ),
    }
    wrong = {}
    for client, paths in pages.items():
        page.context.clear_cookies()
        if client is not None:
            visit(page, client)
        for path in paths:
            if found := look_at(page, server.address + path, ODD.get(path.rpartition("/")[2], 200)):
                wrong[path] = found
    assert wrong == {}


def test_a_student_chats(page: Page, server: Here, school: School) -> None:
    client = Client(server.port, "plum")
    run = client.begin(school.work.id).run
    visit(page, client)
    page.goto(f"{server.address}/work/{school.work.id}/1")
    expect(page.locator("#now")).to_have_text("Now: say in your own words what is given and what is asked.")
    writes_with_keys_only(page)
    sees_mathematics_and_copies_what_was_typed(page)
    reads_above_undisturbed(page, client, run)
    sees_the_end_beside_a_keyboard(page)
    goes_on_without_a_connection(page)


def writes_with_keys_only(page: Page) -> None:
    """Shift+Enter breaks the line, Enter sends; the focus stays where one writes."""
    field = page.get_by_label("Your message")
    field.press_sequentially("Hi!")
    field.press("Shift+Enter")
    field.press_sequentially("<b>60 feet</b>")
    field.press("Enter")
    expect(page.locator("#said .is-me p")).to_have_js_property("textContent", "Hi!\n<b>60 feet</b>")
    expect(field).to_be_focused()
    expect(field).to_have_value("")


def sees_mathematics_and_copies_what_was_typed(page: Page) -> None:
    """It is drawn, and the same when it comes and when the page is loaded again."""
    page.get_by_label("Your message").fill(LATEX)
    page.get_by_label("Your message").press("Enter")
    message = page.locator("#said .is-me").nth(1)
    fraction = message.locator("mfrac")
    expect(message.locator("math")).to_have_count(2)
    expect(fraction.locator("mn")).to_have_text(["60", "20"])
    upper, lower = message.evaluate(  # at one moment: the next message moves all of them
        "one => [...one.querySelectorAll('mfrac mn')].map((number) => number.getBoundingClientRect().y)"
    )
    height = fraction.locator("mn").first.evaluate("one => one.getBoundingClientRect().height")
    assert upper + height <= lower + 1, "one number stands over the other"
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    message.locator("p").evaluate("one => getSelection().selectAllChildren(one)")
    page.keyboard.press("Control+C")
    assert page.evaluate("navigator.clipboard.readText()") == LATEX
    shown = message.inner_html()
    page.reload()
    expect(page.locator("#said .is-me")).to_have_count(2)
    assert message.inner_html() == shown


def reads_above_undisturbed(page: Page, client: Client, run: str) -> None:
    """Who reads what was said before is left there, and told that there is something new."""
    mine, first = page.locator("#said .is-me"), page.locator("#said li").first
    for number in range(12):
        client.say(run, f"line {number}", f"plumsays{number:04d}")
    expect(mine).to_have_count(14)
    page.locator("#scroller").evaluate("one => { one.scrollTop = 0; }")
    expect(first).to_be_in_viewport()
    client.say(run, "are you there?", "plumsays9999")
    new = page.get_by_role("button", name="New messages")
    expect(new).to_be_visible()
    expect(first).to_be_in_viewport()
    new.click()
    expect(page.locator("#said li").last).to_be_in_viewport()
    expect(new).to_be_hidden()


def sees_the_end_beside_a_keyboard(page: Page) -> None:
    """A phone's keyboard takes half of the window: who saw the last message sees it still, who read above reads on."""
    last, first = page.locator("#said li").last, page.locator("#said li").first
    page.set_viewport_size({"width": 390, "height": 780})
    page.locator("#end").evaluate("one => one.scrollIntoView({ block: 'end' })")
    expect(last).to_be_in_viewport()
    seen = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    page.evaluate(seen)
    page.set_viewport_size({"width": 390, "height": 420})
    expect(last).to_be_in_viewport(ratio=1)
    page.set_viewport_size({"width": 390, "height": 780})
    expect(last).to_be_in_viewport()
    first.scroll_into_view_if_needed()
    page.evaluate(seen)
    page.set_viewport_size({"width": 390, "height": 420})
    expect(last).not_to_be_in_viewport()
    page.set_viewport_size(DESK)
    page.locator("#end").evaluate("one => one.scrollIntoView({ block: 'end' })")


def goes_on_without_a_connection(page: Page) -> None:
    """One is told, and what is written goes out when the connection is back, once."""
    page.context.set_offline(True)
    expect(page.get_by_role("status")).to_contain_text("offline")
    page.get_by_label("Your message").fill("I write on")
    page.get_by_label("Your message").press("Enter")
    expect(page.locator("#waiting li")).to_have_text(["plumI write on"])
    page.context.set_offline(False)
    expect(page.locator("#waiting li")).to_have_count(0)
    expect(page.locator("#said .is-me").filter(has_text="I write on")).to_have_count(1)
    expect(page.get_by_role("status")).to_be_hidden()


def test_a_set_that_its_teacher_has_ended_is_read_and_not_begun(server: Here, school: School) -> None:
    teacher, mango = (Client(server.port, name) for name in ("Ms Li", "mango"))
    path = f"/work/{school.work.id}"
    mango.begin(school.work.id)
    assert teacher.post(f"/sets/{school.work.id}/end", do="end").status == 303
    assert "Your teacher has ended this set" in mango.get("/work").text
    begun, other = mango.get(f"{path}/1").text, mango.get(f"{path}/2").text
    assert 'id="over" class="ev-over" tabindex="-1">' in begun, "it is over"
    assert '<p id="solved" class="ev-ok" hidden>' in begun, "but not solved"
    assert "Your teacher has ended this set" in other
    assert "data-talk" not in other
