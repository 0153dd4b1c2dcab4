"""Pictures of the pages for pupils and their teacher, taken on the way of a first assignment: make screenshots.

`python -m tools.pupils FOLDER`
"""

from __future__ import annotations

import socket
import sys
import tempfile
from pathlib import Path
from typing import Any

from eduverse_mesa.store import Study
from eduverse_mesa.store.accounts import add_account
from tests.browser import CHROMIUM, FLAGS
from tests.pupils.mathematics import PASSWORD, served
from tools.fonts import need_chinese

DESK, PHONE = {"width": 1280, "height": 820}, {"width": 390, "height": 820}
_QUALITY = 82
_PATIENCE = 90_000  # a busy machine takes its time
ADDRESS = "http://maths.example"
"""Slips name the address at which a class finds the pages; the browser of the pictures is led to the server here."""
PUPILS = ("kiwi", "mango", "plum", "fig")
SAYS = {
    "kiwi": (
        "Hi! We want to know how long one step is.",
        "ok, I can do the dividing",
        "I divide the 60 feet by the 20 steps",
        "No, one step has to be much shorter than the line, so we divide: 60/20 = 3 feet.",
    ),
    "mango": ("Hello, it is 60 feet and 20 steps", "What do you two think?"),
    "plum": ("hi",),
}


class Album:
    """A folder for pictures."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder

    def take(self, page: Any, name: str) -> None:
        """A picture of what is seen now."""
        page.wait_for_timeout(400)
        page.screenshot(path=self.folder / f"{name}.jpg", type="jpeg", quality=_QUALITY)


def log_in(browser: Any, name: str, password: str, size: dict[str, int]) -> Any:
    """The page of somebody in a class that comes to the school's address."""
    page = browser.new_context(locale="en", viewport=size).new_page()
    page.set_default_timeout(_PATIENCE)
    page.goto(ADDRESS)
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("main").get_by_role("button", name="Log in").click()
    return page


def make_class(page: Any, album: Album) -> dict[str, str]:
    """Accounts, and their passwords."""
    page.get_by_label("Names, one a line").fill("\n".join(PUPILS))
    page.locator("form[action='/class'] button").click()
    slips = page.locator("#passwords li")
    slips.nth(len(PUPILS) - 1).wait_for()
    album.take(page, "pupils-class")
    return {slip.locator("b").inner_text(): slip.locator("code").inner_text() for slip in slips.all()}


def give_set(page: Any, album: Album) -> None:
    """A set of two problems."""
    page.get_by_role("link", name="Sets of problems").click()
    page.get_by_role("link", name="Give a set of problems").click()
    page.get_by_label("Title").fill("Rates, week 1")
    for title in ("Race fuel", "Steps and distance"):
        card = page.locator(".ev-pick", has_text=title)
        card.get_by_role("checkbox").check()
    card.get_by_text("Read it").click()
    card.get_by_role("radio", name="1,200 feet per step").check()
    card.evaluate("one => one.scrollIntoView({ block: 'start' })")
    album.take(page, "pupils-set")
    page.locator("input[name=wait]").fill("2")
    for name in PUPILS:
        page.get_by_label(name).check()
    page.get_by_role("button", name="Give to these students").click()


def solve(browser: Any, passwords: dict[str, str], album: Album) -> None:
    """Three pupils begin; the first of them is seen at a desk and on a phone."""
    pages: list[Any] = []
    for name, lines in SAYS.items():
        page = log_in(browser, name, passwords[name], PHONE if name == "mango" else DESK)
        page.get_by_role("link", name="Steps and distance").click()
        if not pages:
            album.take(page, "pupils-agree")
        page.get_by_role("button", name="I have understood this and agree").click()
        page.locator("[data-live]").wait_for()
        for number, line in enumerate(lines):
            page.get_by_label("Your message").fill(line)
            page.get_by_label("Your message").press("Enter")
            page.locator("#said .is-me").nth(number).wait_for()
            page.locator("#said li:last-child:not(.is-me)").wait_for()
        pages.append(page)
    for page, name in zip(pages, ("pupils-chat-desk", "pupils-chat-phone"), strict=False):
        album.take(page, name)


def watch(page: Any, album: Album) -> None:
    """Take pictures of the pupils' progress and of one dialogue."""
    page.reload()
    page.locator("#live a").first.wait_for()
    album.take(page, "pupils-watch")
    page.locator("#live a").first.click()
    page.locator("#transcript").wait_for()
    album.take(page, "pupils-transcript")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def main(folder: Path) -> None:
    """Take all of them."""
    from playwright.sync_api import sync_playwright

    need_chinese()
    album = Album(folder)
    with tempfile.TemporaryDirectory() as room, sync_playwright() as playwright:
        path = Path(room) / "class.study"
        with Study.open(str(path), create=True) as study:
            add_account(study, "Ms Li", "teacher", PASSWORD)
        port = _free_port()
        here = f"--host-resolver-rules=MAP {ADDRESS.removeprefix('http://')} 127.0.0.1:{port}"
        with served(path, "--port", str(port), "--address", ADDRESS):
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS, here])
            teacher = log_in(browser, "Ms Li", PASSWORD, DESK)
            passwords = make_class(teacher, album)
            give_set(teacher, album)
            solve(browser, passwords, album)
            watch(teacher, album)
            teacher.goto(f"{ADDRESS}/problems/edit?from=steps_and_distance")
            album.take(teacher, "pupils-problem")
            browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
